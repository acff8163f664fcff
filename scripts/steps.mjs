// The steps of npm test, in order. Most are one test each; jest and Playwright report their own numbers.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findChromium } from './chromium.mjs';
import { installPackages } from './install.mjs';
import { CACHE, HOST, ROOT } from './paths.mjs';
import { findPrometheus } from './prometheus.mjs';
import { replayRules, testRules } from './ruleTests.mjs';
import { run } from './run.mjs';

const REPORTS = join(CACHE, 'reports');
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/**
 * @typedef {{ passed: number; failed: number; output?: string }} Outcome
 * @typedef {{ name: string; needs?: string[]; work: (say: (line: string) => void) => Promise<Outcome> }} Step
 * @type {Step[]}
 */
export const STEPS = [
  { name: 'install', work: (say) => asOne(installPackages(say)) },
  { name: 'types', needs: ['install'], work: () => command(NPM, ['run', '--silent', 'typecheck']) },
  { name: 'types of the host', needs: ['install'], work: () => tsc('host/tsconfig.json') },
  { name: 'types of the scripts', needs: ['install'], work: () => tsc('scripts/tsconfig.json') },
  { name: 'lint', needs: ['install'], work: () => command(NPM, ['run', '--silent', 'lint']) },
  { name: 'format', needs: ['install'], work: () => command(NPM, ['run', '--silent', 'format']) },
  { name: 'unit tests', needs: ['install'], work: () => runJest('unit') },
  { name: 'corpus', needs: ['install'], work: playCorpus },
  { name: 'programs', needs: ['install'], work: (say) => asOne(findPrograms(say)) },
  { name: 'rules', needs: ['programs'], work: testRules },
  { name: 'rules on the corpus', needs: ['programs'], work: quietIfGood(replayRules) },
  { name: 'build', needs: ['install'], work: () => command(NPM, ['run', '--silent', 'build']) },
  { name: 'bundle', needs: ['build'], work: () => command(process.execPath, ['scripts/bundle.mjs']) },
  { name: 'build of the host', needs: ['install'], work: () => command(process.execPath, [join(HOST, 'build.mjs')]) },
  { name: 'browser tests', needs: ['build', 'build of the host', 'programs'], work: runPlaywright },
];

/**
 * A step that fails by throwing.
 * @param {Promise<unknown>} work
 * @returns {Promise<Outcome>}
 */
async function asOne(work) {
  await work;
  return { passed: 1, failed: 0 };
}

/**
 * Work whose report is worth reading only where something failed.
 * @param {Step['work']} work
 * @returns {Step['work']}
 */
function quietIfGood(work) {
  return async (say) => {
    const outcome = await work(say);
    return { ...outcome, output: outcome.failed > 0 ? outcome.output : undefined };
  };
}

/** @param {(line: string) => void} say */
async function findPrograms(say) {
  await findPrometheus(say);
  await findChromium(say);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @returns {Promise<Outcome>}
 */
async function command(program, args) {
  const { code, stdout, stderr } = await run(program, args, { cwd: ROOT });
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, output: `${stdout}\n${stderr}` };
}

/** @param {string} project */
function tsc(project) {
  return command(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', project]);
}

/**
 * Every scenario in every look; the tables of how long each fault took to be named are shown.
 * @param {(line: string) => void} say
 */
async function playCorpus(say) {
  return runJest('corpus', ['--testMatch', '**/corpus/*.matrix.ts'], (stdout) => {
    const tables = stdout.split('\n').filter((line) => line.trim() !== '');
    tables.forEach(say);
  });
}

/**
 * @param {string} name
 * @param {string[]} more
 * @param {(stdout: string) => void} show
 * @returns {Promise<Outcome>}
 */
async function runJest(name, more = [], show = () => undefined) {
  const report = freshReport(`${name}.json`);
  const args = ['node_modules/jest/bin/jest.js', '--maxWorkers=2', '--json', `--outputFile=${report}`, ...more];
  const { code, stdout, stderr } = await run(process.execPath, args, { cwd: ROOT });
  show(stdout);
  const json = readReport(report);
  const passed = json?.numPassedTests ?? 0;
  const failed = (json?.numFailedTests ?? 0) + (json?.numRuntimeErrorTestSuites ?? 0);
  return settle({ passed, failed, code, output: stderr });
}

/** @returns {Promise<Outcome>} */
async function runPlaywright() {
  const report = freshReport('playwright.json');
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '--reporter=list,json'],
    { cwd: ROOT, env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: report } }
  );
  const stats = readReport(report)?.stats ?? {};
  const passed = (stats.expected ?? 0) + (stats.flaky ?? 0);
  return settle({ passed, failed: stats.unexpected ?? 0, code, output: `${stdout}\n${stderr}` });
}

/**
 * A runner that failed without a failed test, or ran none, counts as one failure: nothing passes by silence.
 * @param {{ passed: number; failed: number; code: number; output: string }} result
 * @returns {Outcome}
 */
function settle({ passed, failed, code, output }) {
  const isSilent = failed === 0 && (code !== 0 || passed === 0);
  const total = isSilent ? 1 : failed;
  return { passed, failed: total, output: total > 0 ? output : undefined };
}

/** @param {string} name */
function freshReport(name) {
  mkdirSync(REPORTS, { recursive: true });
  rmSync(join(REPORTS, name), { force: true });
  return join(REPORTS, name);
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
