import { bothSides, clock, decodeFlow, prefillFlow, timeOf, until, type Counters } from '../testing/traces';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { RawSeries, Verdict } from './model';

/** What the first scrapes of a range, and of a request, can tell. */
const TIME = clock(15);

const pair = (prefill: Counters, decode: Counters): RawSeries[] =>
  bothSides(TIME, { counters: prefill, isStamped: true }, { counters: decode, isStamped: true });

function at(series: readonly RawSeries[], scrape: number, from = 0): Verdict | undefined {
  const isKept = (atMs: number): boolean => atMs >= timeOf(TIME, from) && atMs <= timeOf(TIME, scrape);
  const cut = series.map((s) => ({
    ...s,
    timesMs: s.timesMs.filter(isKept),
    values: s.values.filter((_, i) => isKept(s.timesMs[i] ?? 0)),
  }));
  return evaluate(prepare(cut), timeOf(TIME, scrape))[0]?.verdict;
}

const stops = until(20, 30);
/** One request more per scrape has got into the transfer than out of it, and none has failed. */
const held: Counters = { admitted: until(20, 31), transferFailed: undefined };

describe('a range that begins inside a fault', () => {
  const computes = { handedOver: stops, kvTransfers: stops, finished: stops };
  const deaf = pair(
    { ...prefillFlow(30), ...computes },
    { ...decodeFlow(stops), httpRequests: 30, received: 30, admitted: 30 }
  );
  const rows: ReadonlyArray<[string, number, Partial<Verdict>]> = [
    ['one scrape: nothing can be compared', 30, { kind: 'unknown', headline: 'Too little data yet' }],
    [
      'two scrapes: requests stand, which is no proof of health',
      31,
      { kind: 'unknown', headline: 'Too little data yet' },
    ],
    ['three scrapes: the stall, at least as old as the range', 32, { kind: 'transfer-stalled', alternatives: [] }],
  ];
  it.each(rows)('%s', (_why, scrape, expected) => {
    expect(at(deaf, scrape, 30)).toMatchObject(expected);
  });

  it('prefill computes nothing either: it may be to blame, or aborts from before', () => {
    const still = pair(
      { ...prefillFlow(stops), httpRequests: stops },
      { ...decodeFlow(stops), ...held, httpRequests: stops }
    );
    expect(at(still, 36, 30)).toMatchObject({
      kind: 'transfer-stalled',
      alternatives: ['decode-wedged', 'prefill-stalled', 'aborts-not-absorbed'],
    });
  });

  it('decode is asked and has counted nothing since the range began: it stands', () => {
    const wedged = pair(
      { ...prefillFlow(stops), httpRequests: 30 },
      { ...decodeFlow(stops), ...held, httpRequests: 30 }
    );
    expect(at(wedged, 34, 30)).toMatchObject({ kind: 'decode-wedged', sinceMs: timeOf(TIME, 30) });
    expect(at(wedged, 34, 30)?.headline).toMatch(/for at least 1 m/);
  });

  it('requests come at the second scrape and no stage has handed one on: too early', () => {
    const silent = pair({ ...prefillFlow(0), httpRequests: 3 }, { ...decodeFlow(0), httpRequests: 3 });
    expect(at(silent, 31, 30)).toMatchObject({ kind: 'unknown', headline: 'Too little data yet' });
  });
});

describe('the first request after a while', () => {
  const lost = (from: number): RawSeries[] => [
    ...pair(prefillFlow(until(5, 1)), decodeFlow(until(5, 1))),
    routerAskedFrom(from),
  ];
  it.each([
    ['nobody came', 60, 'idle'],
    ['has come just now: no stage can show it yet', 40, 'healthy'],
    ['came a scrape ago', 39, 'healthy'],
    ['came two scrapes ago, and others since: the router is to blame', 37, 'router-fault'],
  ])('%s', (_why, from, kind) => {
    expect(at(lost(from), 40)?.kind).toBe(kind);
  });
});

function routerAskedFrom(from: number): RawSeries {
  let total = 100;
  const scrapes = Array.from({ length: TIME.scrapes }, (_, i) => i);
  return {
    labels: { __name__: 'smg_http_requests_total', job: 'router', instance: 'r:9', path: '/v1/chat/completions' },
    timesMs: scrapes.map((i) => timeOf(TIME, i)),
    values: scrapes.map((i) => (total += i >= from ? 1 : 0)),
  };
}
