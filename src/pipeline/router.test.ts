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
  type PerScrape,
} from '../testing/traces';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { PipelineEvaluation, RawSeries } from './model';

/** One engine of each side, 8 requests per scrape of 15 s; what happens, happens after scrape 20. */
const TIME = clock(10);
const ROUTER = { job: 'router', instance: 'router:29000' };
const share =
  (n: number): PerScrape =>
  (i) =>
    i <= 20 ? 8 : n;

const judge = (series: readonly RawSeries[]): PipelineEvaluation | undefined =>
  evaluate(prepare(series), endOf(TIME))[0];
const routed = (name: string, labels: Readonly<Record<string, string>>, at: (i: number) => number): RawSeries =>
  sampled(TIME, { ...ROUTER, ...labels, __name__: name }, at);

const prefill = (asked: PerScrape, passed: PerScrape): RawSeries[] =>
  engine(TIME, { id: 'p:1', role: 'prefill', counters: { ...prefillFlow(passed), httpRequests: asked } });
const decode = (n: PerScrape): RawSeries[] => engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow(n) });

describe('a router that loses legs', () => {
  it('a quarter of those for decode, and prefill waits for them', () => {
    const said = judge([...prefill(8, share(6)), ...decode(share(6))])?.verdict;
    // 20 scrapes of 2 lost legs each.
    expect(said).toMatchObject({ kind: 'router-fault', sinceMs: timeOf(TIME, 20), alternatives: [] });
    expect(said?.detail).toContain('Of 160 requests for prefill, decode did not get 40');
  });

  it('all of those for decode: no other alarm comes first, although prefill is scraped after decode', () => {
    const late = { ...TIME, startMs: TIME.startMs + 3000 };
    // The last two legs are seen by prefill's scrape 20 and by decode's scrape 21.
    const passed = (i: number): number => (i < 20 ? 8 : i === 20 ? 10 : 0);
    const waits = { ...prefillFlow(passed), httpRequests: (i: number) => passed(i) || 8 };
    const got = (i: number): number => (i <= 20 ? 8 : i === 21 ? 2 : 0);
    const series = [...engine(late, { id: 'p:1', role: 'prefill', counters: waits }), ...decode(got)];
    const fleet = prepare(series);
    const verdicts = Array.from({ length: TIME.scrapes }, (_, i) => evaluate(fleet, timeOf(late, i))[0]?.verdict);
    const alarms = verdicts.flatMap((v) => (v?.severity === 'critical' ? [v.kind] : []));
    // Three scrapes after the last that got through.
    expect([alarms.length, new Set(alarms)]).toEqual([TIME.scrapes - 23, new Set(['router-fault'])]);
  });

  it('is not blamed for a few where only schedulers count, for one may count late', () => {
    const early = { httpRequests: undefined, kvTransfers: undefined };
    const kindWith = (lost: number): string | undefined => {
      const passed: PerScrape = (i) => (i === 37 ? 8 - lost : 8);
      const p = { ...prefillFlow(passed), ...early, entered: 8 };
      const d = { ...decodeFlow(passed), ...early };
      return judge(bothSides(TIME, { counters: p }, { counters: d }))?.verdict.kind;
    };
    expect([5, 8].map(kindWith)).toEqual(['healthy', 'router-fault']);
  });

  it('is not blamed for those that an engine may have got that is not scraped', () => {
    const counters = decodeFlow(share(0));
    const rests = engine(TIME, { id: 'd:1', role: 'decode', counters });
    const works = (isScraped: boolean): RawSeries[] =>
      engine(TIME, { id: 'd:2', role: 'decode', counters, isScraped: (i) => isScraped || i <= 36 });
    // Requests come to the last scrapes only.
    const asks = prefill((i) => (i <= 20 || i > 36 ? 8 : 0), share(0));
    expect(judge([...asks, ...rests, ...works(true)])?.verdict.kind).toBe('router-fault');
    expect(judge([...asks, ...rests, ...works(false)])?.verdict.kind).not.toBe('router-fault');
  });

  it('is not blamed where both get the same and do not come together', () => {
    expect(
      judge([
        ...prefill(8, share(0)),
        ...engine(TIME, {
          id: 'd:1',
          role: 'decode',
          counters: { ...decodeFlow(share(0)), httpRequests: 8, received: 8 },
        }),
      ])?.verdict.kind
    ).toBe('handshake-stalled');
  });

  it('an open breaker, and prefill is selected less often, whatever engines count', () => {
    const selected = (role: string, n: PerScrape): RawSeries => {
      let sum = 0;
      return routed(
        'smg_worker_selection_total',
        { worker_type: role },
        (i) => (sum += typeof n === 'number' ? n : n(i))
      );
    };
    const gauges = (id: string, role: 'prefill' | 'decode'): RawSeries[] =>
      engine(TIME, { id, role, counters: {}, gauges: { running: 1 } });
    const series = [
      ...gauges('p:1', 'prefill'),
      ...gauges('d:1', 'decode'),
      selected('prefill', share(6)),
      selected('decode', 8),
      routed('smg_worker_cb_state', { worker: 'http://p:1' }, (i) => (i <= 20 ? 0 : 1)),
      // A worker that was removed does not make up for it.
      routed('smg_worker_cb_state', { worker: 'http://p:9' }, () => -1),
    ];
    expect(judge(series)?.verdict).toMatchObject({ kind: 'router-fault', sinceMs: timeOf(TIME, 20) });
  });

  const rested = [...prefill(share(0), share(0)), ...decode(share(0))];
  const aged = (n: (i: number) => number): RawSeries =>
    routed('smg_http_inflight_request_age_count', { gt: '30', le: '60' }, n);
  it('holds requests that no engine has', () => {
    const said = judge([...rested, aged((i) => (i <= 25 ? 0 : 3))]);
    expect(said?.verdict).toMatchObject({ kind: 'router-fault', sinceMs: timeOf(TIME, 24) });
    expect(said?.stages.find((s) => s.stage === 'router')?.state).toBe('stalled');
  });

  it('is not said where nothing counts what engines hold', () => {
    const blind = (id: string, role: 'prefill' | 'decode'): RawSeries[] =>
      engine(TIME, { id, role, counters: { finished: share(0) }, gauges: { running: 0 } });
    const series = [...blind('p:1', 'prefill'), ...blind('d:1', 'decode'), aged((i) => (i <= 25 ? 0 : 3))];
    expect(judge(series)?.verdict.kind).not.toBe('router-fault');
  });

  it('connections alone prove nothing: some routers never count them out', () => {
    const said = judge([...rested, routed('smg_http_connections_active', {}, () => 3)]);
    expect(said?.verdict.severity).toBe('none');
    expect(said?.stages.find((s) => s.stage === 'router')).toMatchObject({ state: 'flowing', depth: { value: 3 } });
  });

  it('counts the requests of another pipeline too: then nothing is said of this one', () => {
    const other = [
      ...engine(TIME, { id: 'p:2', role: 'prefill', counters: prefillFlow(8), labels: { model_name: 'other' } }),
      ...engine(TIME, { id: 'd:2', role: 'decode', counters: decodeFlow(8), labels: { model_name: 'other' } }),
    ];
    const asked = routed('smg_http_requests_total', { path: '/v1/chat/completions' }, (i) => i * 8);
    const kinds = evaluate(prepare([...rested, ...other, asked]), endOf(TIME)).map((e) => e.verdict.kind);
    expect(kinds).not.toContain('router-fault');
  });
});

