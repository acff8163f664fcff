// npm test: everything, from a fresh clone with only Node and npm. The last line is "N passed, N failed".
import { requireNode } from './install.mjs';
import { wordProblem } from './problem.mjs';
import { STEPS } from './steps.mjs';

const MAX_OUTPUT = 12_000;

/** @returns {Promise<{ passed: number; failed: number }>} */
async function main() {
  requireNode();
  const sum = { passed: 0, failed: 0 };
  /** @type {Set<string>} */
  const good = new Set();
  for (const step of STEPS) {
    const missing = (step.needs ?? []).filter((name) => !good.has(name));
    if (missing.length > 0) {
      sum.failed += 1;
      console.log(`${step.name}: not run, because of ${missing.join(', ')}`);
      continue;
    }
    const { passed, failed } = await runStep(step);
    sum.passed += passed;
    sum.failed += failed;
    if (failed === 0) {
      good.add(step.name);
    }
  }
  return sum;
}

/** @param {import('./steps.mjs').Step} step */
async function runStep({ name, work }) {
  const startedMs = Date.now();
  /** @type {import('./steps.mjs').Outcome} */
  let outcome;
  try {
    outcome = await work((line) => console.log(`  ${line}`));
  } catch (error) {
    outcome = { passed: 0, failed: 1, output: wordProblem(error) };
  }
  const { passed, failed, output } = outcome;
  if (output !== undefined) {
    console.log(output.trim().slice(-MAX_OUTPUT));
  }
  const seconds = ((Date.now() - startedMs) / 1_000).toFixed(1);
  console.log(`${name}: ${passed} passed, ${failed} failed, ${seconds} s`);
  return { passed, failed };
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => process.exit(130)); // running commands are stopped on exit
}

const { passed, failed } = await main();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
