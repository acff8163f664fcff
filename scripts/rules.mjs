// Tests the rules for Prometheus: npm run rules
import { wordProblem } from './problem.mjs';
import { testRules } from './ruleTests.mjs';

try {
  const { passed, failed, output, report } = await testRules((line) => console.log(line));
  console.log(output ?? report);
  console.log(`${passed} passed, ${failed} failed: files of rule tests and replayed scenarios`);
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  console.error(wordProblem(error));
  process.exitCode = 1;
}
