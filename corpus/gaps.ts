const EARLY_LEGS =
  'the prefill probes of early releases are only estimated, and take requests out whose clients give up';

/** What the evaluator gets wrong today, by look, and how. Each is expected to fail: remove the line with the fix. */
export const GAPS: Readonly<Record<string, string>> = {
  'lost-decode-leg 4P8D early 5 s': EARLY_LEGS,
  'lost-decode-leg 4P8D early 15 s': EARLY_LEGS,
};
