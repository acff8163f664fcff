/**
 * The words of the pipeline: what goes in (series), what comes out (verdict, stage readings, hypotheses, events).
 * Plain data only. Missing is `undefined`, never 0, -1 or NaN. Times are epoch milliseconds, rates are per second.
 */

export const ROLES = ['prefill', 'decode', 'unified', 'router'] as const;
export type Role = (typeof ROLES)[number];

/** Stages in the order of flow: router, prefill lane, decode lane. */
export const STAGES = [
  'router',
  'prefill.bootstrap',
  'prefill.waiting',
  'prefill.forward',
  'prefill.inflight',
  'decode.prealloc',
  'decode.transfer',
  'decode.waiting',
  'decode.running',
] as const;
export type StageId = (typeof STAGES)[number];

/** Worst first: the order in which engines of a stage are listed and aggregated. */
export const STAGE_STATES = [
  'lost',
  'stalled',
  'zombie',
  'blocked',
  'slow',
  'unknown',
  'starved',
  'flowing',
  'idle',
] as const;
export type StageState = (typeof STAGE_STATES)[number];

export const VERDICT_KINDS = [
  'healthy',
  'idle',
  'unknown',
  'router-fault',
  'frontend-stuck',
  'handshake-stalled',
  'prefill-stalled',
  'prefill-saturated',
  'transfer-stalled',
  'transfer-slow',
  'decode-admission-blocked',
  'decode-wedged',
  'decode-slow',
  'zombie-requests',
  'aborts-not-absorbed',
  'leaked-bookkeeping',
  'rank-divergence',
  'engine-down',
  'stale-gauge',
] as const;
export type VerdictKind = (typeof VERDICT_KINDS)[number];

/** `none` needs nobody, `info` is worth a look, `warning` and `critical` are alarms. */
export type Severity = 'none' | 'info' | 'warning' | 'critical';

export const HYPOTHESIS_KINDS = [
  'zombie-requests',
  'stale-gauge',
  'leaked-counters',
  'kv-exhausted',
  'slow-transfer',
  'router-fault',
  'prefill-fault',
  'engine-down',
  'decode-wedged',
  'transfer-stalled',
] as const;
export type HypothesisKind = (typeof HYPOTHESIS_KINDS)[number];
export type HypothesisStatus = 'supported' | 'refuted' | 'undecided';

export const EVENT_KINDS = [
  'abort-burst',
  'restart',
  'lost',
  'back',
  'stall-start',
  'recovery',
  'gauge-stale',
  'retraction',
  'timer-expiry',
  'canary-failed',
  'canary-succeeded',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** One Prometheus series: label set (with `__name__`), ascending sample times, finite values. */
export interface RawSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
}

/** What an operator may set; everything has a working default. */
export interface PipelineOptions {
  /** Scrape interval; read from the spacing of the samples when absent. */
  readonly intervalMs?: number;
  /** Which label tells the role of an engine, where `engine_type` does not. Values are anchored regular expressions. */
  readonly roleMapping?: RoleMapping;
  /** Replaces the self-adjusting stall window of every stage. */
  readonly windowMs?: number;
  /** The SGLang release of every engine, such as `0.5.9`; read from the series when absent. */
  readonly sglangVersion?: string;
}

/** SGLang releases that an engine may be of: `from` one on, and `before` another. A missing bound is not known. */
export interface VersionRange {
  readonly from?: string;
  readonly before?: string;
}

export interface RoleMapping {
  readonly label: string;
  readonly prefill?: string;
  readonly decode?: string;
  readonly router?: string;
}

/** How instants are worded in sentences; the caller knows the time zone of the reader, the core does not. */
export interface Words {
  /** Wall clock of an instant, such as `20:38:03`. */
  readonly time: (atMs: number) => string;
}

/** What the gauge of a stage says, and whether it may be believed. */
export interface GaugeReading {
  readonly value: number;
  /** `false` when the engine has not pushed its gauges since before the last few scrapes and is not verifiably idle. */
  readonly fresh: boolean;
  /** Last instant at which the gauges of this engine were known to be true. */
  readonly trueAtMs?: number;
}

/** Requests in a stage. `balance`: difference of edge counters (shown as ≈). `none`: nothing proves a number. */
export interface Depth {
  readonly source: 'balance' | 'gauge' | 'none';
  readonly value?: number;
  readonly gauge?: GaugeReading;
}

/** One stage of one engine, or the whole stage summed over its engines. */
export interface StageReading {
  readonly stage: StageId;
  /** Empty for the sum over engines. */
  readonly engine: string;
  /** The data-parallel rank that is meant, where one of several stands and the engine as a whole does not. */
  readonly rank?: string;
  readonly state: StageState;
  /** One plain sentence: why this state. */
  readonly reason: string;
  readonly depth: Depth;
  readonly arrivalsPerSec?: number;
  readonly departuresPerSec?: number;
  /** Since when the stage has not been empty, without any departure. */
  readonly parkedSinceMs?: number;
  /** While stalled: the instant from which nothing has got through. */
  readonly stalledSinceMs?: number;
  /** Last instant known to show a departure (or, for running, a decode step). */
  readonly lastProgressMs?: number;
  /** The stage that this one waits for, when blocked. */
  readonly waitingOn?: StageId;
  /** The window that the state was judged over. */
  readonly windowMs: number;
  /** Share of the scrapes expected in the window that are there, 0…1. */
  readonly completeness: number;
}

