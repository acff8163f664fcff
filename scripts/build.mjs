import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, HOST, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { run } from './run.mjs';
import { doOnce, hashInputs } from './stamps.mjs';

const PLUGIN_INPUTS = [
  'src',
  '.config',
  'webpack.config.ts',
  'package-lock.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];
const HOST_INPUTS = ['host/src', 'host/build.mjs', 'host/bundler.mjs', 'host/package-lock.json'];

/** @typedef {{ say: (line: string) => void }} Talk */

/** Builds dist/ with the scaffold's webpack when a source changed. @param {Talk} talk */
export async function buildPlugin({ say }) {
  await buildOnce({
    name: 'plugin',
    inputs: PLUGIN_INPUTS,
    output: join(ROOT, 'dist/module.js'),
    work: async () => {
      say('Building the plugin');
      const webpack = join(ROOT, 'node_modules/webpack/bin/webpack.js');
      await runBuild('The plugin', [webpack, '-c', './webpack.config.ts', '--env', 'production']);
    },
  });
}

/** Bundles the embedded host's page when a source changed. @param {Talk} talk */
export async function buildHost({ say }) {
  await buildOnce({
    name: 'host',
    inputs: HOST_INPUTS,
    output: join(HOST, 'dist/main.js'),
    work: async () => {
      say('Building the embedded host');
      await runBuild('The embedded host', [join(HOST, 'build.mjs')]);
    },
  });
}

/** @param {{ name: string; inputs: string[]; output: string; work: () => Promise<void> }} job */
async function buildOnce({ name, inputs, output, work }) {
  const stampFile = join(CACHE, 'stamps', name);
  if (!existsSync(output)) {
    rmSync(stampFile, { force: true });
  }
  await doOnce({ stampFile, hash: hashInputs(inputs.map((path) => join(ROOT, path))), work });
}

/**
 * @param {string} what
 * @param {string[]} args
 */
async function runBuild(what, args) {
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: ROOT });
  if (code !== 0) {
    throw new Problem(`${what} does not build:\n${`${stdout}\n${stderr}`.trim().slice(-3000)}`);
  }
}
