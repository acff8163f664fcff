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
import { evaluate, prepare, type PipelineEvaluation, type RawSeries, type StageId } from '.';

/** The same series read as the release that behaves so, and as one that does not. */
const TIME = clock(20);
const P = '10.0.0.1:30000';
const D = '10.0.0.2:30002';

const judge = (
  series: readonly RawSeries[],
  sglangVersion: string,
  atMs = endOf(TIME)
): PipelineEvaluation | undefined => evaluate(prepare(series, { sglangVersion }), atMs)[0];

const depth = (
  series: readonly RawSeries[],
  sglangVersion: string,
  stage: StageId,
  scrape: number
): number | undefined =>
  judge(series, sglangVersion, timeOf(TIME, scrape))?.stages.find((s) => s.stage === stage)?.depth.value;

describe('decode_bootstrap is counted twice in 0.5.4', () => {
  const twice: PerScrape = (i) => (i === 5 ? 8 : 0);
  const series = engine(TIME, {
    id: D,
    role: 'decode',
    base: 0,
    counters: {
      received: (i) => (i === 4 ? 5 : 0),
      admitted: twice,
      transferred: (i) => (i === 6 ? 3 : 0),
      decodeTokens: 9,
    },
  });

  it('of 5 that arrived 4 were admitted and 3 transferred: one waits, one is in transfer', () => {
    expect(depth(series, '0.5.4', 'decode.prealloc', 8)).toBe(1);
    expect(depth(series, '0.5.4', 'decode.transfer', 8)).toBe(1);
  });

  it('in 0.5.5 the same counts are 8 admitted requests', () => {
    expect(depth(series, '0.5.5', 'decode.transfer', 8)).toBe(5);
  });
});

describe('prefill of 0.5.9 reports no batch, so whatever it pushes, it pushes at rest', () => {
  const isBusy = (i: number): number => (i < 20 ? 1 : 0);
  const series = engine(TIME, {
    id: P,
    role: 'prefill',
    counters: { bootstrapped: (i) => (i === 5 ? 2 : 0), scheduled: 0, forwarded: 0 },
    gauges: { running: 0, queued: isBusy, inflight: 0, bootstrapping: 0 },
  });

  it.each([
    ['0.5.9', 0, 'zeros pushed are the idle refresh'],
    ['0.5.8', 2, 'zeros pushed may be the report of a batch'],
  ])('%s: %s waiting, for %s', (release, waiting) => {
    expect(depth(series, release, 'prefill.waiting', 25)).toBe(waiting);
  });
});

describe('aborts during the prefill forward leave inflight uncounted since 0.5.20', () => {
  const trace = (base: number, counters: Counters): RawSeries[] =>
    engine(TIME, { id: P, role: 'prefill', counters, base });
  // 40 more computed than transferred since the process started, and 60 aborts that no failure explains.
  const series = [
    ...trace(140, { forwarded: (i) => (i === 5 ? 3 : 0) }),
    ...trace(100, { handedOver: 0 }),
    ...trace(60, { aborted: 0 }),
  ];

  it.each([
    ['0.5.20', 3, 'what was left before the range counts as drift'],
    ['0.5.18', 43, 'what was left before the range is inside'],
  ])('%s: %s inflight, for %s', (release, inflight) => {
    expect(depth(series, release, 'prefill.inflight', 8)).toBe(inflight);
  });
});

