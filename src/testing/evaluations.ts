/** Evaluations built by hand, as the diagram gets them. Only tests and previews read these. */
import {
  STAGES,
  type EngineReading,
  type Hypothesis,
  type HypothesisKind,
  type HypothesisStatus,
  type PipelineEvaluation,
  type StageId,
  type StageReading,
  type StageState,
  type StageSummary,
  type StateSpan,
  type Timeline,
  type Verdict,
} from '../pipeline/model';

const MINUTE = 60_000;

/** 20:48:48 in UTC of the night of the incident. */
export const AT_MS = Date.UTC(2026, 4, 12, 20, 48, 48);
export const STALL_MS = Date.UTC(2026, 4, 12, 20, 38, 3);
const DATA_MS = AT_MS - 3000;
const FROM_MS = AT_MS - 30 * MINUTE - 48_000;

export function reading(stage: StageId, state: StageState, more: Partial<StageSummary> = {}): StageSummary {
  const engine =
    stage === 'router' ? '10.0.0.1:29000' : stage.startsWith('prefill') ? '10.0.0.1:30000' : '10.0.0.2:30002';
  const base: StageReading = {
    stage,
    engine,
    state,
    reason: `Built by hand to be ${state}.`,
    depth: { source: 'balance', value: 0 },
    arrivalsPerSec: 0.1,
    departuresPerSec: 0.1,
    windowMs: 45_000,
    completeness: 1,
    ...more,
  };
  return { ...base, engine: '', part: more.part ?? 'none', engines: more.engines ?? [base] };
}

function spans(
  stage: StageId,
  after: ReadonlyArray<Pick<StateSpan, 'state' | 'part'>>
): { stage: StageId; spans: StateSpan[] } {
  const step = (AT_MS - STALL_MS) / Math.max(1, after.length);
  const before: StateSpan = { fromMs: FROM_MS, toMs: STALL_MS, state: 'flowing', part: 'none' };
  const later = after.map((span, index) => ({
    ...span,
    fromMs: STALL_MS + index * step,
    toMs: STALL_MS + (index + 1) * step,
  }));
  return { stage, spans: [before, ...later] };
}

function engine(id: string, role: EngineReading['role'], state: EngineReading['state'] = 'live'): EngineReading {
  return { id, role, state, lastSampleMs: DATA_MS, healthy: state === 'live' };
}

const HYPOTHESIS_ROWS: ReadonlyArray<readonly [HypothesisKind, HypothesisStatus, string, string]> = [
  ['transfer-stalled', 'supported', 'Transfer stalled', 'none concluded for 10 m 45 s'],
  ['stale-gauge', 'supported', 'Stale gauge', 'decode running reads 2, counters say 0, 3 more'],
  ['zombie-requests', 'refuted', 'Zombie requests', 'no decode token since 20:38:03'],
  ['router-fault', 'refuted', 'Router fault', 'both sides get requests'],
  ['prefill-fault', 'refuted', 'Prefill fault', 'computed 4 since'],
  ['kv-exhausted', 'refuted', 'KV exhausted', '4 admitted since: there was room'],
  ['slow-transfer', 'refuted', 'Slow transfer', '0 concluded in 10 m 45 s'],
  ['leaked-counters', 'refuted', 'Leaked counters', 'traffic is affected'],
  ['engine-down', 'refuted', 'Engine down', 'every engine answers its scrapes'],
  ['decode-wedged', 'undecided', 'Decode loop dead', 'unlikely: handshakes pass'],
];

const HYPOTHESES: readonly Hypothesis[] = HYPOTHESIS_ROWS.map(([kind, status, name, text]) => ({
  kind,
  status,
  name,
  text,
  evidence: [{ text, signal: 'sglang:num_requests_total', engine: '10.0.0.2:30002', fromMs: STALL_MS, toMs: AT_MS }],
}));

function verdict(more: Partial<Verdict>): Verdict {
  return {
    kind: 'healthy',
    severity: 'none',
    headline: 'Flowing: 3.4 requests/s delivered',
    detail: 'All stages move; nothing waits longer than usual.',
    completeness: 1,
    evidence: [],
    alternatives: [],
    knownDefects: [],
    ...more,
  };
}

