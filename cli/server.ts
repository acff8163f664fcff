import { URL } from 'node:url';

/** Wrong use of the command line, in one line. */
export class UsageError extends Error {}

/** Where Prometheus is, and what every query carries. */
export interface Server {
  /** Address of the range query API. */
  readonly queryUrl: string;
  /** The address as the user knows it, without credentials: this one may be shown. */
  readonly shownUrl: string;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

const HEADER = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/;

/** Reads `--prometheus` and `--header`. Credentials in the address become basic auth; a header given by hand wins. */
export function readServer(address: string | undefined, headers: readonly string[]): Server {
  const url = readUrl(address);
  const given = headers.map(readHeader);
  const named = given.some(([name]) => name.toLowerCase() === 'authorization');
  const basic = url.username !== '' && !named ? [basicAuth(url)] : [];
  url.username = '';
  url.password = '';
  url.hash = '';
  const shownUrl = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/query_range`;
  return { queryUrl: url.href, shownUrl, headers: [...basic, ...given] };
}

function readUrl(address: string | undefined): URL {
  if (!address) {
    throw new UsageError('--prometheus URL is needed, such as http://localhost:9090 (--help shows all options)');
  }
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // The text is not repeated: it may hold a password.
    throw new UsageError('--prometheus must be an address that starts with http:// or https://');
  }
  return url;
}

function readHeader(text: string): readonly [string, string] {
  const [, name, value] = HEADER.exec(text) ?? [];
  if (name === undefined || value === undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw new UsageError("--header must look like 'Name: value'");
  }
  return [name, value];
}

function basicAuth({ username, password }: URL): readonly [string, string] {
  const text = `${decode(username)}:${decode(password)}`;
  return ['Authorization', `Basic ${Buffer.from(text, 'utf8').toString('base64')}`];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