describe('open HTTP requests', () => {
  const stops = until(20, 30);
  const aborts: PerScrape = (i) => (i === 21 ? 8 : 0);
  const held: EngineTrace['gauges'] = {
    running: 8,
    active: (i) => (i <= 20 ? 8 : 0),
    usage: (i) => 0.3 + (i % 2) / 100,
  };
  const orphaned = bothSides(
    TIME,
    { id: P, counters: prefillFlow(stops), isStamped: true },
    { id: D, counters: { ...decodeFlow(stops), decodeTokens: 6000, aborted: aborts }, gauges: held, isStamped: true }
  );

  it.each([
    ['0.5.10', 'aborts-not-absorbed', '8 run and no client has one open'],
    ['0.5.9', 'healthy', 'a stream that runs is not counted as open'],
  ])('%s: %s, for %s', (release, kind) => {
    expect(judge(orphaned, release)?.verdict.kind).toBe(kind);
  });

  // One of two decode engines dies with six streams running, and its transfers with it.
  const isUp = (i: number): boolean => i <= 40;
  const died = [
    ...bothSides(
      TIME,
      { id: P, counters: prefillFlow((i) => (isUp(i) ? 30 : 15)), up: 1 },
      { id: D, counters: decodeFlow(15), gauges: { running: 6, active: 0 }, isScraped: isUp }
    ),
    upSeries(TIME, D, (i) => (isUp(i) ? 1 : 0)),
    ...engine(TIME, { id: 'd2', role: 'decode', counters: decodeFlow(15), up: 1 }),
  ];

  it.each([
    ['0.5.9', 'engine-down', 'the running gauge tells what it held'],
    ['0.5.10', 'healthy', 'no request was open'],
  ])('%s: a decode engine that dies is %s, for %s', (release, kind) => {
    expect(judge(died, release, timeOf(TIME, 46))?.verdict.kind).toBe(kind);
  });
});

describe('what a release does not have is not missing', () => {
  const shown = (name: string): RawSeries =>
    sampled(TIME, { __name__: `sglang:${name}`, instance: D, model_name: 'm', engine_type: 'unified' }, () => 1);
  const pushed = ['num_running_reqs', 'num_queue_reqs', 'utilization', 'total_retracted_reqs', 'engine_startup_time'];
  const old = pushed.map(shown);
  const roleMapping = { label: 'instance', decode: '.+' };

  it('0.5.2 has neither stage counters nor what came after', () => {
    const [judged] = evaluate(prepare(old, { roleMapping }), endOf(TIME));
    expect(judged?.metrics.notInRelease).toEqual([
      { family: 'sglang:per_stage_req_latency_seconds_count', since: '0.5.3' },
      { family: 'sglang:realtime_tokens_total', since: '0.5.7' },
      { family: 'sglang:kv_transfer_latency_ms_count', since: '0.5.10' },
      { family: 'sglang:queue_time_seconds_count', since: '0.5.3' },
      { family: 'sglang:http_requests_total', since: '0.5.7' },
      { family: 'sglang:http_requests_active', since: '0.5.8' },
    ]);
    expect(judged?.metrics.missing).toContain('sglang:num_aborted_requests_total');
  });

  it('a family that one of two engines should have is missing', () => {
    const newer = shown('kv_transfer_latency_ms_count');
    const other = { ...newer, labels: { ...newer.labels, instance: 'd2' } };
    const [judged] = evaluate(prepare([...old, other], { roleMapping }), endOf(TIME));
    expect(judged?.metrics.missing).toContain('sglang:per_stage_req_latency_seconds_count');
    expect(judged?.metrics.notInRelease).toEqual([]);
  });

  it.each([
    ['0.5.2', 'SGLang 0.5.3 or newer counts it, this one is 0.5.2 or later, before 0.5.3'],
    ['0.5.12', 'this SGLang, 0.5.12 or later, before 0.5.13, counts it with its first request'],
    [undefined, 'SGLang 0.5.3 or newer counts it'],
  ])('%s: the reason for not knowing says which release would count', (sglangVersion, reason) => {
    const plain = [shown('num_running_reqs')];
    const [judged] = evaluate(prepare(plain, { roleMapping, sglangVersion }), endOf(TIME));
    expect(judged?.stages.find((s) => s.stage === 'decode.transfer')?.reason).toBe(
      `No proof of progress: sglang:per_stage_req_latency_seconds_count was never seen (${reason}).`
    );
  });
});
