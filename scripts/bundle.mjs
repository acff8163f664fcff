// Checks the built dist/: node scripts/bundle.mjs
import { join } from 'node:path';
import { BUNDLE_RULES } from './bundleRules.mjs';
import { ROOT } from './paths.mjs';

const broken = BUNDLE_RULES.flatMap(({ name, check }) => check(join(ROOT, 'dist')).map((text) => `${name}: ${text}`));
broken.forEach((line) => console.error(`not so: ${line}`));
console.log(`${BUNDLE_RULES.length} rules, broken in ${broken.length} places`);
process.exit(broken.length === 0 ? 0 : 1);
