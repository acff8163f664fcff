/** What differs on the wire between SGLang releases. A new spelling is a new row, not a new branch. */
export interface VersionProfile {
  readonly version: string;
  readonly prefix: string;
  readonly bootstrapQueueGauge: string;
  readonly inflightQueueGauge: string;
  /** Whether the tokenizer's metrics say which role they belong to (0.5.11 and later). */
  readonly tokenizerHasEngineType: boolean;
}

export const SGLANG_0_5_12: VersionProfile = {
  version: '0.5.12',
  prefix: 'sglang:',
  bootstrapQueueGauge: 'num_prefill_bootstrap_queue_reqs',
  inflightQueueGauge: 'num_prefill_inflight_queue_reqs',
  tokenizerHasEngineType: true,
};
