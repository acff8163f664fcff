/**
 * SGLang's Prometheus series, as data: what each one is called on the wire and which signal of the pipeline it feeds.
 * Source: the metric declarations and call sites of SGLang release tags 0.4.3 to 0.5.18; see docs/stall-rules.md. What
 * differs between releases stands in `versions.ts`.
 */

/** A metric of an engine. Names are without the prefix, newest spelling first. */
export interface Signal {
  readonly kind: 'counter' | 'gauge';
  readonly names: readonly string[];
  /** Only series whose label has exactly this value; one without the label carries it in its name. */
  readonly where?: { readonly label: string; readonly value: string };
  /** Only series of which one of these labels matches the anchored pattern. */
  readonly matching?: { readonly labels: readonly string[]; readonly pattern: string };
  /** Published once per rank: only the leader of each data-parallel rank counts. */
  readonly perRank?: boolean;
  /** How data-parallel ranks add up; steps of ranks run side by side, so the busiest rank counts. */
  readonly combine?: 'sum' | 'most';
}

/** The wire uses `sglang:`, gateways and the shipped dashboard use `sglang_`. */
export const ENGINE_PREFIX = /^sglang[:_]/;
export const ENGINE_PREFIX_PROMQL = 'sglang[:_]';

const GENERATING_ENDPOINTS =
  '/generate|/v1/completions|/v1/chat/completions|/v1/responses|/v1/messages|/api/(generate|chat)|/invocations|/vertex_generate';

const stage = (value: string): Signal => ({
  kind: 'counter',
  names: ['per_stage_req_latency_seconds_count'],
  where: { label: 'stage', value },
  perRank: true,
});
const rankCounter = (...names: string[]): Signal => ({ kind: 'counter', names, perRank: true });
const rankGauge = (...names: string[]): Signal => ({ kind: 'gauge', names, perRank: true });
const tokens = (value: string): Signal => ({
  kind: 'counter',
  names: ['realtime_tokens_total'],
  where: { label: 'mode', value },
  perRank: true,
});
const passes = (pattern: string): Signal => ({
  kind: 'counter',
  names: ['cuda_graph_passes_total'],
  matching: { labels: ['mode'], pattern },
  perRank: true,
  combine: 'most',
});
/** A target that Prometheus found by a service has an `endpoint` of its own, and SGLang's is put aside. */
const ENDPOINT_LABELS = ['endpoint', 'exported_endpoint'] as const;
const httpCounter = (name: string): Signal => ({
  kind: 'counter',
  names: [name],
  matching: { labels: ENDPOINT_LABELS, pattern: GENERATING_ENDPOINTS },
});

