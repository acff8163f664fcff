import {
  bothSides,
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  sampled,
  timeOf,
  until,
  upSeries,
  type Counters,
  type EngineTrace,
  type PerScrape,
} from '../testing/traces';
import { evaluate, prepare, timeline, type PipelineEvaluation, type RawSeries, type Verdict } from '.';

/**
 * Odd inputs and look-alikes, built by hand: 30 requests per scrape of 15 s, the trouble starts after scrape 20.
 * Rows marked as failing are known defects; what they expect is what diagnosis asks for.
 */
const P = '10.0.0.1:30000';
const D = '10.0.0.2:30002';
const TIME = clock(20);
const N = 30;
const stops = until(20, N);

function pair(prefill: Counters, decode: Counters, more: Partial<EngineTrace> = {}): RawSeries[] {
  return bothSides(
    TIME,
    { id: P, counters: { ...prefillFlow(N), ...prefill }, isStamped: true },
    { id: D, counters: { ...decodeFlow(N), ...decode }, isStamped: true, ...more }
  );
}

const judgeAt = (series: readonly RawSeries[], atMs = endOf(TIME)): PipelineEvaluation | undefined =>
  evaluate(prepare(series), atMs)[0];
const verdictOf = (series: readonly RawSeries[]): Verdict | undefined => judgeAt(series)?.verdict;
const severities = (series: readonly RawSeries[]): Set<string | undefined> => {
  const fleet = prepare(series);
  return new Set(Array.from({ length: TIME.scrapes }, (_, i) => evaluate(fleet, timeOf(TIME, i))[0]?.verdict.severity));
};
const everyStep = (series: readonly RawSeries[], stepMs: number): RawSeries[] =>
  series.map((s) => {
    const times = Array.from(
      { length: Math.floor((endOf(TIME) - TIME.startMs) / stepMs) + 1 },
      (_, i) => TIME.startMs + i * stepMs
    );
    const at = (t: number): number => s.values[s.timesMs.filter((own) => own <= t).length - 1] ?? 0;
    return { labels: s.labels, timesMs: times, values: times.map(at) };
  });

const receives: Counters = {
  transferred: stops,
  started: stops,
  scheduled: stops,
  decodeTokens: until(20, 6000),
  finished: stops,
};
const delivers: Counters = { handedOver: stops, kvTransfers: stops, finished: stops };

describe('nothing to judge', () => {
  it('no series is a problem with a next step, not an exception', () => {
    expect(prepare([]).problems).toMatchObject([{ kind: 'no-series' }]);
    expect(evaluate(prepare([]), 0)).toEqual([]);
  });

  it('series without a sample are not evaluated', () => {
    expect(evaluate(prepare(pair({}, {}).map((s) => ({ ...s, timesMs: [], values: [] }))), endOf(TIME))).toEqual([]);
  });

  it.each(['prefill', 'decode'] as const)('only %s engines are unknown, never healthy', (role) => {
    const counters = role === 'prefill' ? prefillFlow(N) : decodeFlow(N);
    expect(verdictOf(engine(TIME, { id: P, role, counters }))?.kind).toBe('unknown');
  });

  it('a unified engine is unknown and named as a problem', () => {
    const series = engine(TIME, {
      id: P,
      role: 'prefill',
      counters: { finished: N },
      labels: { engine_type: 'unified' },
    });
    expect(prepare(series).problems).toMatchObject([{ kind: 'unknown-role' }]);
    expect(verdictOf(series)?.kind).toBe('unknown');
  });
});

