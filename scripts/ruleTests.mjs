import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';
import { findPrometheus } from './prometheus.mjs';
import { run } from './run.mjs';

/**
 * Unit tests of the recording and alerting rules, by promtool.
 * @param {(line: string) => void} say
 * @returns {Promise<import('./steps.mjs').Outcome>}
 */
export async function testRules(say) {
  const folder = join(ROOT, 'rules');
  const tests = existsSync(folder) ? readdirSync(folder).filter((name) => /[._]test\.ya?ml$/.test(name)) : [];
  if (tests.length === 0) {
    return { passed: 0, failed: 0 };
  }
  const { promtool } = await findPrometheus(say);
  const { code, stdout, stderr } = await run(promtool, ['test', 'rules', ...tests], { cwd: folder });
  return code === 0 ? { passed: tests.length, failed: 0 } : { passed: 0, failed: 1, output: `${stdout}\n${stderr}` };
}
