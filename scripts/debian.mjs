// Private copies of Debian packages: downloaded and verified by apt, unpacked under .cache/, never installed.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './paths.mjs';
import { Problem } from './problem.mjs';
import { findOnPath, run } from './run.mjs';

const APT = join(CACHE, 'apt');
const NO_LOCK = ['-o', 'Debug::NoLocking=1'];
const PRIVATE_LISTS = ['-o', `Dir::State::Lists=${join(APT, 'lists')}`, '-o', `Dir::Cache=${join(APT, 'cache')}`];

export function canUnpackDebianPackages() {
  return ['apt-get', 'apt-cache', 'dpkg'].every((tool) => findOnPath([tool]) !== undefined);
}

/**
 * Unpacks packages, and those of their dependencies that this system lacks, into one private folder.
 * @param {{ name: string; packages: string[]; withDependencies: boolean; say: (line: string) => void }} wish
 * @returns {Promise<string>} the folder that stands in for `/`
 */
export async function unpackDebianPackages({ name, packages, withDependencies, say }) {
  const folder = join(CACHE, name);
  if (existsSync(folder)) {
    return folder;
  }
  if (!canUnpackDebianPackages()) {
    throw new Problem(`apt-get and dpkg are not on this system, so ${packages[0]} cannot be fetched privately.`);
  }
  const work = join(CACHE, `${name}.partial-${process.pid}`);
  rmSync(work, { recursive: true, force: true });
  mkdirSync(join(work, 'debs'), { recursive: true });
  let options = (await knowsAll(packages, NO_LOCK)) ? NO_LOCK : await fetchLists(say);
  let files = await download({ packages, withDependencies, options, into: join(work, 'debs'), say });
  if (files === undefined && options === NO_LOCK) {
    options = await fetchLists(say); // the system's lists are older than the archive: ask again with fresh ones
    files = await download({ packages, withDependencies, options, into: join(work, 'debs'), say });
  }
  if (files === undefined) {
    throw new Problem(`Debian's archive did not deliver ${packages.join(', ')}. Check the network and run it again.`);
  }
  for (const file of files) {
    const unpacked = await run('dpkg', ['-x', file, join(work, 'root')]);
    if (unpacked.code !== 0) {
      throw new Problem(`dpkg could not unpack ${file}: ${unpacked.stderr.trim()}`);
    }
  }
  if (!existsSync(folder)) {
    renameSync(join(work, 'root'), folder); // another run may have been faster
  }
  rmSync(work, { recursive: true, force: true });
  return folder;
}

/**
 * @param {string[]} packages
 * @param {string[]} options
 */
async function knowsAll(packages, options) {
  const { stdout } = await run('apt-cache', [...options, 'policy', ...packages], { env: plainEnv() });
  const candidates = stdout.match(/Candidate: (?!\(none\))/g) ?? [];
  return candidates.length === packages.length;
}

/** @param {(line: string) => void} say */
async function fetchLists(say) {
  say('Fetching the Debian package lists into .cache/apt');
  mkdirSync(join(APT, 'lists', 'partial'), { recursive: true });
  mkdirSync(join(APT, 'cache', 'archives', 'partial'), { recursive: true });
  const update = await run('apt-get', [...NO_LOCK, ...PRIVATE_LISTS, 'update'], { env: plainEnv() });
  if (update.code !== 0) {
    throw new Problem(`apt-get update failed: ${lastLine(update.stderr)}`);
  }
  return [...NO_LOCK, ...PRIVATE_LISTS];
}

/**
 * @param {{ packages: string[]; withDependencies: boolean; options: string[]; into: string; say: (line: string) => void }} order
 * @returns {Promise<string[] | undefined>} the package files, or undefined when the archive did not deliver
 */
async function download({ packages, withDependencies, options, into, say }) {
  const wanted = withDependencies ? await withMissingDependencies(packages, options) : packages;
  say(`Downloading ${wanted.length === 1 ? wanted[0] : `${wanted.length} packages for ${packages[0]}`}`);
  const result = await run('apt-get', [...options, 'download', ...wanted], { cwd: into, env: plainEnv() });
  const files = readdirSync(into).filter((file) => file.endsWith('.deb'));
  return result.code === 0 && files.length >= wanted.length ? files.map((file) => join(into, file)) : undefined;
}

/**
 * The packages that apt would install here, found by a simulation that changes nothing.
 * @param {string[]} packages
 * @param {string[]} options
 */
async function withMissingDependencies(packages, options) {
  const args = [...options, '-s', 'install', '--no-install-recommends', ...packages];
  const { code, stdout, stderr } = await run('apt-get', args, { env: plainEnv() });
  if (code !== 0) {
    throw new Problem(`apt-get cannot resolve ${packages.join(', ')}: ${lastLine(stderr)}`);
  }
  const missing = [...stdout.matchAll(/^Inst (\S+)/gm)].map((match) => match[1] ?? '');
  return [...new Set([...packages, ...missing])];
}

function plainEnv() {
  return { ...process.env, LC_ALL: 'C' };
}

/** @param {string} text */
function lastLine(text) {
  return text.trim().split('\n').at(-1) ?? '';
}
