// A Chromium for the browser tests: the system's own, or a private copy of Debian's.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canUnpackDebianPackages, unpackDebianPackages } from './debian.mjs';
import { CACHE } from './paths.mjs';
import { Problem } from './problem.mjs';
import { findOnPath, run, works } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * @param {(line: string) => void} say
 * @returns {Promise<{ executablePath: string; env: Record<string, string> }>} env is what the browser needs on top
 */
export async function findChromium(say) {
  const named = process.env.CHROMIUM_PATH ?? findOnPath(NAMES);
  if (named !== undefined && works(named, ['--version'])) {
    return { executablePath: named, env: {} };
  }
  if (canUnpackDebianPackages()) {
    const browser = await privateChromium(say);
    if (works(browser.executablePath, ['--version'], { ...process.env, ...browser.env })) {
      return browser;
    }
  }
  if (process.env.CI === 'true' && process.getuid?.() === 0 && findOnPath(['apt-get']) !== undefined) {
    say('Installing chromium with apt-get (CI only)');
    await run('apt-get', ['update']);
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']);
    const installed = findOnPath(NAMES);
    if (installed !== undefined) {
      return { executablePath: installed, env: {} };
    }
  }
  throw new Problem(
    'No Chromium found for the browser tests. Install one (Debian: sudo apt-get install chromium) ' +
      'or name its file in CHROMIUM_PATH, then run it again.'
  );
}

/** @param {(line: string) => void} say */
async function privateChromium(say) {
  // Its data files are named too: where a system copy is broken, they count as installed and would be left out.
  const packages = ['chromium', 'chromium-common', 'fonts-dejavu-core', 'fonts-liberation'];
  const root = await unpackDebianPackages({ name: 'chromium', packages, withDependencies: true, say });
  return {
    executablePath: join(root, 'usr/lib/chromium/chromium'),
    env: { LD_LIBRARY_PATH: libraryFolders(root).join(':'), FONTCONFIG_FILE: writeFontConfig(root) },
  };
}

/**
 * Library folders of the unpacked tree, such as usr/lib/x86_64-linux-gnu and its subfolders one level down.
 * @param {string} root
 */
function libraryFolders(root) {
  const triplets = ['usr/lib', 'lib'].flatMap((lib) => foldersIn(join(root, lib)).filter((f) => /-linux-gnu/.test(f)));
  return [join(root, 'usr/lib/chromium'), ...triplets, ...triplets.flatMap(foldersIn)];
}

/** @param {string} folder */
function foldersIn(folder) {
  if (!existsSync(folder)) {
    return [];
  }
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

/**
 * Fontconfig reads its paths from a fixed place, so a private tree needs its own file.
 * @param {string} root
 */
function writeFontConfig(root) {
  const folder = join(CACHE, 'fontconfig');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${join(root, 'usr/share/fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'cache')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>DejaVu Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`
  );
  return file;
}
