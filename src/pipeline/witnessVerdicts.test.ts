import {
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  sampled,
  timeOf,
  until,
  upSeries,
  type EngineTrace,
  type PerScrape,
} from '../testing/traces';
import { canary, gpu, nixlSent, schedulerCpu } from '../testing/witnesses';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { HypothesisKind, PipelineEvaluation, RawSeries, VerdictKind } from './model';

/** Twenty minutes at 15 s; what breaks breaks at 20:35:00, the canary's tenth request of 40 was sent then. */
const TIME = clock(20);
const stops = until(20, 30);
const isBefore = (i: number): boolean => i <= 20;

const prefill = (more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id: 'p:1', role: 'prefill', counters: prefillFlow(30), isStamped: true, ...more });
const decode = (more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow(30), isStamped: true, ...more });

const FLOWING = [...prefill(), ...decode()];
const IDLE = [...prefill({ counters: prefillFlow(stops) }), ...decode({ counters: decodeFlow(stops) })];
/** Prefill computes and decode takes the requests, but no transfer concludes. */
const WAITING = prefill({
  counters: { ...prefillFlow(30), handedOver: stops, kvTransfers: stops, finished: stops },
});
const DEAF = decode({ counters: { ...decodeFlow(stops), httpRequests: 30, received: 30, admitted: 30 } });
const STALLED = [...WAITING, ...DEAF];
/** The same, but nobody asks any more: whether the loop still turns cannot be told from its counters. */
const parked = (prefillId: string, decodeId: string): RawSeries[] => [
  ...prefill({
    id: prefillId,
    counters: { ...prefillFlow(stops), handedOver: until(19, 30), kvTransfers: until(19, 30) },
  }),
  ...decode({
    id: decodeId,
    counters: { ...decodeFlow(until(19, 30)), httpRequests: stops, received: stops, admitted: stops },
  }),
];

const ALWAYS = canary(TIME, { isAnswered: () => true, requests: 40 });
const FAILING = canary(TIME, { isAnswered: (k) => k < 10, requests: 40 });
const ONCE = canary(TIME, { isAnswered: (k) => k !== 38, requests: 40 });

const judge = (...parts: RawSeries[][]): PipelineEvaluation | undefined =>
  evaluate(prepare(parts.flat()), endOf(TIME))[0];
const said = (e: PipelineEvaluation | undefined): string => (e?.verdict.evidence ?? []).map((x) => x.text).join(' ');

describe('a canary that fails is demand and proof at once', () => {
  const rows: ReadonlyArray<[string, RawSeries[], VerdictKind, string]> = [
    ['nobody else asks: not idle', IDLE, 'unknown', 'warning'],
    ['others are served: not healthy', FLOWING, 'unknown', 'warning'],
    ['a stage explains it: that is the verdict', STALLED, 'transfer-stalled', 'critical'],
    ['only one side is seen: what is unknown becomes a warning', decode(), 'unknown', 'warning'],
    [
      'nothing is scraped: likewise',
      [...prefill({ isScraped: isBefore }), ...decode({ isScraped: isBefore })],
      'unknown',
      'warning',
    ],
  ];
  it.each(rows)('%s', (_why, series, kind, severity) => {
    const e = judge(series, FAILING);
    expect(e?.verdict).toMatchObject({ kind, severity });
    expect(said(e)).toContain('The canary has had no answer since 20:35:00, after an answer to that of 20:34:30.');
  });

  it('none of its requests reaches an engine: the way before them is suspected', () => {
    const e = judge(IDLE, FAILING);
    expect(e?.verdict).toMatchObject({ sinceMs: timeOf(TIME, 20), alternatives: ['router-fault'] });
    expect(e?.verdict.detail).toContain('None of them has reached an engine');
    expect(e?.hypotheses.find((h) => h.kind === 'router-fault')?.status).toBe('supported');
  });

  it('requests reach the engines: nothing is suspected', () => {
    expect(judge(FLOWING, FAILING)?.verdict).toMatchObject({
      alternatives: [],
      headline: 'Canary unanswered for 15 m',
    });
  });

  it('contradicts those that call themselves healthy', () => {
    expect(judge(FLOWING, FAILING)?.contradictions).toEqual(['target up, yet the canary fails since 20:35:00']);
  });

  it('one failure may be a restart: two, and a minute, are needed', () => {
    const atFirst = (ms: number): unknown =>
      evaluate(prepare([...FLOWING, ...FAILING]), timeOf(TIME, 20) + ms)[0]?.verdict.kind;
    expect([30_000, 59_000, 60_000].map(atFirst)).toEqual(['healthy', 'healthy', 'unknown']);
    expect(judge(FLOWING, ONCE)?.verdict.kind).toBe('healthy');
  });

  it('one that tells nothing any more proves nothing', () => {
    const gone = canary(TIME, { isAnswered: (k) => k < 10, requests: 20 });
    expect(judge(FLOWING, gone)?.verdict.kind).toBe('healthy');
  });
});