describe('a router that counts what it selects, where engines count no HTTP requests', () => {
  const counted = (name: string, labels: Readonly<Record<string, string>>, n: PerScrape): RawSeries => {
    let sum = 0;
    return routed(name, labels, (i) => (sum += typeof n === 'number' ? n : n(i)));
  };
  const asks = (n: PerScrape): RawSeries => counted('sgl_router_pd_requests_total', { route: '/generate' }, n);
  const selects = (side: 'prefill' | 'decode', n: PerScrape): RawSeries =>
    counted(`sgl_router_pd_${side}_requests_total`, { worker: `http://${side}:1` }, n);
  const early = { httpRequests: undefined, kvTransfers: undefined };
  const served = (n: PerScrape): RawSeries[] =>
    bothSides(TIME, { counters: { ...prefillFlow(n), ...early } }, { counters: { ...decodeFlow(n), ...early } });
  const none = [selects('prefill', share(0)), selects('decode', share(0))];

  it('none for any request', () => {
    const said = judge([...served(share(0)), asks(8), ...none])?.verdict;
    expect(said).toMatchObject({ kind: 'router-fault', sinceMs: timeOf(TIME, 20), engine: 'router:29000' });
    expect(said?.detail).toContain('160 requests came to the router, no engine got one');
  });

  it('none of one side', () => {
    const said = judge([...served(share(0)), asks(8), selects('prefill', share(0)), selects('decode', 8)])?.verdict;
    expect(said).toMatchObject({ kind: 'router-fault', sinceMs: timeOf(TIME, 20) });
    expect(said?.detail).toContain('Of 160 requests for decode, prefill did not get its leg');
  });

  const after =
    (n: PerScrape): PerScrape =>
    (i) =>
      i <= 20 ? 0 : typeof n === 'number' ? n : n(i);
  const refused = (status_code: string): RawSeries =>
    counted('sgl_router_http_responses_total', { status_code }, after(8));
  const idle = served(share(0));
  const answers = engine(TIME, { id: 'd:1', role: 'decode', counters: { firstTokens: 8 } });
  it.each([
    ['clients give up on it, which is no answer of its own', [...idle, asks(8), ...none, refused('499')], true],
    ['it refuses them at once', [...idle, asks(8), ...none, refused('503')], false],
    [
      'it refuses them, and counts errors only',
      [...idle, asks(8), ...none, counted('sgl_router_pd_errors_total', { error_type: 'server_selection' }, after(8))],
      false,
    ],
    ['two requests only, which may be strays', [...idle, asks((i) => (i <= 20 ? 8 : i <= 22 ? 1 : 0)), ...none], false],
    ['they came in the last two scrapes', [...idle, asks((i) => (i <= 20 || i > 38 ? 8 : 0)), ...none], false],
    ['their clients get answers from decode', [...served(8), ...answers, asks(8), ...none], false],
    ['it has never counted a selection', [...idle, asks(8)], false],
  ])('%s', (_, series, isFault) => {
    expect(judge(series)?.verdict.kind === 'router-fault').toBe(isFault);
  });
});

