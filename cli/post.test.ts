import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { post, type Posted } from './post';

let server: Server | undefined;

afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

async function postTo(listener: RequestListener, calling = new AbortController()): Promise<Posted> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return post({ url: `http://127.0.0.1:${port}/x`, form: { q: 'a b' }, headers: [], signal: calling.signal });
}

const TEXT = '{"a": "漢字"}';

describe('post', () => {
  it('reads a plain answer', async () => {
    await expect(postTo((_, response) => response.end(TEXT))).resolves.toEqual({ status: 200, body: TEXT });
  });

  it('unpacks a zipped answer', async () => {
    const zipped = postTo((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT)));
    await expect(zipped).resolves.toMatchObject({ body: TEXT });
  });

  it.each([
    ['plain', {}, Buffer.from(TEXT)],
    ['zipped', { 'content-encoding': 'gzip' }, gzipSync(TEXT)],
  ])('rejects a %s answer that breaks off', async (_sentence, headers, body) => {
    const broken = postTo((_, response) => {
      response.writeHead(200, { ...headers, 'content-length': body.length });
      response.write(body.subarray(0, 5), () => response.destroy());
    });
    await expect(broken).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('rejects an answer that only claims to be zipped', async () => {
    const fake = postTo((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(TEXT));
    await expect(fake).rejects.toMatchObject({ code: 'Z_DATA_ERROR' });
  });

  it('can be called off while it waits and while it reads', async () => {
    for (const begin of [false, true]) {
      const calling = new AbortController();
      const called = postTo((_, response) => {
        if (begin) {
          response.writeHead(200).write('{');
        }
        setTimeout(() => calling.abort(), 30);
      }, calling);
      await expect(called).rejects.toMatchObject({ name: 'AbortError' });
      server?.closeAllConnections();
      server?.close();
    }
  });

  it('does not follow a redirect', async () => {
    const moved = postTo((_, response) => response.writeHead(302, { location: '/login' }).end());
    await expect(moved).resolves.toMatchObject({ status: 302, location: '/login' });
  });
});