export const SIGNALS = {
  'prefill.entered': stage('prefill_prepare'),
  'prefill.bootstrapped': stage('prefill_bootstrap'),
  'prefill.chunked': stage('chunked_prefill'),
  'prefill.forwarded': stage('prefill_forward'),
  'prefill.transferred': stage('prefill_transfer_kv_cache'),
  'decode.received': stage('decode_prepare'),
  'decode.bootstrapped': stage('decode_bootstrap'),
  'decode.transferred': stage('decode_transferred'),
  'decode.scheduled': stage('decode_waiting'),
  scheduled: rankCounter('queue_time_seconds_count'),
  'kv.transfers': rankCounter('kv_transfer_latency_ms_count'),
  'kv.megabytes': rankCounter('kv_transfer_total_mb_sum'),
  'bootstrap.failed': rankCounter('num_bootstrap_failed_reqs_total'),
  'transfer.failed': rankCounter('num_transfer_failed_reqs_total'),
  'tokens.decode': tokens('decode'),
  'tokens.prefill': tokens('prefill_compute'),
  'tokens.cached': tokens('prefill_cache'),
  'passes.decode': passes('decode.*'),
  'passes.prefill': passes('prefill.*'),
  heartbeat: rankCounter('scheduler_stage_seconds_total'),
  'requests.retracted': rankCounter('num_retracted_requests_total'),
  'requests.finished': { kind: 'counter', names: ['num_requests_total'] },
  'requests.aborted': { kind: 'counter', names: ['num_aborted_requests_total'] },
  'tokens.streamed': {
    kind: 'counter',
    names: ['inter_token_latency_seconds_count', 'time_per_output_token_seconds_count'],
  },
  'seconds.streamed': {
    kind: 'counter',
    names: ['inter_token_latency_seconds_sum', 'time_per_output_token_seconds_sum'],
  },
  /** On decode only, and never for a probe. */
  'tokens.first': { kind: 'counter', names: ['time_to_first_token_seconds_count'] },
  'http.requests': httpCounter('http_requests_total'),
  /** Of all endpoints: shows that the HTTP server is scraped, also where only health probes have come. */
  'http.all': { kind: 'counter', names: ['http_requests_total'] },
  'http.responses': httpCounter('http_responses_total'),
  /** Answered by the HTTP process when the scheduler has given no sign for 20 s. */
  'checks.failed': {
    kind: 'counter',
    names: ['http_responses_total'],
    where: { label: 'status_code', value: '503' },
    matching: { labels: ENDPOINT_LABELS, pattern: '/health|/health_generate' },
  },
  'http.active': {
    kind: 'gauge',
    names: ['http_requests_active'],
    matching: { labels: ENDPOINT_LABELS, pattern: GENERATING_ENDPOINTS },
  },
  'gauge.running': rankGauge('num_running_reqs'),
  'gauge.waiting': rankGauge('num_queue_reqs'),
  'gauge.bootstrap': rankGauge('num_prefill_bootstrap_queue_reqs', 'num_prefill_prealloc_queue_reqs'),
  'gauge.inflight': rankGauge('num_prefill_inflight_queue_reqs', 'num_prefill_infight_queue_reqs'),
  'gauge.prealloc': rankGauge('num_decode_prealloc_queue_reqs'),
  'gauge.transfer': rankGauge('num_decode_transfer_queue_reqs'),
  'gauge.usage': rankGauge('token_usage'),
  'gauge.throughput': rankGauge('gen_throughput'),
  'gauge.tokens': rankGauge('num_used_tokens'),
  /** Retracted since the last push: all there is before 0.5.7. */
  'gauge.retracted': rankGauge('num_retracted_reqs'),
} as const satisfies Record<string, Signal>;

export type SignalId = keyof typeof SIGNALS;

/** An engine at rest pushes its gauges within this time; until then those left over from the last batch stand. */
export const IDLE_REFRESH_MS = 30_000;

/** Requests that run or wait, as the scheduler's gauges tell. */
export const QUEUE_GAUGES = [
  'gauge.running',
  'gauge.waiting',
  'gauge.bootstrap',
  'gauge.inflight',
  'gauge.prealloc',
  'gauge.transfer',
] as const satisfies readonly SignalId[];

/** Gauges that SGLang's scheduler pushes together: when one of them moved, all of them were true at that instant. */
export const PUSHED_GAUGES = [
  ...QUEUE_GAUGES,
  'gauge.usage',
  'gauge.throughput',
  'gauge.tokens',
] as const satisfies readonly SignalId[];

/**
 * Router and gateway series; names are complete. `sgl_router_*` is the router before December 2025, `smg_*` after; both
 * were scraped from the released packages (docs/sglang-facts.md). The experimental sgl-router uses the old prefix with
 * names of its own; its `worker_requests_total` counts legs when they end, so it is no selection.
 */
