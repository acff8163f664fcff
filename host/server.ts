// The embedded host's server: the page, the built plugins, and the few Grafana APIs that they call.
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HttpError, sendJson } from './backend/http';
import { readOptions, type HostOptions } from './backend/options';
import { route } from './backend/routes';

const HERE = dirname(fileURLToPath(import.meta.url));

function serve(options: HostOptions): void {
  const server = createServer((req, res) => {
    route(req, res, options, join(HERE, 'node_modules')).catch((error: unknown) => {
      if (res.headersSent || res.destroyed) {
        res.destroy();
        return;
      }
      const status = error instanceof HttpError ? error.status : 500;
      sendJson(res, status, { message: error instanceof Error ? error.message : String(error) });
    });
  });
  server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  server.on('error', (error) => {
    console.error(`The host cannot listen on ${options.bind}:${options.port}: ${error.message}`);
    process.exit(1);
  });
  server.listen(options.port, options.bind, () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : options.port;
    console.log(JSON.stringify({ ready: true, url: `http://${options.bind}:${port}/` }));
  });
}

try {
  serve(readOptions(process.argv.slice(2), HERE));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(2);
}
