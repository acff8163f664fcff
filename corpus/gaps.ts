const EARLY_LEGS =
  'the prefill probes of early releases are only estimated, and take requests out whose clients give up';
const EARLY_FRONT = 'between two clients that give up nothing shows that decode is asked';

/** What the evaluator gets wrong today, by look, and how. Each is expected to fail: remove the line with the fix. */
export const GAPS: Readonly<Record<string, string>> = {
  'missing-decode-legs 1P1D early 5 s': EARLY_LEGS,
  'missing-decode-legs 1P1D early 15 s': EARLY_LEGS,
  'missing-decode-legs 4P8D early 5 s': EARLY_LEGS,
  'missing-decode-legs 4P8D early 15 s': EARLY_LEGS,
  'lost-decode-leg 4P8D early 5 s': EARLY_LEGS,
  'lost-decode-leg 4P8D early 15 s': EARLY_LEGS,
  'frontend-stuck-probes-pass 4P8D early 5 s': EARLY_FRONT,
  'frontend-stuck-probes-pass 4P8D early 15 s': EARLY_FRONT,
};
