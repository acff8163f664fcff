import {
  evaluate,
  prepare,
  type PipelineEvaluation,
  type StageId,
  type Verdict,
  type VerdictKind,
} from '../src/pipeline';
import { END_MS, instants, recordScenario, scenarioNamed, scrapedEvery, T0_MS } from './recording';

/**
 * One row per scenario: what it injects, and the verdict that this asks for. Written from the injection (the summary of
 * the scenario and the instants in its truth), never from what the evaluator said. `atS` is the instant of the
 * question, in seconds after T0 = 20:38:03; `sinceS` the instant at which the fault began, likewise.
 */
interface Row {
  readonly scenario: string;
  readonly why: string;
  readonly kind: VerdictKind;
  readonly stage?: StageId;
  readonly engine?: string;
  readonly atS: number;
  readonly sinceS?: number;
}

const D0 = 'decode-0:30002';
const P0 = 'prefill-0:30000';

const FAULTS: readonly Row[] = [
  {
    scenario: 'founding',
    why: 'the receiver is dead, the loop lives',
    kind: 'transfer-stalled',
    stage: 'decode.transfer',
    engine: D0,
    atS: 640,
    sinceS: 0,
  },
  {
    scenario: 'founding-blocked-loop',
    why: 'the loop takes nothing',
    kind: 'decode-wedged',
    engine: D0,
    atS: 640,
    sinceS: 0,
  },
  {
    scenario: 'bootstrap-probes-only',
    why: 'no handshake completes, only probes pass',
    kind: 'handshake-stalled',
    stage: 'decode.prealloc',
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'bootstrap-timer',
    why: 'handshakes are lost until the timer',
    kind: 'handshake-stalled',
    stage: 'decode.prealloc',
    atS: 290,
    sinceS: 0,
  },
  {
    scenario: 'prealloc-pinned',
    why: 'aborted requests pin the head of the queue',
    kind: 'decode-admission-blocked',
    stage: 'decode.prealloc',
    engine: D0,
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'decode-kv-exhausted',
    why: 'long answers have filled the KV room',
    kind: 'decode-admission-blocked',
    stage: 'decode.prealloc',
    engine: D0,
    atS: 240,
  },
  {
    scenario: 'decode-full-of-aborted',
    why: 'decode ignored the aborts of clients that left',
    kind: 'aborts-not-absorbed',
    engine: D0,
    atS: 300,
  },
  {
    scenario: 'slow-transfer',
    why: 'KV moves at a fraction of the link',
    kind: 'transfer-slow',
    stage: 'prefill.inflight',
    engine: P0,
    atS: 300,
  },
  {
    scenario: 'transfer-leak',
    why: '47 of 48 slots are held by leaked transfers',
    kind: 'decode-admission-blocked',
    stage: 'decode.prealloc',
    engine: D0,
    atS: 640,
  },
  {
    scenario: 'leaked-slot',
    why: 'one slot leaked, traffic does not notice',
    kind: 'leaked-bookkeeping',
    stage: 'decode.transfer',
    engine: D0,
    atS: 640,
  },
  {
    scenario: 'aborts-not-absorbed',
    why: 'the aborts were lost for 5 s',
    kind: 'aborts-not-absorbed',
    engine: D0,
    atS: 40,
    sinceS: 0,
  },
  {
    scenario: 'zombies-alone',
    why: 'three requests decode for nobody',
    kind: 'zombie-requests',
    stage: 'decode.running',
    engine: D0,
    atS: 300,
    sinceS: 0,
  },
  {
    scenario: 'zombies-among-traffic',
    why: 'zombies beside served requests',
    kind: 'zombie-requests',
    stage: 'decode.running',
    engine: D0,
    atS: 300,
  },
  {
    scenario: 'decode-blocked-on-dead-prefill',
    why: 'decode blocks in its message to a dead prefill',
    kind: 'decode-wedged',
    engine: D0,
    atS: 300,
    sinceS: 0,
  },
  {
    scenario: 'decode-slow',
    why: 'each step takes twenty times as long',
    kind: 'decode-slow',
    stage: 'decode.running',
    engine: D0,
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'decode-crash',
    why: 'the only decode process is gone',
    kind: 'engine-down',
    engine: D0,
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'prefill-crash',
    why: 'the only prefill process is gone',
    kind: 'engine-down',
    engine: P0,
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'prefill-saturated',
    why: 'more comes than can be computed',
    kind: 'prefill-saturated',
    stage: 'prefill.waiting',
    engine: P0,
    atS: 400,
  },
  {
    scenario: 'prefill-wedged',
    why: 'a forward pass never returns',
    kind: 'prefill-stalled',
    stage: 'prefill.forward',
    engine: P0,
    atS: 300,
    sinceS: 0,
  },
  {
    scenario: 'pp-divergence',
    why: 'half of the pipeline ranks saw no batch',
    kind: 'rank-divergence',
    engine: P0,
    atS: 120,
    sinceS: -1,
  },
  {
    scenario: 'prefill-breaker',
    why: 'the router keeps the prefill leg back',
    kind: 'router-fault',
    stage: 'router',
    atS: 120,
    sinceS: 1,
  },
  {
    scenario: 'frontend-stuck-probes-pass',
    why: 'requests are lost between HTTP and scheduler',
    kind: 'frontend-stuck',
    engine: D0,
    atS: 120,
    sinceS: 0,
  },
  {
    scenario: 'stale-running-gauge',
    why: 'the gauge says 24 half a minute after the last step',
    kind: 'stale-gauge',
    stage: 'decode.running',
    engine: D0,
    atS: 25,
  },
];