export const ROUTER_SIGNALS = {
  'router.requests': {
    kind: 'counter',
    names: ['smg_http_requests_total', 'sgl_router_pd_requests_total', 'sgl_router_requests_total'],
    matching: { labels: ['path', 'route'], pattern: GENERATING_ENDPOINTS },
  },
  'router.responses': {
    kind: 'counter',
    names: ['smg_http_responses_total', 'sgl_router_http_responses_total', 'sgl_router_responses_total'],
  },
  /** Errors, but for clients that left (499). */
  'router.refused': {
    kind: 'counter',
    names: ['smg_http_responses_total', 'sgl_router_http_responses_total', 'sgl_router_responses_total'],
    matching: { labels: ['status_code'], pattern: '4([0-8][0-9]|9[0-8])|5[0-9][0-9]' },
  },
  'router.errors': { kind: 'counter', names: ['smg_router_request_errors_total', 'sgl_router_pd_errors_total'] },
  'router.connections': { kind: 'gauge', names: ['smg_http_connections_active'] },
  'router.aged': {
    kind: 'gauge',
    names: ['smg_http_inflight_request_age_count'],
    matching: { labels: ['gt'], pattern: '[1-9][0-9]*' },
  },
  'router.health': { kind: 'gauge', names: ['smg_worker_health', 'sgl_router_worker_health'] },
  'router.breaker': {
    kind: 'gauge',
    names: ['smg_worker_cb_state', 'sgl_router_cb_state', 'sgl_router_worker_cb_state'],
    combine: 'most',
  },
  'router.prefill': {
    kind: 'counter',
    names: ['smg_worker_selection_total', 'sgl_router_pd_prefill_requests_total'],
    where: { label: 'worker_type', value: 'prefill' },
  },
  'router.decode': {
    kind: 'counter',
    names: ['smg_worker_selection_total', 'sgl_router_pd_decode_requests_total'],
    where: { label: 'worker_type', value: 'decode' },
  },
} as const satisfies Record<string, Signal>;

/** Made by the query plan from SGLang's series: how far the stage counts of an engine's ranks lie apart. */
export const RANK_SPREAD = 'pdflow_rank_spread';
export const DERIVED_SIGNALS = {
  'ranks.spread': { kind: 'gauge', names: [RANK_SPREAD] },
} as const satisfies Record<string, Signal>;

export type RouterSignalId = keyof typeof ROUTER_SIGNALS;
export type AnySignalId = SignalId | RouterSignalId | keyof typeof DERIVED_SIGNALS;

const signalOf = (id: AnySignalId): Signal => ({ ...SIGNALS, ...ROUTER_SIGNALS, ...DERIVED_SIGNALS })[id];

/** Counted by the scheduler of each rank, not by the HTTP process of the whole engine. */
export const isPerRank = (id: AnySignalId): boolean => signalOf(id).perRank === true;

const RANK_GAUGES: ReadonlySet<string> = new Set(
  Object.values<Signal>(SIGNALS).flatMap(({ kind, perRank, names }) => (perRank && kind === 'gauge' ? names : []))
);

/** Whether a family is a gauge of the scheduler, which only the leader of each data-parallel rank publishes. */
export const isPerRankGauge = (family: string): boolean => RANK_GAUGES.has(family);

/** The name to show to a reader, and to look up in Prometheus. */
export function metricName(id: AnySignalId): string {
  const signal = signalOf(id);
  const name = `${id in ROUTER_SIGNALS ? '' : 'sglang:'}${signal.names[0] ?? ''}`;
  return signal.where ? `${name}{${signal.where.label}="${signal.where.value}"}` : name;
}

/** The families without which a verdict cannot be proven, for the health check and the metric contract. */
export const EXPECTED_FAMILIES = [
  'per_stage_req_latency_seconds_count',
  'realtime_tokens_total',
  'num_aborted_requests_total',
  'num_transfer_failed_reqs_total',
  'kv_transfer_latency_ms_count',
  'queue_time_seconds_count',
  'http_requests_total',
  'http_requests_active',
  'num_requests_total',
  'num_running_reqs',
  'num_queue_reqs',
  'num_prefill_inflight_queue_reqs',
  'num_decode_prealloc_queue_reqs',
  'num_decode_transfer_queue_reqs',
  'token_usage',
] as const;
