export { evaluate } from './evaluate';
export { prepare, type Fleet } from './fleet';
export { queryPlan, type PlannedQuery } from './plan';
export { EXPECTED_FAMILIES } from './profiles/sglang';
export { readRelease, wordRange } from './profiles/versions';
export { duration, STAGE_NAMES, UTC_WORDS } from './sentences';
export { STAGE_FLOWS } from './stages';
export { timeline } from './timeline';
export * from './model';