describe('healthy', () => {
  it('steady traffic is healthy and says how much', () => {
    expect(verdictOf(pair({}, {}))).toMatchObject({ kind: 'healthy', headline: 'Flowing: 2.0 requests/s delivered' });
  });

  it('a decode restart is an event, not an alarm', () => {
    const series = pair({}, {}, { restarts: [40] });
    expect(severities(series)).toEqual(new Set(['info', 'none']));
    const events = timeline(prepare(series), 'm', { fromMs: TIME.startMs, toMs: endOf(TIME) }).events;
    expect(events).toMatchObject([{ kind: 'restart', engine: D, atMs: timeOf(TIME, 40) }]);
  });

  it('a client abort in the prefill waiting queue and then silence is idle', () => {
    const n: PerScrape = (i) => (i <= 20 ? N : 0);
    const plusOne: PerScrape = (i) => (i === 20 ? N + 1 : i < 20 ? N : 0);
    const aborted: PerScrape = (i) => (i === 21 ? 1 : 0);
    const series = pair(
      { ...prefillFlow(n), httpRequests: plusOne, bootstrapped: plusOne, aborted },
      {
        ...decodeFlow(n),
        httpRequests: plusOne,
        received: plusOne,
        admitted: plusOne,
        aborted,
        transferFailed: aborted,
      }
    );
    expect(verdictOf(series)?.kind).toBe('idle');
    expect(severities(series)).toEqual(new Set(['info', 'none']));
  });

  // Left only when the depth falls below the deepest ever seen, although everything that arrives is handed on again.
  it('a backlog that stays after a stall of 90 s, with departures equal to arrivals, is no stall', () => {
    const pause: PerScrape = (i) => (i > 20 && i <= 26 ? 0 : N);
    const series = pair(
      { handedOver: pause, kvTransfers: pause, finished: pause },
      {
        transferred: pause,
        started: pause,
        scheduled: pause,
        finished: pause,
        decodeTokens: (i) => (i > 20 && i <= 26 ? 0 : 6000),
      }
    );
    // What waits takes over a minute to pass, which may be called slow; nothing is stalled.
    expect(verdictOf(series)?.severity).not.toBe('critical');
  });

  // The floor is the least depth of the whole range, so a leak in the middle of it is taken for a parked request.
  it('one leaked transfer slot, then no traffic, is no stall', () => {
    const n = until(40, N);
    const leaks: PerScrape = (i) => (i === 20 ? N + 1 : i <= 40 ? N : 0);
    const series = pair(prefillFlow(n), { ...decodeFlow(n), received: leaks, admitted: leaks });
    expect(verdictOf(series)?.severity).not.toBe('critical');
  });

  describe('one request that no traffic follows stays in transfer', () => {
    const n = until(20, N);
    const left = (active: PerScrape, stuck = (i: number): number => (i === 21 ? 1 : 0)): Verdict | undefined => {
      const all = (i: number): number => (i <= 20 ? N : stuck(i));
      const { finished, handedOver, kvTransfers } = prefillFlow(n);
      const series = pair(
        { ...prefillFlow(all), finished, handedOver, kvTransfers, aborted: stuck, transferFailed: stuck },
        { ...decodeFlow(n), httpRequests: all, received: all, admitted: all, aborted: stuck },
        { gauges: { active, running: (i) => (i <= 20 ? 1 : 0) } }
      );
      return evaluate(prepare(series, { sglangVersion: '0.5.12' }), endOf(TIME))[0]?.verdict;
    };
    it('its client is gone: leaked bookkeeping', () => {
      expect(left(0)).toMatchObject({ kind: 'leaked-bookkeeping', severity: 'info', stage: 'decode.transfer' });
    });
    it.each([
      ['its client waits', left((i) => (i >= 21 ? 1 : 0))],
      ['its client has waited', left((i) => (i >= 21 && i <= 23 ? 1 : 0))],
      ['another one has come', left(0, (i) => (i === 21 || i === 30 ? 1 : 0))],
    ])('%s: a stall', (_why, verdict) => {
      expect(verdict).toMatchObject({ kind: 'transfer-stalled', severity: 'critical' });
    });
  });

  it('a step of 5 minutes does not make every queued request a stall', () => {
    const time = clock(120, 300);
    const series = bothSides(
      time,
      { id: P, counters: prefillFlow(600) },
      { id: D, counters: { ...decodeFlow(600), admitted: (i) => 600 + (i % 2 ? 3 : -3) } }
    );
    expect(judgeAt(series, endOf(time))?.verdict.kind).toBe('healthy');
  });

  it('a step of 15 s over scrapes of 60 s does not make a busy queue a stall', () => {
    const time = clock(20, 60);
    const series = bothSides(
      time,
      { id: P, counters: prefillFlow(120) },
      {
        id: D,
        counters: {
          ...decodeFlow(120),
          admitted: (i) => 120 + (i % 2 ? 3 : -3),
          received: (i) => 120 + (i % 2 ? 3 : -3),
        },
      }
    );
    expect(severities(everyStep(series, 15_000))).toEqual(new Set(['info', 'none']));
  });

  // Without `up`, the pod that was replaced counts as lost for the rest of the range, and the sentence blames its scrape.
  it('a pod that was replaced by one with another name leaves the pipeline healthy', () => {
    const series = [
      ...engine(TIME, { id: P, role: 'prefill', counters: prefillFlow(N) }),
      ...engine(TIME, { id: 'd-old', role: 'decode', counters: decodeFlow(N), isScraped: (i) => i < 40 }),
      ...engine(TIME, { id: 'd-new', role: 'decode', base: 0, counters: decodeFlow(N), isScraped: (i) => i >= 44 }),
    ];
    expect(verdictOf(series)?.kind).toBe('healthy');
  });
});

