import type { PipelineEvaluation, Severity, VerdictKind } from '../src/pipeline';
import { exitCodeOf, worstFirst } from './exitCode';
import { evaluation, HEALTHY } from './testing/evaluations';

const judged = (...verdicts: ReadonlyArray<readonly [VerdictKind, Severity]>): PipelineEvaluation[] =>
  verdicts.map(([kind, severity], i) => evaluation({ ...HEALTHY, kind, severity }, { id: `p${i}` }));

describe('exitCodeOf', () => {
  it.each<[string, ReadonlyArray<readonly [VerdictKind, Severity]>, number]>([
    ['nothing seen', [], 3],
    ['healthy', [['healthy', 'none']], 0],
    ['idle', [['idle', 'none']], 0],
    ['a stale gauge needs nobody', [['stale-gauge', 'info']], 0],
    ['a stall', [['transfer-stalled', 'critical']], 2],
    ['a warning', [['decode-slow', 'warning']], 2],
    ['unknown', [['unknown', 'info']], 3],
    ['unknown is unknown, however loud', [['unknown', 'warning'], ['healthy', 'none']], 3], // prettier-ignore
    ['a quiet fault outweighs a loud unknown', [['unknown', 'warning'], ['decode-slow', 'warning']], 2], // prettier-ignore
    ['unknown outweighs healthy', [['healthy', 'none'], ['unknown', 'info']], 3], // prettier-ignore
    ['a fault outweighs unknown', [['unknown', 'info'], ['engine-down', 'critical']], 2], // prettier-ignore
    ['unknown outweighs a stale gauge', [['stale-gauge', 'info'], ['unknown', 'info']], 3], // prettier-ignore
  ])('%s', (_sentence, verdicts, code) => {
    expect(exitCodeOf(judged(...verdicts))).toBe(code);
  });
});

it('lists the worst first, equals by name', () => {
  const all = judged(
    ['healthy', 'none'],
    ['unknown', 'info'],
    ['stale-gauge', 'info'],
    ['decode-slow', 'warning'],
    ['engine-down', 'critical'],
    ['idle', 'none']
  );
  expect(worstFirst([...all].reverse()).map(({ id }) => id)).toEqual(['p4', 'p3', 'p1', 'p2', 'p0', 'p5']);
});