describe('a router that has lost legs and loses none any more', () => {
  // For five scrapes; what was lost stands, and fails after 300 s.
  const lost = (i: number): boolean => i > 20 && i <= 25;
  const got: PerScrape = (i) => (lost(i) ? 0 : 8);
  const kindAt = (scrape: number, series: readonly RawSeries[]): string | undefined =>
    evaluate(prepare(series), timeOf(TIME, scrape))[0]?.verdict.kind;

  it('is not to blame for what still waits', () => {
    const series = [...prefill(8, got), ...decode(got)];
    expect([26, 28, 30, 40].map((i) => kindAt(i, series))).toEqual([
      'router-fault',
      'router-fault',
      'healthy',
      'healthy',
    ]);
  });

  it('is to blame as long as nobody asks any more, for all may be waiting', () => {
    const asked = until(25, 8);
    const series = [...prefill(asked, until(20, 8)), ...decode(until(20, 8))];
    expect(kindAt(40, series)).toBe('router-fault');
  });

  it('is to blame as long as an engine has got none again', () => {
    const series = [
      ...prefill(8, (i) => (lost(i) ? 4 : 8)),
      ...engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow((i) => (i <= 25 ? 4 : 8)) }),
      ...engine(TIME, { id: 'd:2', role: 'decode', counters: decodeFlow(until(20, 4)) }),
    ];
    expect(kindAt(40, series)).toBe('router-fault');
  });

  it('is to blame as long as too few came to tell, where it loses one of eight', () => {
    const few = (i: number): number => (i > 25 && i % 2 === 1 ? 0 : 8);
    const passed: PerScrape = (i) => (lost(i) ? 7 : few(i));
    const series = [...prefill((i) => (lost(i) ? 8 : few(i)), passed), ...decode(passed)];
    expect(kindAt(31, series)).toBe('router-fault');
  });
});

describe('a stage that stands before the router is found out', () => {
  it('has the router among the alternatives where the other legs are missed already', () => {
    // One per scrape each; the second prefill engine gets its last two through, so only the first has stood for long.
    const asks = (id: string, last: number): RawSeries[] =>
      engine(TIME, { id, role: 'prefill', counters: { ...prefillFlow(until(last, 1)), httpRequests: 1 } });
    const series = [...asks('p:1', 20), ...asks('p:2', 22), ...decode((i) => (i <= 20 ? 2 : i <= 22 ? 1 : 0))];
    const fleet = prepare(series);
    const alarms = Array.from({ length: TIME.scrapes }, (_, i) => evaluate(fleet, timeOf(TIME, i))[0]?.verdict).flatMap(
      (v) => (v?.severity === 'critical' ? [v] : [])
    );
    expect(alarms[0]).toMatchObject({ kind: 'handshake-stalled', engine: 'p:1' });
    expect(alarms.every((v) => [v.kind, ...v.alternatives].includes('router-fault'))).toBe(true);
  });
});

