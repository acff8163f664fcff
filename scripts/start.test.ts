import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

const START = join(__dirname, 'start.mjs');

function start(...args: string[]): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [START, '--no-open', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stderr.on('data', (chunk) => (text += chunk));
    child.on('close', (code) => resolve({ code, text: text.trim() }));
  });
}

describe('npm start', () => {
  jest.setTimeout(60_000);

  it('explains its options', async () => {
    const { code, text } = await start('--help');
    expect(code).toBe(0);
    expect(text).toMatch(/--scenario NAME[\s\S]*founding[\s\S]*--prometheus URL/);
  });

  it('says in one line that the port is taken, before any work', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, text } = await start('--port', String(port));
    server.close();
    expect({ code, text }).toEqual({
      code: 1,
      text: `Port ${port} is taken. Choose another: npm start -- --port ${port + 1}`,
    });
  });

  it.each([
    ['an unreachable Prometheus', ['--prometheus', 'http://127.0.0.1:9'], /^No Prometheus answers at http:.*\n?$/],
    ['the same with slashes behind it', ['--prometheus', 'http://127.0.0.1:9//'], /answers at http:\/\/127.0.0.1:9 \(/],
    ['a Prometheus without address', ['--prometheus', 'here'], /not an address/],
    ['a port that is none', ['--port', 'x'], /not a port number/],
    ['an option that it does not have', ['--fast'], /Unknown option '--fast'[\s\S]*--help/],
  ])('refuses %s', async (_sentence, args, message) => {
    const { code, text } = await start(...args, ...(args[0] === '--port' ? [] : ['--port', '39871']));
    expect(code).toBe(1);
    expect(text).toMatch(message);
    expect(text).not.toMatch(/\n\s+at /);
  });
});
