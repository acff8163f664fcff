import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Makes node run TypeScript in this very process. */
export const TSX = ['--import', 'tsx'];

/** Commands that are running now. @type {Set<import('node:child_process').ChildProcess>} */
const active = new Set();
process.on('exit', () => active.forEach((child) => child.kill()));

/**
 * Runs a command to its end and collects its output.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptionsWithoutStdio & { signal?: AbortSignal }} [options]
 * @returns {Promise<{ code: number; stdout: string; stderr: string }>} code is 127 when the command cannot be started
 */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    active.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    /** @param {number} code @param {string} [message] */
    const end = (code, message = '') => {
      active.delete(child);
      resolve({ code, stdout, stderr: stderr + message });
    };
    child.on('error', (error) => end(127, error.message));
    child.on('close', (code) => end(code ?? 1));
  });
}

/**
 * First of the named programs that PATH offers.
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function findOnPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
      const file = join(folder, name);
      if (isExecutable(file)) {
        return file;
      }
    }
  }
  return undefined;
}

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * True when the program starts and exits with 0.
 * @param {string} file
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function works(file, args, env = process.env) {
  return spawnSync(file, args, { env, stdio: 'ignore', timeout: 30_000 }).status === 0;
}