describe('stalled', () => {
  it('prefill hands over and decode concludes nothing', () => {
    expect(verdictOf(pair(delivers, receives))).toMatchObject({
      kind: 'transfer-stalled',
      stage: 'decode.transfer',
      engine: D,
      sinceMs: timeOf(TIME, 20),
    });
  });

  // Decode is scraped 7 s before prefill: it saw two of the five in the scrape after the one in which prefill showed all.
  it('the last five that came are handed over and not concluded, and nobody comes after them', () => {
    const last =
      (more: Readonly<Record<number, number>>): PerScrape =>
      (i) =>
        i <= 20 ? N : (more[i] ?? 0);
    const entered = last({ 21: 3, 22: 2 });
    const earlier = { ...TIME, startMs: TIME.startMs - 7000 };
    const counters = { ...decodeFlow(stops), httpRequests: entered, received: entered, admitted: entered };
    const series = [
      ...engine(TIME, { id: P, role: 'prefill', counters: prefillFlow(last({ 21: 5 })), isStamped: true }),
      ...engine(earlier, { id: D, role: 'decode', counters, isStamped: true }),
    ];
    expect(verdictOf(series)).toMatchObject({ kind: 'transfer-stalled', engine: D });
  });

  it('the same with label values of quotes, markup and ten thousand letters', () => {
    const id = `"><img src=x onerror=alert(1)>🔥${'x'.repeat(10_000)}`;
    expect(verdictOf(pair(delivers, receives, { id }))).toMatchObject({ kind: 'transfer-stalled', engine: id });
  });

  it('the same where every engine says "unified" and a label tells the role', () => {
    const unified = pair(delivers, receives).map((s) => ({ ...s, labels: { ...s.labels, engine_type: 'unified' } }));
    const roleMapping = { label: 'instance', prefill: '10\\.0\\.0\\.1:.*', decode: '10\\.0\\.0\\.2:.*' };
    const [judged] = evaluate(prepare(unified, { roleMapping }), endOf(TIME));
    expect(judged?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: D });
  });

  it('HTTP takes requests, the decode scheduler counts nothing', () => {
    const silent = { ...decodeFlow(stops), httpRequests: N };
    expect(verdictOf(pair({ ...prefillFlow(stops), httpRequests: N }, silent))).toMatchObject({
      kind: 'decode-wedged',
      engine: D,
      sinceMs: timeOf(TIME, 20),
    });
  });

  it('decode receives and admits none: the handshake', () => {
    const series = pair(
      { ...prefillFlow(stops), httpRequests: N },
      { ...decodeFlow(stops), httpRequests: N, received: N }
    );
    expect(verdictOf(series)).toMatchObject({ kind: 'handshake-stalled', stage: 'decode.prealloc', engine: D });
  });

  it('both engines are silent and nobody asks: idle', () => {
    expect(verdictOf(pair(prefillFlow(stops), decodeFlow(stops)))?.kind).toBe('idle');
  });

  // The transfer stage of decode holds whatever prefill has not computed yet.
  it('prefill bootstraps and computes nothing: the culprit is prefill, not the transfer', () => {
    const series = pair(
      { ...prefillFlow(stops), httpRequests: N, bootstrapped: N },
      { ...decodeFlow(stops), httpRequests: N, received: N, admitted: N }
    );
    expect(verdictOf(series)).toMatchObject({ kind: 'prefill-stalled', engine: P });
  });

  it('the prefill scheduler is blocked: decode is not told to be restarted', () => {
    const series = pair(
      { ...prefillFlow(stops), httpRequests: N },
      { ...decodeFlow(stops), httpRequests: N, received: N, admitted: N }
    );
    expect(verdictOf(series)?.engine).toBe(P);
  });

  // Where aborts leave prefill's queue uncounted, more may be inside than is.
  it('prefill may hold what clients aborted, and is given nothing more: the handshake', () => {
    const five: PerScrape = (i) => (i === 20 ? N + 5 : i < 20 ? N : 0);
    const series = pair(
      { ...prefillFlow(stops), httpRequests: N, bootstrapped: five, aborted: (i) => (i === 20 ? 5 : 0) },
      { ...decodeFlow(stops), httpRequests: N, received: N, admitted: five }
    );
    expect(verdictOf(series)).toMatchObject({ kind: 'handshake-stalled' });
  });

  it('decode has no KV room: admission, not handshake', () => {
    const series = pair(
      { ...prefillFlow(stops), httpRequests: N },
      { ...decodeFlow(stops), httpRequests: N, received: N, decodeTokens: 6000 },
      { gauges: { usage: (i) => (i <= 20 ? 0.5 : 0.99 - (i % 2) / 1000), running: 64 } }
    );
    expect(verdictOf(series)?.kind).toBe('decode-admission-blocked');
  });

  it('the same where one is let in now and then: it is still decode that keeps them out', () => {
    const few: PerScrape = (i) => (i <= 20 ? N : i === 50 ? 1 : 0);
    const probed: PerScrape = (i) => (i <= 20 ? N : i % 2);
    const passes: Counters = { bootstrapped: probed, scheduled: probed, forwarded: probed, handedOver: probed };
    const series = pair(
      { ...prefillFlow(stops), ...passes, httpRequests: N },
      { ...decodeFlow(stops), httpRequests: N, received: N, admitted: few, decodeTokens: 6000 },
      { gauges: { usage: (i) => (i <= 20 ? 0.5 : 0.99 - (i % 2) / 1000), running: 64 } }
    );
    const [judged] = evaluate(prepare(series), timeOf(TIME, 51));
    expect(judged?.verdict).toMatchObject({ kind: 'decode-admission-blocked', stage: 'decode.prealloc', engine: D });
  });

  it('clients give up who had waited for admission for minutes, and some are not taken out: few are admitted', () => {
    const few: PerScrape = (i) => (i <= 20 ? N : 5);
    const waiting = (i: number): number => Math.max(0, i - 20) * (N - 5);
    const burst =
      (n: number): PerScrape =>
      (i) =>
        i === 40 ? n : 0;
    const series = pair(
      { ...prefillFlow(few), httpRequests: N },
      {
        ...decodeFlow(few),
        httpRequests: N,
        received: N,
        aborted: burst(60),
        bootstrapFailed: burst(40),
        decodeTokens: 6000,
      },
      {
        gauges: {
          active: (i) => waiting(i) + 10 - (i >= 40 ? 60 : 0),
          running: 10,
          usage: (i) => (i <= 20 ? 0.5 : 0.99 - (i % 2) / 1000),
        },
      }
    );
    const [judged] = evaluate(prepare(series, { sglangVersion: '0.5.12' }), timeOf(TIME, 50));
    expect(judged?.verdict).toMatchObject({
      kind: 'decode-admission-blocked',
      headline: expect.stringContaining('few'),
    });
  });

  it('computed requests wait for a loop that has long been saturated: prefill, not the link', () => {
    const three: PerScrape = (i) => (i <= 20 ? N : 3);
    const pauses: PerScrape = (i) => (i <= 20 ? N : [30, 32, 34, 36].includes(i) ? 0 : 3);
    const series = pair(
      { scheduled: three, forwarded: three, handedOver: pauses, kvTransfers: pauses, finished: pauses },
      { transferred: pauses, started: pauses, scheduled: pauses, finished: pauses }
    );
    const [judged] = evaluate(prepare(series), timeOf(TIME, 50));
    expect(judged?.verdict).toMatchObject({ kind: 'prefill-saturated', engine: P });
  });

  it.failing('decode steps go on for 15 minutes and no request ever finishes: not healthy', () => {
    expect(verdictOf(pair({}, { finished: stops }))?.kind).not.toBe('healthy');
  });

  it('the router takes requests and no engine gets one: a router fault', () => {
    const router = { job: 'router', instance: 'router:29000' };
    const series = [
      ...pair(prefillFlow(stops), decodeFlow(stops)),
      sampled(TIME, { ...router, __name__: 'smg_http_requests_total', path: '/v1/chat/completions' }, (i) => i * N),
      sampled(
        TIME,
        { ...router, __name__: 'smg_http_responses_total', status_code: '200' },
        (i) => Math.min(i, 20) * N
      ),
    ];
    expect(verdictOf(series)?.kind).toBe('router-fault');
  });

  it('one of four data-parallel ranks concludes nothing while three flow', () => {
    const rank = (r: number): RawSeries[] =>
      engine(TIME, {
        id: D,
        role: 'decode',
        counters: { ...decodeFlow(10), ...(r === 2 ? { transferred: until(20, 10), started: until(20, 10) } : {}) },
        labels: { dp_rank: String(r), tp_rank: String(r) },
      }).filter((s) => r === 0 || s.labels['endpoint'] === undefined);
    const series = [
      ...engine(TIME, { id: P, role: 'prefill', counters: prefillFlow(40) }),
      ...[0, 1, 2, 3].flatMap(rank),
    ];
    expect(verdictOf(series)?.severity).toBe('critical');
  });

  // Two departures end a stall only when the depth falls; the sentence goes on to deny the departures.
  it('a transfer that concludes one request each 45 s is slow, and no sentence denies it', () => {
    const slow: PerScrape = (i) => (i <= 20 ? N : i % 3 === 0 ? 1 : 0);
    const series = pair(
      { handedOver: slow, kvTransfers: slow, finished: slow },
      {
        transferred: slow,
        started: slow,
        scheduled: slow,
        finished: slow,
        decodeTokens: (i) => (i <= 20 ? 6000 : i % 3 === 0 ? 200 : 0),
      }
    );
    expect(verdictOf(series)?.detail).not.toContain('has concluded no transfer');
  });
});