/** `culprit` is the one place drawn in colour; `consequence` waits for it. */
export type StagePart = 'culprit' | 'consequence' | 'none';

export interface StageSummary extends StageReading {
  readonly part: StagePart;
  /** Worst first. */
  readonly engines: readonly StageReading[];
}

export interface EngineReading {
  readonly id: string;
  readonly role: Role;
  readonly state: 'live' | 'lost' | 'unscraped';
  /** Last scrape that delivered data. */
  readonly lastSampleMs?: number;
  /** Last instant at which the scheduler provably did something. */
  readonly lastProgressMs?: number;
  /** `true` as long as something still says that the engine is fine (target up, router health). */
  readonly healthy?: boolean;
  /** The SGLang releases that it may be of. */
  readonly releases?: VersionRange;
}

/** One fact behind a conclusion, with the series it was read from. */
export interface Evidence {
  readonly text: string;
  /** Metric name as Prometheus knows it, so that the reader can open it. */
  readonly signal: string;
  readonly engine?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface PipelineEvent {
  readonly kind: EventKind;
  readonly atMs: number;
  readonly engine?: string;
  readonly stage?: StageId;
  /** Aborted requests of a burst, milliseconds of an outage, … ; the text says which. */
  readonly size?: number;
  readonly text: string;
}

export interface Trigger {
  readonly kind: EventKind;
  readonly atMs: number;
  readonly size: number;
}

export interface Finding {
  readonly kind: VerdictKind;
  readonly severity: Severity;
  readonly stage?: StageId;
  readonly engine?: string;
  readonly sinceMs?: number;
  readonly headline: string;
}

export interface Verdict extends Finding {
  /** One or two sentences below the headline. */
  readonly detail: string;
  /** How much of the evidence that this kind needs was there, 0…1. */
  readonly completeness: number;
  readonly evidence: readonly Evidence[];
  /** Kinds that the available metrics cannot tell from this one. */
  readonly alternatives: readonly VerdictKind[];
  readonly trigger?: Trigger;
  readonly remedy?: string;
  readonly recoverySign?: string;
  /** Upstream defects whose symptoms match, best first; never claimed to be the cause. */
  readonly knownDefects: readonly KnownDefect[];
}

export interface KnownDefect {
  /** Repository and number, such as `sgl-project/sglang#31144`. */
  readonly issue: string;
  readonly text: string;
  /** First SGLang release without it; absent where none is known. */
  readonly fixedIn?: string;
}

export interface Hypothesis {
  readonly kind: HypothesisKind;
  readonly status: HypothesisStatus;
  /** Human name, such as "Zombie requests". */
  readonly name: string;
  /** One short sentence that decides it. */
  readonly text: string;
  readonly evidence: readonly Evidence[];
}

export const PROBLEM_KINDS = [
  'no-series',
  'one-sided',
  'unknown-role',
  'standalone-engine',
  'missing-metric',
  'non-finite',
  'out-of-order',
  'duplicate-series',
  'unreadable-frame',
  'query-failed',
  'query-warning',
  'unknown-version',
  'too-many-engines',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/** Something about the input that the reader must know; never thrown. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly text: string;
  readonly nextStep: string;
}

/** Which metric families were expected, and which of them were seen. */
export interface MetricContract {
  readonly seen: readonly string[];
  /** Neither seen nor explained by the release. */
  readonly missing: readonly string[];
  /** Not in the release that the engines run, with the first release that has it. */
  readonly notInRelease: ReadonlyArray<{ readonly family: string; readonly since: string }>;
}

/** Everything known about one pipeline at one instant. */
export interface PipelineEvaluation {
  readonly id: string;
  readonly atMs: number;
  /** Newest sample of any engine at or before `atMs`. */
  readonly dataAsOfMs?: number;
  readonly verdict: Verdict;
  readonly findings: readonly Finding[];
  readonly hypotheses: readonly Hypothesis[];
  readonly stages: readonly StageSummary[];
  readonly engines: readonly EngineReading[];
  /** "health says OK, progress says no" and the like, one sentence each. */
  readonly contradictions: readonly string[];
  readonly metrics: MetricContract;
}

/** A span of unchanged state, `fromMs` inclusive, `toMs` exclusive. */
export interface StateSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: StageState;
  readonly part: StagePart;
}

export interface VerdictSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: VerdictKind;
  readonly severity: Severity;
  readonly stage?: StageId;
}

/** The same judgement over a whole range, in hindsight: a fault is drawn from its `since`, not from when it was named. */
export interface Timeline {
  readonly fromMs: number;
  readonly toMs: number;
  readonly verdicts: readonly VerdictSpan[];
  readonly stages: ReadonlyArray<{ readonly stage: StageId; readonly spans: readonly StateSpan[] }>;
  readonly events: readonly PipelineEvent[];
}