describe('a router that sends nothing', () => {
  const asked = routed('smg_http_requests_total', { path: '/v1/chat/completions' }, (i) => i * 8);
  const failing: PerScrape = (i) => (i <= 20 ? 0 : 1);
  const serve = (id: string, role: 'prefill' | 'decode', failedChecks: PerScrape): RawSeries[] => {
    const flow = role === 'prefill' ? prefillFlow(share(0)) : decodeFlow(share(0));
    return engine(TIME, { id, role, counters: { ...flow, failedChecks } });
  };

  it('to a decode engine whose loop stands, as its health checks show: the engine is to blame', () => {
    const said = judge([...serve('p:1', 'prefill', 0), ...serve('d:1', 'decode', failing), asked]);
    expect(said?.verdict).toMatchObject({
      kind: 'decode-wedged',
      engine: 'd:1',
      sinceMs: timeOf(TIME, 20),
      alternatives: ['frontend-stuck'],
    });
    expect(said?.verdict.detail).toContain('20 health checks failed since. The router spares it: 160 requests came');
    expect(said?.engines.find(({ id }) => id === 'd:1')?.healthy).toBe(false);
  });

  it('to a prefill engine whose loop stands', () => {
    const said = judge([...serve('p:1', 'prefill', failing), ...serve('d:1', 'decode', 0), asked]);
    expect(said?.verdict).toMatchObject({ kind: 'prefill-stalled', engine: 'p:1', sinceMs: timeOf(TIME, 20) });
  });

  it('although another engine of that side works, or nothing proves that its loop stands: the router is', () => {
    const works = [...serve('p:1', 'prefill', 0), asked];
    const two = [...serve('d:1', 'decode', failing), ...serve('d:2', 'decode', 0)];
    expect(judge([...works, ...two])?.verdict.kind).toBe('router-fault');
    expect(judge([...works, ...serve('d:1', 'decode', 0)])?.verdict.kind).toBe('router-fault');
  });

  it('to an engine that only starts: nothing is said of its loop', () => {
    const starts = engine(TIME, { id: 'd:1', role: 'decode', counters: { httpRequests: 0, failedChecks: failing } });
    expect(judge([...serve('p:1', 'prefill', 0), ...starts, asked])?.verdict.kind).not.toBe('decode-wedged');
  });
});

describe('a front end', () => {
  const hangs = { ...decodeFlow(share(0)), httpRequests: 8, httpResponses: share(0) };
  // Decode works off what it has: it counts on after the first that it did not take.
  const worksOff = { ...hangs, decodeTokens: (i: number): number => (i <= 22 ? 400 : 0) };
  it('that loses requests between HTTP and a scheduler that counts on', () => {
    const series = [...prefill(8, share(0)), ...engine(TIME, { id: 'd:1', role: 'decode', counters: worksOff })];
    expect(judge(series)?.verdict).toMatchObject({ kind: 'frontend-stuck', engine: 'd:1', sinceMs: timeOf(TIME, 20) });
  });

  it('is still stuck when nobody asks any more, as long as health checks fail', () => {
    const asked = until(30, 8);
    const left = (i: number): number => (i <= 20 ? 8 : i === 30 ? 80 : 0);
    const p = { ...prefillFlow(share(0)), httpRequests: asked };
    const d = { ...worksOff, httpRequests: asked, httpResponses: left };
    const kindWith = (failedChecks: PerScrape): string | undefined =>
      judge(bothSides(TIME, { counters: p }, { counters: { ...d, failedChecks } }))?.verdict.kind;
    expect(kindWith((i) => (i > 22 ? 1 : 0))).toBe('frontend-stuck');
    expect(kindWith(0)).not.toBe('frontend-stuck');
  });

  it('that refuses one request is not stuck', () => {
    const one = (i: number): number => (i <= 20 ? 8 : i === 24 ? 1 : 0);
    const probes = (i: number): number => (i <= 20 ? 8 : i % 4 === 0 ? 1 : 0);
    const refuses = {
      ...decodeFlow(probes),
      httpRequests: one,
      httpResponses: one,
      finished: share(0),
      decodeTokens: (i: number): number => (i <= 20 ? 400 : 0),
    };
    const series = bothSides(
      TIME,
      { counters: { ...prefillFlow(share(0)), httpRequests: one, httpResponses: one } },
      { counters: refuses, gauges: { active: (i) => (i <= 20 ? 4 : 0) } }
    );
    expect(judge(series)?.verdict.kind).not.toBe('frontend-stuck');
  });
});
