import { join } from 'node:path';
import { freePort } from './net.mjs';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run, TSX } from './run.mjs';

const SEED = '1';
const MAIN = join(ROOT, 'simulator/main.ts');

/** @returns {Promise<string>} one line per scenario; empty before the packages are installed */
export async function listScenarios() {
  const { code, stdout } = await run(process.execPath, [...TSX, MAIN, '--list'], { cwd: ROOT });
  return code === 0 ? stdout.trimEnd() : '';
}

/** @param {string} name */
export async function requireScenario(name) {
  const list = await listScenarios();
  if (!list.split('\n').some((line) => line.split(' ')[0] === name)) {
    throw new Problem(`There is no scenario "${name}". Known:\n${list || 'none: the simulator does not run'}`);
  }
}

/**
 * Starts the simulated deployment; its past is written to a file, from then on it is live.
 * @param {{ children: import('./children.mjs').Children; scenario: string; backfill: string }} wish
 * @returns {Promise<string>} the simulator's address
 */
export async function startSimulator({ children, scenario, backfill }) {
  const port = await freePort();
  await children.start({
    name: 'simulator',
    command: process.execPath,
    args: [
      ...TSX,
      ...[MAIN, '--live', '--scenario', scenario, '--seed', SEED],
      ...['--port', String(port), '--backfill', backfill],
    ],
    readyLine: true,
  });
  return `http://127.0.0.1:${port}`;
}
