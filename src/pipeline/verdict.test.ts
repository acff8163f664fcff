import {
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  timeOf,
  until,
  upSeries,
  type EngineTrace,
} from '../testing/traces';
import { canary } from '../testing/witnesses';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { PipelineEvaluation, RawSeries } from './model';

/** The order of the rules: what comes first hides what comes later, and never the other way round. */
const TIME = clock(20);
const stops = until(20, 30);
const before = (i: number): boolean => i <= 20;

const prefill = (more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id: 'p:1', role: 'prefill', counters: prefillFlow(30), isStamped: true, ...more });
const decode = (more: Partial<EngineTrace> = {}): RawSeries[] =>
  engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow(30), isStamped: true, ...more });
const deafDecode = { ...decodeFlow(stops), httpRequests: 30, received: 30, admitted: 30 };
const waitingPrefill = { ...prefillFlow(30), handedOver: stops, kvTransfers: stops, finished: stops };
const judge = (series: readonly RawSeries[], atMs = endOf(TIME)): PipelineEvaluation | undefined =>
  evaluate(prepare(series), atMs)[0];

const rows: ReadonlyArray<[string, RawSeries[], string, string]> = [
  [
    'no scrape of anything lately: nothing can be said, not even a stall before it',
    [
      ...prefill({ counters: waitingPrefill, isScraped: before }),
      ...decode({ counters: deafDecode, isScraped: before }),
    ],
    'unknown',
    'info',
  ],
  [
    'the only decode engine is gone and nothing concludes: down, whatever prefill waits for',
    [
      ...prefill({ counters: waitingPrefill }),
      ...decode({ isScraped: before }),
      upSeries(TIME, 'p:1', 1),
      upSeries(TIME, 'd:1', (i) => (i <= 20 ? 1 : 0)),
    ],
    'engine-down',
    'critical',
  ],
  [
    'every scrape fails at once: the scraping rather than every engine',
    [
      ...prefill({ isScraped: before }),
      ...decode({ isScraped: before }),
      upSeries(TIME, 'p:1', (i) => (i <= 20 ? 1 : 0)),
      upSeries(TIME, 'd:1', (i) => (i <= 20 ? 1 : 0)),
    ],
    'unknown',
    'info',
  ],
  [
    'every scrape fails at once, and a canary gets no answer: down',
    [
      ...prefill({ isScraped: before }),
      ...decode({ isScraped: before }),
      upSeries(TIME, 'p:1', (i) => (i <= 20 ? 1 : 0)),
      upSeries(TIME, 'd:1', (i) => (i <= 20 ? 1 : 0)),
      ...canary(TIME, { isAnswered: (k) => k < 10, requests: 40 }),
    ],
    'engine-down',
    'critical',
  ],
  [
    'one side after the other: down',
    [
      ...prefill({ isScraped: (i) => i <= 24 }),
      ...decode({ isScraped: before }),
      upSeries(TIME, 'p:1', (i) => (i <= 24 ? 1 : 0)),
      upSeries(TIME, 'd:1', (i) => (i <= 20 ? 1 : 0)),
    ],
    'engine-down',
    'critical',
  ],
  [
    'the loop counts nothing: wedged, not only a stalled transfer',
    [
      ...prefill({ counters: waitingPrefill }),
      ...decode({ counters: { ...decodeFlow(stops), httpRequests: 30, admitted: (i) => (i <= 20 ? 31 : 0) } }),
    ],
    'decode-wedged',
    'critical',
  ],
  [
    'the loop receives, nothing concludes: a stalled transfer',
    [...prefill({ counters: waitingPrefill }), ...decode({ counters: deafDecode })],
    'transfer-stalled',
    'critical',
  ],
  [
    'decode alone with a stall: a stall is worse than a missing side',
    decode({ counters: deafDecode }),
    'transfer-stalled',
    'critical',
  ],
  ['decode alone and flowing: one side proves nothing', decode(), 'unknown', 'info'],
  [
    'no stage counters: requests finish, which is all that is said; every stage stays unknown',
    [...prefill({ counters: { finished: 30 } }), ...decode({ counters: { finished: 30 } })],
    'healthy',
    'none',
  ],
  ['all flows', [...prefill(), ...decode()], 'healthy', 'none'],
  [
    'all rests',
    [...prefill({ counters: prefillFlow(stops) }), ...decode({ counters: decodeFlow(stops) })],
    'idle',
    'none',
  ],
];

