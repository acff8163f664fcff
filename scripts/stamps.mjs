// Work is skipped when the hash of its inputs is the one that was written down after it last succeeded.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ROOT } from './paths.mjs';

const SKIP = new Set(['node_modules', 'dist', '.cache']);

/**
 * @param {string[]} paths files and folders; missing ones count as such
 * @returns {string}
 */
export function hashInputs(paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap(filesBelow)) {
    hash.update(`${relative(ROOT, file)}\0`);
    hash.update(existsSync(file) ? readFileSync(file) : 'missing');
  }
  return hash.digest('hex');
}

/**
 * @param {string} stampFile
 * @param {string} hash
 */
function isDone(stampFile, hash) {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash;
}

/**
 * Runs the work unless its stamp says that it has been done for this hash.
 * @param {{ stampFile: string; hash: string; work: () => Promise<void> }} job
 */
export async function doOnce({ stampFile, hash, work }) {
  if (isDone(stampFile, hash)) {
    return;
  }
  rmSync(stampFile, { force: true });
  await work();
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, hash);
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesBelow(path) {
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    return [path];
  }
  const names = readdirSync(path).filter((name) => !SKIP.has(name));
  return names.sort().flatMap((name) => filesBelow(join(path, name)));
}
