import {
  bothSides,
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  timeOf,
  type Counters,
  type EngineTrace,
  type PerScrape,
} from '../testing/traces';
import { prepare } from './fleet';
import { likelyLegsOn, mostLegsOn } from './legs';
import { missedLegs, type MissedLegs } from './missedLegs';
import { momentOf } from './moment';
import type { RawSeries } from './model';

/** One prefill and two decode engines, 8 requests per scrape of 15 s, each decode engine has half of them. */
const TIME = clock(5);
const half = 4;
const untilTen: PerScrape = (i) => (i <= 10 ? half : 0);

const prefill = (passed: PerScrape, more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id: 'p:1', role: 'prefill', counters: { ...prefillFlow(passed), httpRequests: 8 }, ...more });
const decode = (id: string, n: PerScrape, more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id, role: 'decode', counters: decodeFlow(n), ...more });

function missed(
  series: readonly RawSeries[],
  side: 'prefill' | 'decode' = 'decode',
  patienceMs = 0,
  count = mostLegsOn
): MissedLegs | undefined {
  const fleet = prepare(series);
  const [pipeline] = fleet.pipelines;
  return pipeline && missedLegs(momentOf(fleet, pipeline, endOf(TIME)), side, { patienceMs, count });
}

describe('legs that a side misses', () => {
  it('none where every request reaches both sides', () => {
    expect(missed([...prefill(8), ...decode('d:1', half), ...decode('d:2', half)])).toBeUndefined();
  });

  const lost = [...prefill((i) => (i <= 10 ? 8 : 4)), ...decode('d:1', half), ...decode('d:2', untilTen)];
  it('those of the engine that gets none any more, since it got the last', () => {
    // 10 scrapes of 4 for each engine, of which one engine got none.
    expect(missed(lost)).toMatchObject({ missed: 40, asked: 80, sinceMs: timeOf(TIME, 10), standing: 40 });
  });

  it('as it was some time ago', () => {
    expect(missed(lost, 'decode', 30_000)).toMatchObject({ missed: 32, untilMs: timeOf(TIME, 18) });
  });

  it('none for the side that gets more', () => {
    expect(missed(lost, 'prefill')).toBeUndefined();
  });

  it('none where the other engine is not seen, as long as requests pass', () => {
    expect(missed([...prefill(8), ...decode('d:1', half)])).toBeUndefined();
  });

  it('those of prefill, whom decode has told where to send the KV: their requests wait for the transfer', () => {
    const halfOf = (i: number): number => (i <= 10 ? 8 : 4);
    const series = bothSides(
      TIME,
      { counters: prefillFlow(halfOf) },
      { counters: { ...decodeFlow(halfOf), httpRequests: 8, received: 8, admitted: 8 } }
    );
    expect(missed(series, 'prefill')).toMatchObject({ missed: 40, asked: 80, sinceMs: timeOf(TIME, 10) });
  });

  it('were missed lately where they fail waiting, although those that pass hide the last ones', () => {
    const failing = { counters: { bootstrapFailed: (i: number) => (i > 14 ? 4 : 0) } };
    const p = { ...prefillFlow((i) => (i <= 10 ? 8 : 4)), httpRequests: 8, ...failing.counters };
    // A scrape a moment before the others shows four fewer.
    const early = { ...TIME, startMs: TIME.startMs - 1000 };
    const series = [
      ...engine(early, { id: 'p:1', role: 'prefill', counters: p }),
      ...decode('d:1', half),
      ...decode('d:2', untilTen),
    ];
    expect(missed(series)?.lastMs).toBeGreaterThanOrEqual(timeOf(early, 20) - 1);
  });

  it('nothing is said where an engine of the side does not report', () => {
    const gone = decode('d:2', half, { isScraped: (i) => i <= 10 });
    expect(missed([...prefill((i) => (i <= 10 ? 8 : 4)), ...decode('d:1', half), ...gone])).toBeUndefined();
  });

  it('only since the side was restarted, for then some were not counted', () => {
    const restarted = decode('d:2', (i) => (i <= 5 ? half : 0), { restarts: [15], gauges: { running: 0 } });
    const passed: PerScrape = (i) => (i <= 5 ? 8 : 4);
    expect(missed([...prefill(passed), ...decode('d:1', half), ...restarted])?.sinceMs).toBe(timeOf(TIME, 15));
  });

  it('none is made up by scrapes at different instants of a burst', () => {
    const later = { ...TIME, startMs: TIME.startMs - 7_000 };
    const burst: PerScrape = (i) => (i < 15 ? 0 : 400);
    const series = [
      ...engine(TIME, { id: 'p:1', role: 'prefill', counters: { ...prefillFlow(0), httpRequests: burst } }),
      ...engine(later, { id: 'd:1', role: 'decode', counters: decodeFlow((i) => (i < 15 ? 0 : i === 15 ? 200 : 400)) }),
    ];
    expect(missed(series)).toBeUndefined();
  });

  it('what schedulers take counts where HTTP requests are not counted', () => {
    const { httpRequests: _, ...taken } = decodeFlow(half);
    const { httpRequests: __, ...notTaken } = decodeFlow(untilTen);
    const entered = (n: PerScrape): RawSeries[] =>
      engine(TIME, {
        id: 'p:1',
        role: 'prefill',
        counters: { ...prefillFlow((i) => (i <= 10 ? 8 : 4)), httpRequests: undefined, entered: n },
      });
    const alive = { ...notTaken, decodeTokens: 1 };
    const series = [...entered(8), ...decode('d:1', 0, { counters: taken }), ...decode('d:2', 0, { counters: alive })];
    // A tenth of them may be strays, so the first four tell nothing.
    expect(missed(series)).toMatchObject({ source: 'scheduler', missed: 36, sinceMs: timeOf(TIME, 11) });
  });

  it('those of prefill, where only schedulers count: decode lets its requests in and waits for the transfer', () => {
    const passed: PerScrape = (i) => (i <= 10 ? 8 : 4);
    const flow = { ...decodeFlow(passed), httpRequests: undefined, received: 8, admitted: 8, firstTokens: passed };
    const series = bothSides(
      TIME,
      { counters: { ...prefillFlow(passed), httpRequests: undefined, entered: passed } },
      { counters: flow }
    );
    // Four in each scrape from 11 to 18. A pass may take half a minute, so the eight of 19 and 20 may be legs of those.
    expect(missed(series, 'prefill')?.missed).toBe(32 - 8);
  });

  it('none of prefill where decode takes probes, which have no other leg', () => {
    const probed = { ...decodeFlow(8), httpRequests: undefined, firstTokens: 4, decodeTokens: 400 };
    const series = bothSides(
      TIME,
      { counters: { ...prefillFlow(4), httpRequests: undefined, entered: 4 } },
      { counters: probed }
    );
    expect(missed(series, 'prefill')).toBeUndefined();
  });

  it('a probe of the last scrape may be a leg, and is likely none where the engine had as many before', () => {
    // d:2 gets no leg after 10; probes alone come at 14 and in the last scrape.
    const probes = (i: number): number => (i === 14 || i === 20 ? 3 : 0);
    const flow = (n: PerScrape): Counters => ({ ...decodeFlow(n), httpRequests: undefined });
    const perScrape = (i: number): number => (i <= 10 ? half : 0);
    const probed = {
      ...flow((i) => perScrape(i) + probes(i)),
      firstTokens: untilTen,
      decodeTokens: (i: number) => perScrape(i) * 90,
    };
    const p = { ...prefillFlow((i) => (i <= 10 ? 8 : 4)), httpRequests: undefined, entered: 8 };
    const series = [
      ...engine(TIME, { id: 'p:1', role: 'prefill', counters: p }),
      ...decode('d:1', 0, { counters: { ...flow(half), firstTokens: half } }),
      ...decode('d:2', 0, { counters: probed }),
    ];
    // Four in each scrape from 11 on, but the strays.
    expect(missed(series)?.missed).toBe(33);
    expect(missed(series, 'decode', 0, likelyLegsOn)?.missed).toBe(36);
  });
});
