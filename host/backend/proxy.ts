import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { sendJson } from './http';
import { wordFailure } from './prometheus';

const TIMEOUT_MS = 30_000;
const PASS_REQUEST = ['accept', 'content-type', 'content-length'];
const PASS_RESPONSE = ['content-type', 'content-length', 'content-encoding'];

/** Passes a request on to one fixed address; only harmless headers travel, in either direction. */
export function forward(req: IncomingMessage, res: ServerResponse, target: URL, method = req.method): Promise<void> {
  return new Promise((resolve) => {
    const client = target.protocol === 'https:' ? https : http;
    const upstream = client.request(
      target,
      { method, headers: pick(req.headers, PASS_REQUEST), timeout: TIMEOUT_MS },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, pick(answer.headers, PASS_RESPONSE));
        answer.pipe(res);
      }
    );
    upstream.on('timeout', () => upstream.destroy(new DOMException('timeout', 'TimeoutError')));
    upstream.on('error', (error) => {
      const { status, message } = wordFailure(error);
      if (res.headersSent) {
        res.destroy();
      } else {
        sendJson(res, status, { message });
      }
    });
    res.on('close', () => {
      upstream.destroy();
      resolve();
    });
    req.pipe(upstream);
  });
}

function pick(headers: http.IncomingHttpHeaders, names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : []))
  );
}