function evaluation(more: Partial<PipelineEvaluation>): PipelineEvaluation {
  return {
    id: 'deepseek-v4-flash',
    atMs: AT_MS,
    dataAsOfMs: DATA_MS,
    verdict: verdict({}),
    findings: [],
    hypotheses: HYPOTHESES.map((row) => ({ ...row, status: 'refuted' })),
    stages: STAGES.map((stage) => reading(stage, 'flowing', { arrivalsPerSec: 3.4, departuresPerSec: 3.4 })),
    engines: [engine('10.0.0.1:30000', 'prefill'), engine('10.0.0.2:30002', 'decode')],
    contradictions: [],
    metrics: { seen: [], missing: [], notInRelease: [] },
    ...more,
  };
}

const staleGauge = (value: number): { value: number; fresh: false; trueAtMs: number } => ({
  value,
  fresh: false,
  trueAtMs: STALL_MS,
});

/** The incident that founded the project, ten minutes in. */
export const founding: PipelineEvaluation = evaluation({
  verdict: verdict({
    kind: 'transfer-stalled',
    severity: 'critical',
    stage: 'decode.transfer',
    engine: '10.0.0.2:30002',
    sinceMs: STALL_MS,
    headline: 'KV transfer stalled for 10 m 45 s',
    detail:
      'Prefill hands over, decode has concluded no transfer since 20:38:03, right after 8 aborts. ' +
      '3 requests are parked; clients time out at 35 s.',
    trigger: { kind: 'abort-burst', atMs: STALL_MS, size: 8 },
    remedy: 'restart decode 10.0.0.2:30002',
    recoverySign: 'decode concludes a transfer after 20:38:03',
  }),
  findings: [
    {
      kind: 'stale-gauge',
      severity: 'info',
      headline: 'decode gauges are stale since 20:38:03 (running 2, transfer 0)',
    },
  ],
  hypotheses: HYPOTHESES,
  contradictions: ['health 200 ≠ no progress 10 m'],
  stages: [
    reading('router', 'blocked', {
      part: 'consequence',
      depth: { source: 'gauge', value: 3, gauge: { value: 3, fresh: true } },
      departuresPerSec: 0,
      waitingOn: 'decode.transfer',
    }),
    reading('prefill.bootstrap', 'flowing'),
    reading('prefill.waiting', 'flowing'),
    reading('prefill.forward', 'flowing', { lastProgressMs: AT_MS - 36_000 }),
    reading('prefill.inflight', 'blocked', {
      part: 'consequence',
      depth: { source: 'balance', value: 3, gauge: { value: 1, fresh: true } },
      departuresPerSec: 0,
      waitingOn: 'decode.transfer',
      lastProgressMs: STALL_MS,
    }),
    reading('decode.prealloc', 'flowing', { depth: { source: 'balance', value: 0, gauge: staleGauge(0) } }),
    reading('decode.transfer', 'stalled', {
      part: 'culprit',
      depth: { source: 'balance', value: 3, gauge: staleGauge(0) },
      departuresPerSec: 0,
      parkedSinceMs: STALL_MS,
      lastProgressMs: STALL_MS,
      reason: 'Requests arrived and none has left for 10 m 45 s.',
    }),
    reading('decode.waiting', 'starved', {
      depth: { source: 'balance', value: 0, gauge: staleGauge(0) },
      arrivalsPerSec: 0,
      departuresPerSec: 0,
    }),
    reading('decode.running', 'starved', {
      depth: { source: 'none', gauge: staleGauge(2) },
      arrivalsPerSec: 0,
      departuresPerSec: 0,
      lastProgressMs: STALL_MS,
    }),
  ],
});

const PROBED: ReadonlyArray<Pick<StateSpan, 'state' | 'part'>> = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({
  state: index % 3 === 1 ? 'flowing' : 'idle',
  part: 'none',
}));

export const foundingTimeline: Timeline = {
  fromMs: FROM_MS,
  toMs: AT_MS,
  verdicts: [
    { fromMs: FROM_MS, toMs: STALL_MS, kind: 'healthy', severity: 'none' },
    { fromMs: STALL_MS, toMs: AT_MS, kind: 'transfer-stalled', severity: 'critical', stage: 'decode.transfer' },
  ],
  stages: [
    spans('router', [{ state: 'blocked', part: 'consequence' }]),
    spans('prefill.bootstrap', PROBED),
    spans('prefill.waiting', PROBED),
    spans('prefill.forward', PROBED),
    spans('prefill.inflight', [{ state: 'blocked', part: 'consequence' }]),
    spans('decode.prealloc', PROBED),
    spans('decode.transfer', [{ state: 'stalled', part: 'culprit' }]),
    spans('decode.waiting', [{ state: 'starved', part: 'none' }]),
    spans('decode.running', [{ state: 'starved', part: 'none' }]),
  ],
  events: [
    { kind: 'abort-burst', atMs: STALL_MS, size: 8, text: '8 requests aborted within one scrape; none absorbed.' },
    { kind: 'stall-start', atMs: STALL_MS + 2000, stage: 'decode.transfer', text: 'KV transfer stops.' },
    { kind: 'gauge-stale', atMs: STALL_MS + 90_000, text: 'The gauges of decode stop being pushed.' },
  ],
};

