import { type Scenario } from './scenario';
import { decodeRestartRecovers } from './scenarios/decodeRestartRecovers';
import { founding } from './scenarios/founding';
import { foundingBlockedLoop } from './scenarios/foundingBlockedLoop';
import { healthy } from './scenarios/healthy';
import { idle } from './scenarios/idle';
import { scrapeGap } from './scenarios/scrapeGap';

/** Every scenario that can be played. */
export const SCENARIOS: readonly Scenario[] = [
  healthy,
  idle,
  founding,
  foundingBlockedLoop,
  decodeRestartRecovers,
  scrapeGap,
];
