/** How much of the truth a release's metrics can tell: the rows of the version table. */
export const EVIDENCES = ['full', 'early', 'gauges', 'heartbeat'] as const;
export type Evidence = (typeof EVIDENCES)[number];

/** What differs on the wire between SGLang releases. A new spelling is a new row, not a new branch. */
export interface VersionProfile {
  readonly version: string;
  readonly prefix: string;
  readonly bootstrapQueueGauge: string;
  readonly inflightQueueGauge: string;
  /** Whether the tokenizer's metrics say which role they belong to (0.5.11 and later). */
  readonly tokenizerHasEngineType: boolean;
  /** Up to 0.5.8 every scheduler calls itself "unified". */
  readonly schedulerKnowsRole: boolean;
  /** Values of `stage` that are counted; none before 0.5.3. */
  readonly countedStages: readonly string[];
  /** Event counters that came later than the stages: `queue_time_seconds`, tokens and passes, HTTP, pool sizes. */
  readonly hasQueueTime: boolean;
  readonly hasTokenCounters: boolean;
  readonly hasHttpMetrics: boolean;
  /** Until when an HTTP request counts as active: its stream ends, or the headers of its response are sent (before 0.5.10). */
  readonly httpEndsWith: 'stream' | 'headers';
  /** Passes of a prefill, too, are counted by their mode (0.5.10). */
  readonly countsPrefillPasses: boolean;
  readonly hasPoolTokens: boolean;
  readonly hasMaxTokens: boolean;
  /** Latency, speed and size of a transfer; gauges hold the last transfer only, and had no size before 0.5.7. */
  readonly transferMetrics: 'histograms' | 'gauges';
  /** A batch is reported when it is scheduled (inflight without it), or with its result (inflight with it); 0.5.9 forgets it. */
  readonly prefillReportsAt: 'scheduling' | 'result' | 'never';
  /** 0.5.2 sets decode's two queue gauges after the push, so they show with the next one; its idle refresh sets none. */
  readonly queueGauges: 'pushed' | 'late';
  /** Queues that hold back the idle refresh: all of them, or none of those that wait for a handshake or a transfer. */
  readonly idleRefreshNeeds: 'nothing parked' | 'inflight and decode queues empty' | 'inflight and prealloc empty';
  /** `scheduler_*_seconds_total`, written about every second by a living loop (0.5.20). */
  readonly hasHeartbeat: boolean;
  /** Label `is_streaming` of the tokenizer's request metrics (0.5.17). */
  readonly hasStreamingLabel: boolean;
}

const DECODE_STAGES = ['decode_prepare', 'decode_bootstrap', 'decode_transferred', 'decode_waiting'] as const;
const PREFILL_STAGES = ['prefill_bootstrap', 'prefill_forward', 'prefill_transfer_kv_cache'] as const;

export const SGLANG_0_5_12: VersionProfile = {
  version: '0.5.12',
  prefix: 'sglang:',
  bootstrapQueueGauge: 'num_prefill_bootstrap_queue_reqs',
  inflightQueueGauge: 'num_prefill_inflight_queue_reqs',
  tokenizerHasEngineType: true,
  schedulerKnowsRole: true,
  countedStages: [...PREFILL_STAGES, ...DECODE_STAGES, 'chunked_prefill', 'fake_output'],
  hasQueueTime: true,
  hasTokenCounters: true,
  hasHttpMetrics: true,
  httpEndsWith: 'stream',
  countsPrefillPasses: true,
  hasPoolTokens: true,
  hasMaxTokens: true,
  transferMetrics: 'histograms',
  prefillReportsAt: 'result',
  queueGauges: 'pushed',
  idleRefreshNeeds: 'nothing parked',
  hasHeartbeat: false,
  hasStreamingLabel: false,
};

export const SGLANG_0_5_18: VersionProfile = { ...SGLANG_0_5_12, version: '0.5.18', hasStreamingLabel: true };

/** Entry edges and tokens, but a prefill engine shows no work, and an HTTP request ends with its headers. */
export const SGLANG_0_5_9: VersionProfile = {
  ...SGLANG_0_5_12,
  version: '0.5.9',
  bootstrapQueueGauge: 'num_prefill_prealloc_queue_reqs',
  tokenizerHasEngineType: false,
  countedStages: [...PREFILL_STAGES, ...DECODE_STAGES, 'prefill_prepare', 'prefill_waiting'],
  httpEndsWith: 'headers',
  countsPrefillPasses: false,
  transferMetrics: 'gauges',
  prefillReportsAt: 'never',
};

/** Stage counters with entry edges, but neither token nor HTTP counters, and no role label. */
export const SGLANG_0_5_6: VersionProfile = {
  ...SGLANG_0_5_12,
  version: '0.5.6',
  bootstrapQueueGauge: 'num_prefill_prealloc_queue_reqs',
  tokenizerHasEngineType: false,
  schedulerKnowsRole: false,
  countedStages: [...PREFILL_STAGES, ...DECODE_STAGES, 'prefill_prepare', 'prefill_waiting'],
  hasTokenCounters: false,
  hasHttpMetrics: false,
  hasPoolTokens: false,
  hasMaxTokens: false,
  transferMetrics: 'gauges',
  prefillReportsAt: 'scheduling',
  idleRefreshNeeds: 'inflight and decode queues empty',
};

/** Gauges, and the few counters of the tokenizer. */
export const SGLANG_0_5_2: VersionProfile = {
  ...SGLANG_0_5_6,
  version: '0.5.2',
  countedStages: [],
  hasQueueTime: false,
  queueGauges: 'late',
  idleRefreshNeeds: 'inflight and prealloc empty',
};

export const SGLANG_0_5_20: VersionProfile = {
  ...SGLANG_0_5_12,
  version: '0.5.20',
  hasHeartbeat: true,
  hasStreamingLabel: true,
};

export const PROFILES: Readonly<Record<Evidence, VersionProfile>> = {
  full: SGLANG_0_5_12,
  early: SGLANG_0_5_6,
  gauges: SGLANG_0_5_2,
  heartbeat: SGLANG_0_5_20,
};