/** Nothing is wrong in these, whatever it looks like. */
const CALM = [
  'bursts-and-pauses',
  'trickle',
  'rolling-restart-decode',
  'rolling-restart-prefill',
  'counter-reset',
  'clock-step',
  'long-prefill',
  'probes-only',
  'inflight-artefact',
  'idle-dp-ranks',
  'absorbed-aborts',
  'kv-nearly-full',
  'retraction-recovers',
  'scale-out-in',
] as const;

const EVERY_MS = 5_000;
/** Scrape plus 40 decode steps of up to 50 ms. */
const SINCE_SLACK_MS = EVERY_MS + 2_000;

const judge = (series: Parameters<typeof prepare>[0], atMs: number): PipelineEvaluation | undefined =>
  evaluate(prepare(series), atMs)[0];

const wanted = ({ kind, stage, engine }: Row): Partial<Verdict> => ({
  kind,
  ...(stage && { stage }),
  ...(engine && { engine }),
});

describe('faults', () => {
  it.each(FAULTS.map((row) => [row.scenario, row.why, row] as const))('%s: %s', (_, __, row) => {
    const { series } = recordScenario(scenarioNamed(row.scenario), 1, { prefill: 1, decode: 1 });
    const atMs = Math.min(END_MS, T0_MS + row.atS * 1000);
    const verdict = judge(series, atMs)?.verdict;
    expect(verdict).toMatchObject(wanted(row));
    if (row.sinceS !== undefined) {
      expect(Math.abs((verdict?.sinceMs ?? 0) - (T0_MS + row.sinceS * 1000))).toBeLessThanOrEqual(SINCE_SLACK_MS);
    }
  });
});

describe('calm', () => {
  const rows = CALM.flatMap((scenario) => [5_000, 15_000].map((everyMs) => [scenario, everyMs] as const));

  it.each(rows)('%s, every %i ms: no alarm at any instant', (scenario, everyMs) => {
    const recording = recordScenario(scenarioNamed(scenario), 1, { prefill: 1, decode: 1 });
    const fleet = prepare(scrapedEvery(recording.series, everyMs));
    const loud = instants(everyMs, recording.startMs)
      .flatMap((atMs) => evaluate(fleet, atMs))
      .filter(({ verdict }) => verdict.severity !== 'none' && verdict.severity !== 'info');
    expect(loud.map((e) => `${new Date(e.atMs).toISOString().slice(11, 19)} ${e.verdict.headline}`)).toEqual([]);
  });
});

describe('with less evidence', () => {
  const roleMapping = { label: 'instance', prefill: 'prefill-.*', decode: 'decode-.*' };

  it.each(['early', 'gauges', 'heartbeat'] as const)(
    'founding, %s: the stall is named, and calm before',
    (evidence) => {
      const { series, startMs } = recordScenario(scenarioNamed('founding'), 1, { prefill: 1, decode: 1 }, evidence);
      const fleet = prepare(series, { roleMapping });
      const judged = instants(EVERY_MS, startMs).flatMap((atMs) => evaluate(fleet, atMs));
      const named = judged.find((e) => e.verdict.severity === 'critical');
      // Three scrapes with counters; gauges alone must first outlast two idle refreshes.
      const budgetMs = (evidence === 'gauges' ? 60_000 : 0) + 3 * EVERY_MS;
      expect(named?.verdict.kind).toBe('transfer-stalled');
      expect(named?.atMs).toBeGreaterThanOrEqual(T0_MS);
      expect((named?.atMs ?? Infinity) - T0_MS).toBeLessThanOrEqual(budgetMs);
      expect(judged[judged.length - 1]?.verdict.kind).toBe('transfer-stalled');
    }
  );

  // Decode takes out those whose clients gave up, so its loop lives; in the other it takes out none.
  it.each([
    ['founding', 'transfer-stalled', []],
    ['founding-blocked-loop', 'decode-wedged', ['decode-admission-blocked', 'aborts-not-absorbed', 'rank-divergence']],
  ] as const)('%s: gauges alone name the other kinds that it could be', (name, kind, alternatives) => {
    const { series } = recordScenario(scenarioNamed(name), 1, { prefill: 1, decode: 1 }, 'gauges');
    const verdict = evaluate(prepare(series, { roleMapping }), END_MS)[0]?.verdict;
    expect(verdict?.completeness).toBeLessThan(0.5);
    expect(verdict).toMatchObject({ kind, alternatives });
  });

  it('asks for the role mapping where no engine tells its side', () => {
    const { series } = recordScenario(scenarioNamed('founding'), 1, { prefill: 1, decode: 1 }, 'gauges');
    expect(judge(series, END_MS)?.verdict).toMatchObject({ kind: 'unknown' });
    expect(judge(series, END_MS)?.verdict.detail).toMatch(/role mapping/);
  });
});