it.each(rows)('%s', (_why, series, kind, severity) => {
  expect(judge(series)?.verdict).toMatchObject({ kind, severity });
});

it('the first scrape says that there is too little data', () => {
  expect(judge([...prefill(), ...decode()], timeOf(TIME, 0))?.verdict).toMatchObject({
    kind: 'unknown',
    headline: 'Too little data yet',
  });
});

describe('a stalled transfer', () => {
  const judged = judge([...prefill({ counters: waitingPrefill }), ...decode({ counters: deafDecode })]);
  const state = (stage: string): string | undefined => judged?.stages.find((s) => s.stage === stage)?.state;
  const part = (stage: string): string | undefined => judged?.stages.find((s) => s.stage === stage)?.part;

  it('is the only culprit; what waits for it is consequence, what gets nothing from it is starved', () => {
    expect(judged?.stages.filter((s) => s.part === 'culprit').map((s) => s.stage)).toEqual(['decode.transfer']);
    expect([state('prefill.inflight'), part('prefill.inflight')]).toEqual(['blocked', 'consequence']);
    expect([state('decode.running'), part('decode.running')]).toEqual(['starved', 'consequence']);
    expect(state('decode.prealloc')).toBe('flowing');
  });

  it('says how long, since when, what is parked, what to do and how recovery will be known', () => {
    expect(judged?.verdict).toMatchObject({
      headline: 'KV transfer stalled for 15 m',
      sinceMs: timeOf(TIME, 20),
      remedy: 'Restart d:1.',
    });
    expect(judged?.verdict.detail).toContain('no transfer since 20:35:00');
    expect(judged?.verdict.detail).toContain('1800 requests parked');
    expect(judged?.verdict.recoverySign).toContain('after 20:35:00');
  });

  it('refutes what the counters refute', () => {
    const status = Object.fromEntries((judged?.hypotheses ?? []).map((h) => [h.kind, h.status]));
    expect(status).toMatchObject({
      'transfer-stalled': 'supported',
      'zombie-requests': 'refuted',
      'decode-wedged': 'refuted',
      'prefill-fault': 'refuted',
      'kv-exhausted': 'refuted',
      'engine-down': 'refuted',
    });
  });

  it('counts who waits and who was admitted without health probes', () => {
    const probes = (i: number): number => (i > 20 && i % 4 === 0 ? 1 : 0);
    const probed = {
      ...decodeFlow((i) => (i <= 20 ? 30 : probes(i))),
      received: (i: number) => 30 + probes(i),
      admitted: (i: number) => 30 + probes(i),
      decodeTokens: (i: number) => (i <= 20 ? 6000 : 0),
      finished: stops,
    };
    const e = judge([...prefill({ counters: waitingPrefill }), ...decode({ counters: probed })]);
    // 60 scrapes of 30 requests.
    expect(e?.verdict.evidence.map(({ text }) => text)).toContain('1800 requests entered since.');
    expect(e?.hypotheses.find((h) => h.kind === 'kv-exhausted')?.text).toBe('1800 admitted since 20:35:00');
  });

  it('keeps its name when prefill, full of what it has computed, counts nothing any more: it may stand as well', () => {
    const computed = until(30, 30);
    const full = { ...waitingPrefill, bootstrapped: computed, scheduled: computed, forwarded: computed };
    const e = judge([
      ...prefill({ counters: { ...full, prefillTokens: until(30, 30_000), entered: until(30, 30) } }),
      ...decode({ counters: { ...deafDecode, admitted: computed } }),
    ]);
    expect(e?.verdict).toMatchObject({ kind: 'transfer-stalled', sinceMs: timeOf(TIME, 20) });
    expect(e?.verdict.alternatives).toContain('prefill-stalled');
  });

  it.each([
    [0.92, 'supported'],
    [0.8, 'undecided'],
    [0.4, 'refuted'],
  ])('where nobody is admitted, a KV usage of %d is %s', (usage, status) => {
    const shut = { ...decodeFlow(stops), httpRequests: 30, received: 30 };
    const e = judge([
      ...prefill({ counters: { ...prefillFlow(stops), httpRequests: 30, entered: 30 } }),
      ...decode({ counters: shut, gauges: { usage } }),
    ]);
    expect(e?.hypotheses.find((h) => h.kind === 'kv-exhausted')?.status).toBe(status);
  });

  it('every hypothesis is answered, once', () => {
    expect(new Set(judged?.hypotheses.map((h) => h.kind)).size).toBe(10);
  });
});