export const quietTimeline: Timeline = {
  ...foundingTimeline,
  verdicts: [{ fromMs: FROM_MS, toMs: AT_MS, kind: 'healthy', severity: 'none' }],
  stages: STAGES.map((stage) => ({ stage, spans: [{ fromMs: FROM_MS, toMs: AT_MS, state: 'flowing', part: 'none' }] })),
  events: [],
};

export const healthy: PipelineEvaluation = evaluation({});

export const idle: PipelineEvaluation = evaluation({
  verdict: verdict({
    kind: 'idle',
    headline: 'Idle: no requests for 12 m',
    detail: 'Every engine answers and says so.',
  }),
  stages: STAGES.map((stage) => reading(stage, 'idle', { arrivalsPerSec: 0, departuresPerSec: 0 })),
});

/** Nothing that could prove progress is in the data. */
export const unknown: PipelineEvaluation = evaluation({
  dataAsOfMs: undefined,
  verdict: verdict({
    kind: 'unknown',
    severity: 'warning',
    headline: 'Unknown: no counters prove progress',
    detail: 'sglang:num_bootstrap_requests_total and 6 more were never seen.',
    remedy: 'start the engines with --enable-metrics',
    completeness: 0.2,
  }),
  hypotheses: HYPOTHESES.map((row) => ({ ...row, status: 'undecided', text: 'The metrics for this are missing.' })),
  stages: STAGES.map((stage) =>
    reading(stage, 'unknown', {
      depth: { source: 'none', gauge: stage === 'decode.running' ? staleGauge(2) : undefined },
      arrivalsPerSec: undefined,
      departuresPerSec: undefined,
      completeness: 0.2,
    })
  ),
  engines: [engine('10.0.0.1:30000', 'prefill', 'unscraped')],
});

function pool(stage: StageId, states: readonly StageState[]): readonly StageReading[] {
  return states.map((state, index) => ({ ...reading(stage, state), engine: `10.0.${index}.2:30002` }));
}

/** Four prefill and eight decode engines, two of the latter stalled and one lost. */
export const manyEngines: PipelineEvaluation = {
  ...founding,
  id: '4P8D',
  stages: founding.stages.map((stage) => {
    if (stage.stage === 'decode.transfer') {
      const engines = pool(stage.stage, [
        'lost',
        'stalled',
        'stalled',
        'flowing',
        'flowing',
        'flowing',
        'idle',
        'idle',
      ]);
      return { ...stage, depth: { source: 'balance', value: 1234 }, engines };
    }
    return stage.stage.startsWith('prefill')
      ? { ...stage, engines: pool(stage.stage, ['slow', 'flowing', 'flowing', 'flowing']) }
      : stage;
  }),
};

const LONG = 'x'.repeat(10_000);
const MARKUP = '<img src=x onerror="alert(1)"> "quoted" & ‮ reversed 🔥🔥 漢字';

/** Label values that nobody would choose, in every place where text of the data is shown. */
export const hostile: PipelineEvaluation = {
  ...founding,
  id: MARKUP + LONG,
  verdict: { ...founding.verdict, headline: MARKUP + LONG, detail: LONG, remedy: LONG + MARKUP, recoverySign: MARKUP },
  findings: [{ kind: 'stale-gauge', severity: 'info', headline: LONG }],
  contradictions: [LONG, MARKUP],
  hypotheses: HYPOTHESES.map((row) => ({ ...row, name: MARKUP + LONG, text: LONG + MARKUP })),
  stages: founding.stages.map((stage) => ({
    ...stage,
    reason: LONG,
    depth: { source: 'balance', value: 123_456_789_012 },
    arrivalsPerSec: 1e12,
    departuresPerSec: 1e-12,
    engines: pool(stage.stage, ['stalled']).map((one) => ({ ...one, engine: MARKUP + LONG })),
  })),
};
