import type { Severity, VerdictKind } from '../pipeline';
import { founding } from '../testing/evaluations';
import { veilAgeMs, worstFirst } from './judgement';

describe('veilAgeMs, three times the slower of scrapes and refreshes', () => {
  it.each([
    ['a dashboard that refreshes each minute', 15_000, [60_000, 60_000, 60_000, 60_000, 60_000], 180_000],
    ['a manual refresh in between', 15_000, [60_000, 60_000, 58_000, 2000, 60_000], 180_000],
    ['manual refreshes at the end', 15_000, [60_000, 60_000, 40_000, 2000, 2000], 180_000],
    ['refreshes faster than scrapes', 15_000, [5000, 5000, 5000, 5000, 5000], 45_000],
    ['the first request', 15_000, [], 360_000],
    ['two refreshes by hand, and nothing else yet', 15_000, [2000, 2000], 360_000],
    ['a slow pace that is not certain yet', 15_000, [300_000], 900_000],
    ['scrapes slower than all that', 600_000, [], 1_800_000],
  ])('%s', (_sentence, intervalMs, gapsMs, expected) => {
    expect(veilAgeMs(3, intervalMs, gapsMs)).toBe(expected);
  });
});

describe('worstFirst', () => {
  it.each<[string, ReadonlyArray<readonly [string, VerdictKind, Severity]>, string]>([
    ['faults by severity', [['a', 'decode-slow', 'warning'], ['b', 'engine-down', 'critical']], 'b a'], // prettier-ignore
    ['a fault before what is unknown', [['a', 'unknown', 'info'], ['b', 'decode-slow', 'warning']], 'b a'], // prettier-ignore
    ['unknown before a note', [['a', 'stale-gauge', 'info'], ['b', 'unknown', 'info']], 'b a'], // prettier-ignore
    ['unknown without severity before a note', [['a', 'stale-gauge', 'info'], ['b', 'unknown', 'none']], 'b a'], // prettier-ignore
    ['an unknown that is critical stays critical', [['a', 'decode-slow', 'warning'], ['b', 'unknown', 'critical']], 'b a'], // prettier-ignore
    ['a note before health', [['a', 'healthy', 'none'], ['b', 'stale-gauge', 'info']], 'b a'], // prettier-ignore
    ['equals by name', [['b', 'healthy', 'none'], ['a', 'idle', 'none']], 'a b'], // prettier-ignore
  ])('%s', (_sentence, given, order) => {
    const judged = given.map(([id, kind, severity]) => ({
      ...founding,
      id,
      verdict: { ...founding.verdict, kind, severity },
    }));
    const ids = worstFirst(judged).map((one) => one.id);
    expect(ids.join(' ')).toBe(order);
  });
});
