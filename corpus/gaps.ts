const EARLY_RANK =
  'before 0.5.7 a rank counts no tokens, so that a health probe that comes to it looks like a request it has served';
const EARLY_LEGS =
  'eight health probes in the last scrape may as well be legs, so that for a moment too few are missed for certain';

/** What the evaluator gets wrong today, by look, and how. Each is expected to fail: remove the line with the fix. */
export const GAPS: Readonly<Record<string, string>> = {
  'dp-rank-stalled 4P8D early 5 s': EARLY_RANK,
  'dp-rank-stalled 4P8D early 15 s': EARLY_RANK,
  'lost-decode-leg 4P8D early 5 s': EARLY_LEGS,
  'lost-decode-leg 4P8D early 15 s': EARLY_LEGS,
};
