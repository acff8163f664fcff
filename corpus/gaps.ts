/** What the evaluator gets wrong today, by look, and how. Each is expected to fail: remove the line with the fix. */
export const GAPS: Readonly<Record<string, string>> = {};
