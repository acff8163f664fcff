import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { findPrometheus } from './prometheus.mjs';
import { run, TSX } from './run.mjs';

const RULES = join(ROOT, 'rules');
const REPLAY = join(ROOT, 'corpus/alertsReplay.ts');
const LAST_LINE = /(\d+) passed, (\d+) failed\s*$/;
/** Go collects its garbage less often, for a quarter of promtool's time. */
const SPARE_CPU = { GOGC: '400' };

/**
 * The unit tests of the recording and alerting rules.
 * @param {(line: string) => void} say
 * @returns {Promise<import('./steps.mjs').Outcome>}
 */
export async function testRules(say) {
  const { promtool } = await findPrometheus(say);
  const tests = existsSync(RULES) ? readdirSync(RULES).filter((name) => /[._]test\.ya?ml$/.test(name)) : [];
  const { code, stdout, stderr } = await run(promtool, ['test', 'rules', ...tests], {
    cwd: RULES,
    env: { ...process.env, ...SPARE_CPU },
  });
  return code === 0 ? { passed: tests.length, failed: 0 } : { passed: 0, failed: 1, output: `${stdout}\n${stderr}` };
}

/**
 * The scenarios of the corpus, replayed through the rules and held against the evaluator. Takes a minute or two.
 * @param {(line: string) => void} say
 * @returns {Promise<import('./steps.mjs').Outcome>}
 */
export async function replayRules(say) {
  const { promtool } = await findPrometheus(say);
  const { passed, failed, report } = await replayCorpus(promtool);
  return { passed, failed, output: report };
}

/**
 * A replay that ends without its numbers, or badly without a failed play, counts as one failure.
 * @param {string} promtool
 * @returns {Promise<{ passed: number; failed: number; report: string }>}
 */
async function replayCorpus(promtool) {
  const { code, stdout, stderr } = await run(process.execPath, [...TSX, REPLAY, promtool], { cwd: ROOT });
  const [, passed = 0, failed = 0] = (LAST_LINE.exec(stdout) ?? []).map(Number);
  const isSilent = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: isSilent ? 1 : failed, report: `${stdout}${stderr}` };
}
