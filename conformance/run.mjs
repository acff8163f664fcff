#!/usr/bin/env node
/**
 * Holds the recorded facts to the released packages.
 *
 *   npm run conformance                       compare every release; exit code 1 when something differs
 *   npm run conformance -- --write            record what the releases do
 *   npm run conformance -- sglang 0.5.23      only what these words name
 */
import { join } from 'node:path';
import { compareFacts, writeFacts } from './facts.mjs';
import { Python } from './python.mjs';
import { routerFacts } from './routers.mjs';
import { sglangFacts } from './sglang.mjs';
import { ROUTERS, SGLANG_VERSIONS } from './versions.mjs';

const ROOT = join(import.meta.dirname, '..');

function targets(python) {
  const engines = SGLANG_VERSIONS.map((version) => ({
    words: ['sglang', version],
    file: join('testdata', 'sglang', `${version}.json`),
    learn: () => sglangFacts(python, version),
  }));
  const routers = ROUTERS.map((router) => ({
    words: ['router', router.name, router.version],
    file: join('testdata', 'router', `${router.name}-${router.version}.json`),
    learn: async () => {
      await python.install(router.name, router.version);
      return routerFacts(python, router);
    },
  }));
  return [...engines, ...routers];
}

/** Returns whether the target holds, and says so. */
async function check({ file, learn }, isWriting) {
  const facts = await learn();
  if (isWriting) {
    await writeFacts(join(ROOT, file), facts);
    console.log(`wrote ${file}`);
    return true;
  }
  const difference = await compareFacts(join(ROOT, file), facts);
  console.log(difference.length === 0 ? `same  ${file}` : `DIFF  ${file}`);
  difference.forEach((line) => console.log(`  ${line}`));
  return difference.length === 0;
}

async function main(args) {
  const isWriting = args.includes('--write');
  const words = args.filter((arg) => !arg.startsWith('-'));
  const python = new Python(join(ROOT, '.cache', 'conformance'));
  const chosen = targets(python).filter((target) => words.every((word) => target.words.includes(word)));
  if (chosen.length === 0) {
    throw new Error(`Nothing is called ${words.join(' ')}. See conformance/versions.mjs for the releases.`);
  }
  await python.prepare();
  let differing = 0;
  for (const target of chosen) {
    differing += (await check(target, isWriting)) ? 0 : 1;
  }
  if (differing > 0) {
    console.log(
      `${differing} of ${chosen.length} differ. If the release is right, record it: npm run conformance -- --write`
    );
    process.exitCode = 1;
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
