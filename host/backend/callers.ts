// Who may ask this server: the user's own browser page and programs on this machine, no page of another site.
import type { IncomingMessage } from 'node:http';
import { HttpError } from './http';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export interface Address {
  bind: string;
  port: number;
}

/**
 * Throws HttpError for a request under a name that is not ours (a foreign name made to resolve to this machine would
 * be of the same origin as us, so the browser would hand out every answer), and for one that changes or asks something
 * on behalf of another site. Programs such as curl send no Origin and may.
 */
export function requireOwnCaller(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { bind, port }: Address
): void {
  const names = [...LOOPBACK, bind.includes(':') ? `[${bind}]` : bind];
  const hosts = names.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
  const host = headers.host?.toLowerCase() ?? '';
  if (!hosts.includes(host)) {
    throw new HttpError(403, `This server answers under ${hosts.slice(0, 3).join(', ')} and its --bind address only.`);
  }
  const isReading = method === 'GET' || method === 'HEAD';
  if (!isReading && headers.origin !== undefined && headers.origin !== `http://${host}`) {
    throw new HttpError(403, 'Only the page of this host may do that.');
  }
}
