import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const CHILDREN = pathToFileURL(join(__dirname, 'children.mjs')).href;
const WITHIN_MS = 8_000;

/** A parent that starts a long-lived child, which writes its pid into the run folder, and then does what it is told. */
function startParent(then: string): { parent: ChildProcess; runFolder: string; pidFile: string } {
  const runFolder = mkdtempSync(join(tmpdir(), 'pdflow-children-'));
  const pidFile = `${runFolder}.pid`;
  const child = `require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => 0, 1e3);
    console.log('{"ready":true}')`;
  const script = `
    const { Children } = await import(${JSON.stringify(CHILDREN)});
    const children = new Children(${JSON.stringify(runFolder)});
    await children.start({ name: 'sleeper', command: process.execPath, args: ['-e', ${JSON.stringify(child)}], readyLine: true });
    ${then}`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  return { parent, runFolder, pidFile };
}

async function until(condition: () => boolean): Promise<boolean> {
  const deadline = Date.now() + WITHIN_MS;
  while (!condition() && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return condition();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
}

describe('child processes', () => {
  jest.setTimeout(30_000);

  it.each([
    ['are stopped in order', 'await children.stop(); process.exit(0)', undefined],
    ['do not outlive a parent that is killed', 'await new Promise(() => setInterval(() => 0, 1e3))', 'SIGKILL'],
    ['do not outlive a parent that throws', 'throw new Error("on purpose")', undefined],
  ] as const)('%s, and the run folder goes with them', async (_sentence, then, signal) => {
    const { parent, runFolder, pidFile } = startParent(then);
    expect(await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '')).toBe(true);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    if (signal !== undefined) {
      expect(isAlive(pid)).toBe(true);
      parent.kill(signal);
    }
    expect(await until(() => !isAlive(pid))).toBe(true);
    expect(await until(() => !existsSync(runFolder))).toBe(true);
  });
});