describe('a canary that is answered', () => {
  it('disproves that nothing gets through, where there is one engine of each side', () => {
    const e = judge(STALLED, ALWAYS);
    expect(e?.verdict).toMatchObject({
      kind: 'unknown',
      severity: 'info',
      alternatives: ['transfer-stalled', 'leaked-bookkeeping'],
    });
    expect(e?.verdict.detail).toContain('the last at 20:49:30');
  });

  it('does not once a request since then has failed', () => {
    expect(judge(STALLED, ONCE)?.verdict.kind).toBe('transfer-stalled');
  });

  it('proves one way of several only', () => {
    const e = judge(STALLED, prefill({ id: 'p:2' }), decode({ id: 'd:2' }), ALWAYS);
    expect(e?.verdict.kind).toBe('transfer-stalled');
    expect(said(e)).toContain("The canary's request of 20:49:30 was answered.");
  });

  it('proves that an engine runs whose scrape fails', () => {
    const gone = [...prefill(), ...decode({ isScraped: isBefore }), upSeries(TIME, 'p:1', 1)];
    const up = upSeries(TIME, 'd:1', (i) => (isBefore(i) ? 1 : 0));
    expect(judge(gone, [up])?.verdict.kind).not.toBe('healthy');
    expect(judge(gone, [up], ALWAYS)?.verdict.kind).toBe('unknown');
  });

  it('changes nothing in calm', () => {
    for (const calm of [FLOWING, IDLE]) {
      expect(judge(calm, ALWAYS)).toEqual(judge(calm));
    }
  });
});

const NO_TOKEN_OUT = sampled(
  TIME,
  { __name__: 'sglang:inter_token_latency_seconds_count', instance: 'd:1', model_name: 'm', engine_type: 'decode' },
  () => 9000
);

/** A GPU on the host of the decode engine that worked before 20:35:00. */
const decodeGpu = (util: PerScrape, watts: PerScrape): RawSeries[] =>
  gpu(TIME, { util, watts, labels: { instance: 'd:9400' } });
const RESTING = decodeGpu(
  (i) => (isBefore(i) ? 95 : 0),
  (i) => (isBefore(i) ? 540 : 70)
);
const SPINNING = decodeGpu(100, (i) => (isBefore(i) ? 540 : 130));
const WORKING = decodeGpu(98, (i) => (i % 20 === 0 ? 90 : 540));