describe('an engine that is gone', () => {
  const isScraped = (i: number): boolean => i <= 20;

  it('the only decode engine, and its target is down: engine-down', () => {
    const n = until(20, N);
    const series = [
      ...pair(prefillFlow(n), {}, { isScraped }),
      upSeries(TIME, P, 1),
      upSeries(TIME, D, (i) => (i <= 20 ? 1 : 0)),
    ];
    expect(verdictOf(series)).toMatchObject({ kind: 'engine-down', engine: D, sinceMs: timeOf(TIME, 20) });
  });

  it('the only decode engine is not scraped while its transfers conclude: unknown', () => {
    const series = [...pair({}, {}, { isScraped }), upSeries(TIME, D, (i) => (i <= 20 ? 1 : 0))];
    expect(verdictOf(series)).toMatchObject({ kind: 'unknown', engine: D });
  });

  it('the only prefill engine answers again and has counted nothing yet: what stood before is over', () => {
    const five: PerScrape = (i) => (i <= 20 ? N : i === 21 ? 5 : 0);
    const gaveUp: PerScrape = (i) => (i === 30 ? 5 : 0);
    const series = [
      ...engine(TIME, { id: P, role: 'prefill', counters: prefillFlow(N), isScraped, isStamped: true }),
      ...engine(TIME, {
        id: D,
        role: 'decode',
        counters: { ...decodeFlow(stops), received: five, admitted: five, aborted: gaveUp, transferFailed: gaveUp },
        isStamped: true,
        up: 1,
      }),
      upSeries(TIME, P, (i) => (i <= 20 || i > 50 ? 1 : 0)),
    ];
    const [judged] = evaluate(prepare(series), timeOf(TIME, 55));
    expect(judged?.verdict).toMatchObject({
      kind: 'unknown',
      engine: P,
      detail: expect.stringContaining('has counted nothing yet'),
    });
  });

  // SGLang before 0.5.3 counts no stages: prefill calls a request finished when its KV is transferred.
  const unscraped = (more: Counters): RawSeries[] =>
    bothSides(
      TIME,
      { id: P, counters: { finished: N, ...more }, up: 1 },
      { id: D, counters: { finished: N, firstTokens: N }, isScraped, up: until(20, 1) }
    );
  it('the same before 0.5.3: finished requests of prefill prove that decode works', () => {
    expect(verdictOf(unscraped({}))).toMatchObject({ kind: 'unknown', engine: D, alternatives: [] });
  });

  it('before 0.5.3, requests that fail on prefill are counted as finished and prove nothing', () => {
    const failing = (i: number): number => (i <= 20 ? 0 : N);
    expect(verdictOf(unscraped({ aborted: failing }))).toMatchObject({ kind: 'engine-down', engine: D });
  });

  it('one of eight decode engines is down: nobody is told that only its scrape fails', () => {
    const decodes = Array.from({ length: 8 }, (_, k) =>
      engine(TIME, {
        id: `d${k}`,
        role: 'decode',
        counters: decodeFlow(N),
        up: (i) => (k === 3 && i > 20 ? 0 : 1),
        isScraped: (i) => k !== 3 || i <= 20,
      })
    );
    const prefill = engine(TIME, {
      id: P,
      role: 'prefill',
      counters: prefillFlow((i) => (i <= 20 ? 240 : 210)),
      up: 1,
    });
    expect(verdictOf([...prefill, ...decodes.flat()])?.detail).not.toContain('repair the scrape, not the engine');
  });
});
