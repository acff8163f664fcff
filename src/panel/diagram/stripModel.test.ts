import type { StateSpan } from '../../pipeline/model';
import { axisTicks, clusterMarks, stripSegments, verdictAsState, type StripEvent } from './stripModel';

const SCALE = { fromMs: 0, toMs: 1000, x: 100, width: 500 };

function span(fromMs: number, toMs: number, more: Partial<StateSpan> = {}): StateSpan {
  return { fromMs, toMs, state: 'flowing', part: 'none', ...more };
}

describe('segments of a row', () => {
  it('stand where their time is', () => {
    expect(stripSegments([span(200, 400)], SCALE)).toEqual([
      { x: 200, width: 100, fromMs: 200, toMs: 400, state: 'flowing', part: 'none' },
    ]);
  });

  it('end at the edges of the range', () => {
    expect(stripSegments([span(-500, 2000)], SCALE)).toMatchObject([{ x: 100, width: 500 }]);
    expect(stripSegments([span(-500, -1), span(1001, 2000)], SCALE)).toEqual([]);
  });

  it('leave a gap where nothing is known: a gap is not filled with the last state', () => {
    const segments = stripSegments([span(0, 100), span(900, 1000)], SCALE);
    expect(segments.map(({ x, width }) => [x, x + width])).toEqual([
      [100, 150],
      [550, 600],
    ]);
  });

  it('are bounded in number and keep the worst: one stalled moment among thousands stays visible', () => {
    const many = Array.from({ length: 5000 }, (_, i) =>
      span(
        i / 5,
        (i + 1) / 5,
        i === 2500 ? { state: 'stalled', part: 'culprit' } : { state: i % 2 ? 'idle' : 'flowing' }
      )
    );
    const segments = stripSegments(many, SCALE);
    expect(segments.length).toBeLessThanOrEqual(240);
    expect(segments.filter(({ part }) => part === 'culprit')).toHaveLength(1);
  });
});

describe('the verdict as a row', () => {
  it.each([
    ['transfer-stalled', 'critical', 'stalled', 'culprit'],
    ['transfer-slow', 'warning', 'slow', 'culprit'],
    ['healthy', 'none', 'flowing', 'none'],
    ['idle', 'none', 'idle', 'none'],
    ['unknown', 'info', 'unknown', 'none'],
    ['unknown', 'none', 'unknown', 'none'],
  ] as const)('%s (%s) is drawn as %s, %s', (kind, severity, state, part) => {
    expect(verdictAsState({ fromMs: 0, toMs: 1, kind, severity })).toMatchObject({ state, part });
  });
});

describe('marks', () => {
  const event = (atMs: number, kind: StripEvent['kind'] = 'annotation'): StripEvent => ({
    kind,
    atMs,
    text: `${kind} ${atMs}`,
  });

  it('far apart stay apart, close ones become one', () => {
    expect(clusterMarks([event(0), event(500)], SCALE, 16)).toHaveLength(2);
    expect(clusterMarks([event(500), event(510)], SCALE, 16)).toMatchObject([{ count: 2 }]);
  });

  it('the cause speaks for the group', () => {
    const [mark] = clusterMarks([event(500, 'stall-start'), event(505, 'abort-burst'), event(508)], SCALE, 16);
    expect(mark).toMatchObject({ kind: 'abort-burst', count: 3 });
  });

  it('six thousand are bounded by the width', () => {
    const events = Array.from({ length: 6000 }, (_, i) => event(i / 6));
    const marks = clusterMarks(events, SCALE, 16);
    expect(marks.length).toBeLessThanOrEqual(500 / 16 + 1);
    expect(marks.reduce((sum, { count }) => sum + count, 0)).toBe(6000);
    expect(Math.max(...marks.map(({ texts }) => texts.length))).toBeLessThanOrEqual(12);
  });

  it('outside of the range are left out', () => {
    expect(clusterMarks([event(-1), event(1001)], SCALE, 16)).toEqual([]);
  });
});

describe('ticks of the axis', () => {
  const MINUTE = 60_000;

  it.each([
    [30 * MINUTE, 5 * MINUTE],
    [6 * 60 * MINUTE, 60 * MINUTE],
    [24 * 60 * MINUTE, 6 * 60 * MINUTE],
    [10_000, 2000],
  ])('%d ms are divided every %d ms', (range, stepMs) => {
    expect(axisTicks({ fromMs: 0, toMs: range, x: 0, width: 600 }, 84).stepMs).toBe(stepMs);
  });

  it.each([0, 1, 1e15])('a range of %d ms gives a bounded number', (range) => {
    expect(axisTicks({ fromMs: 0, toMs: range, x: 0, width: 600 }, 84).atMs.length).toBeLessThanOrEqual(8);
  });
});
