import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestTls } from 'node:https';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface Posted {
  readonly status: number;
  /** Where a redirect points. */
  readonly location: string | undefined;
  readonly body: string;
}

export interface PostInput {
  readonly url: string;
  readonly form: Readonly<Record<string, string>>;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly signal: AbortSignal;
}

/**
 * Posts a form. Redirects are not followed: that would turn the query into a GET without a body, and end on a login
 * page. Rejects with Node's own errors.
 */
export function post({ url, form, headers, signal }: PostInput): Promise<Posted> {
  const body = new URLSearchParams(form).toString();
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', signal });
    sent.setHeader('Content-Type', 'application/x-www-form-urlencoded');
    sent.setHeader('Content-Length', Buffer.byteLength(body));
    sent.setHeader('Accept', 'application/json');
    sent.setHeader('Accept-Encoding', 'gzip');
    headers.forEach(([name, value]) => sent.setHeader(name, value));
    sent.on('error', reject);
    sent.on('response', (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      readAll(response).then((text) => resolve({ status, location: answered.location, body: text }), reject);
    });
    sent.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const isZipped = response.headers['content-encoding'] === 'gzip';
  // The callback has nothing to add: whoever reads the end of a broken pipeline gets its error.
  const stream = isZipped ? pipeline(response, createGunzip(), () => undefined) : response;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks).toString('utf8');
}