describe('GPUs and CPU of the machine', () => {
  const status = (e: PipelineEvaluation | undefined, kind: HypothesisKind): string | undefined =>
    e?.hypotheses.find((h) => h.kind === kind)?.status;

  const loops: ReadonlyArray<[string, RawSeries[], string, VerdictKind[], string]> = [
    ['nothing is known of them: it may stand', [], 'undecided', ['decode-wedged'], ''],
    ['no CPU time: it stands', schedulerCpu(TIME, 'd', 0), 'supported', ['decode-wedged'], '0.00 cores: it stands'],
    ['a collective spins: it stands', SPINNING, 'supported', ['decode-wedged'], 'Its GPU spins and computes nothing'],
    [
      'a core, and GPUs that rest: it turns',
      [...RESTING, ...schedulerCpu(TIME, 'd', 0.97)],
      'refuted',
      [],
      '0.97 cores: it turns',
    ],
    [
      'a core alone may wait for its GPU',
      schedulerCpu(TIME, 'd', 0.97),
      'undecided',
      ['decode-wedged'],
      '0.97 cores: it turns, or waits',
    ],
  ];
  it.each(loops)('a loop of which no counter moves: %s', (_why, witness, loop, alternatives, text) => {
    const e = judge(parked('p:1', 'd:1'), witness);
    expect(e?.verdict).toMatchObject({ kind: 'transfer-stalled', alternatives });
    expect(status(e, 'decode-wedged')).toBe(loop);
    expect(said(e)).toContain(text);
  });

  it("on a host that two engines share, a core may be that of the other; none at all is nobody's", () => {
    const cores = (n: number): RawSeries[] => [
      ...schedulerCpu(TIME, 'h', n),
      ...gpu(TIME, { util: 0, labels: { instance: 'h:9400' } }),
    ];
    expect(status(judge(parked('h:1', 'h:2'), cores(0.97)), 'decode-wedged')).toBe('undecided');
    expect(status(judge(parked('h:1', 'h:2'), cores(0)), 'decode-wedged')).toBe('supported');
  });

  it('a wedged decode that uses no CPU time is no stuck front end', () => {
    const silent = decode({ counters: { ...decodeFlow(stops), httpRequests: 30 } });
    const alternatives = (witness: RawSeries[]): unknown => judge(WAITING, silent, witness)?.verdict.alternatives;
    expect(judge(WAITING, silent)?.verdict.kind).toBe('decode-wedged');
    expect([alternatives([]), alternatives(schedulerCpu(TIME, 'd', 0))]).toEqual([['frontend-stuck'], []]);
  });

  /** SGLang before 0.5.7 counts no tokens: gauges and finished requests are all there is. */
  const untold = (finished: PerScrape): RawSeries[] => [
    ...prefill({ counters: { finished } }),
    ...decode({ counters: { finished }, gauges: { running: 3 } }),
  ];
  const zombies: ReadonlyArray<[string, RawSeries[], string]> = [
    ['no GPU is watched', untold(stops), 'undecided'],
    ['GPUs rest: a zombie would keep them busy', [...untold(stops), ...RESTING], 'refuted'],
    ['GPUs work and requests finish', [...untold(30), ...WORKING], 'refuted'],
    ['GPUs work, nothing finishes, no token goes out', [...untold(stops), ...WORKING, NO_TOKEN_OUT], 'supported'],
    ['no token is decoded; GPUs agree', [...STALLED, ...RESTING], 'refuted'],
  ];
  it.each(zombies)('zombies: %s', (_why, series, expected) => {
    expect(status(judge(series), 'zombie-requests')).toBe(expected);
  });

  it('of hosts without an engine change nothing', () => {
    const elsewhere = [
      ...gpu(TIME, { util: 100, tensor: 0, labels: { instance: 'x:9400' } }),
      ...schedulerCpu(TIME, 'x', 0),
    ];
    expect(judge(STALLED, elsewhere, [nixlSent(TIME, 'x', 5)])).toEqual(judge(STALLED));
  });
});

describe('KV bytes', () => {
  const slow = (e: PipelineEvaluation | undefined): string | undefined =>
    e?.hypotheses.find((h) => h.kind === 'slow-transfer')?.status;
  const rows: ReadonlyArray<[string, PerScrape, string, string]> = [
    ['none moves: the transfer stands', until(20, 1_000_000), 'NIXL has moved no byte meanwhile.', 'refuted'],
    // Counted from the second scrape after the stall on, the 22nd, to the 80th.
    ['they move, although none concludes', 1_000_000, 'NIXL has moved 58 MB meanwhile.', 'undecided'],
  ];
  it.each(rows)('%s', (_why, bytes, text, status) => {
    const e = judge(STALLED, [nixlSent(TIME, 'd', bytes)]);
    expect(said(e)).toContain(text);
    expect(slow(e)).toBe(status);
  });
});
