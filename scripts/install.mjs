import { join } from 'node:path';
import { HOST, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run } from './run.mjs';
import { doOnce, hashInputs } from './stamps.mjs';

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const OLDEST_NODE = 20;

export function requireNode() {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new Problem(`Node ${OLDEST_NODE} or newer is needed; this is ${process.versions.node}.`);
  }
}

/**
 * Installs the packages of the plugin and of the host when their lock files changed since the last install.
 * @param {(line: string) => void} say
 */
export async function installPackages(say) {
  await installFolder(ROOT, 'the plugin', say);
  await installFolder(HOST, 'the embedded host', say);
}

/**
 * @param {string} folder
 * @param {string} what
 * @param {(line: string) => void} say
 */
async function installFolder(folder, what, say) {
  const stampFile = join(folder, 'node_modules/.pdflow-install');
  const hash = hashInputs([join(folder, 'package-lock.json')]);
  await doOnce({ stampFile, hash, work: () => npmCi(folder, what, say) });
}

/**
 * @param {string} folder
 * @param {string} what
 * @param {(line: string) => void} say
 */
async function npmCi(folder, what, say) {
  say(`Installing the packages of ${what} (npm ci, about a minute)`);
  const { code, stdout, stderr } = await run(NPM, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  });
  if (code !== 0) {
    throw new Problem(`npm ci failed in ${folder}:\n${(stderr || stdout).trim().slice(-1500)}`);
  }
}
