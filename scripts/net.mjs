import { createServer } from 'node:net';
import { Problem } from './problem.mjs';

/** @returns {Promise<number>} a port that was free a moment ago */
export function freePort() {
  return listenOnce(0);
}

/**
 * Throws a Problem when something already listens on the port.
 * @param {number} port
 */
export async function requireFreePort(port) {
  try {
    await listenOnce(port);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`;
    throw new Problem(`Port ${port} ${reason}. Choose another: npm start -- --port ${port + 1}`);
  }
}

/**
 * @param {number} port
 * @returns {Promise<number>}
 */
function listenOnce(port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

/**
 * Asks an address until it answers with 2xx.
 * @param {string} url
 * @param {{ what: string; withinMs: number; signal?: AbortSignal; accept?: (response: Response) => Promise<boolean> }} options
 */
export async function waitForHttp(url, { what, withinMs, signal, accept = async () => true }) {
  const deadline = Date.now() + withinMs;
  let last = 'no answer';
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      if (response.ok && (await accept(response))) {
        return;
      }
      last = `status ${response.status}`;
    } catch (error) {
      last = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    }
    await pause(150);
  }
  throw new Problem(`${what} did not become ready within ${withinMs / 1_000} s (${url}: ${last}).`);
}

/** @param {number} ms */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
