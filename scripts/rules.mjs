// Tests the rules for Prometheus: npm run rules. With --replay every scenario is played through them as well.
import { wordProblem } from './problem.mjs';
import { replayRules, testRules } from './ruleTests.mjs';

try {
  const isReplay = process.argv.includes('--replay');
  const { passed, failed, output } = await (isReplay ? replayRules : testRules)((line) => console.log(line));
  if (output) {
    console.log(output);
  }
  console.log(`${passed} passed, ${failed} failed: ${isReplay ? 'replayed scenarios' : 'files of rule tests'}`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(wordProblem(error));
  process.exitCode = 1;
}
