import { type Family } from './registry';
import { type VersionProfile } from './versionProfile';

const TRANSFER_MS_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2500, 5000] as const;
const FIRST_TOKEN_SECONDS_BOUNDS = [0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 80, 100, 200, 400] as const;

/** Every metric family that an engine exposes, spelled as the given release spells it. */
export type EngineFamilies = ReturnType<typeof schedulerFamilies> & ReturnType<typeof frontFamilies>;

/** Builds the families of one release; the keys are the simulator's own words for them. */
export function engineFamilies(profile: VersionProfile): EngineFamilies {
  return { ...schedulerFamilies(profile), ...frontFamilies(profile) };
}

function schedulerFamilies(profile: VersionProfile) {
  const { gauge, counter, histogram } = builders(profile.prefix);
  return {
    running: gauge('num_running_reqs', 'The number of running requests.'),
    queue: gauge('num_queue_reqs', 'The number of requests in the waiting queue.'),
    usedTokens: gauge('num_used_tokens', 'The number of used tokens.'),
    tokenUsage: gauge('token_usage', 'The token usage.'),
    genThroughput: gauge('gen_throughput', 'The generation throughput (token/s).'),
    cacheHitRate: gauge('cache_hit_rate', 'The prefix cache hit rate.'),
    bootstrapQueue: gauge(profile.bootstrapQueueGauge, 'The number of requests in the prefill bootstrap queue.'),
    inflightQueue: gauge(profile.inflightQueueGauge, 'The number of requests in the prefill inflight queue.'),
    preallocQueue: gauge('num_decode_prealloc_queue_reqs', 'The number of requests in the decode prealloc queue.'),
    transferQueue: gauge('num_decode_transfer_queue_reqs', 'The number of requests in the decode transfer queue.'),
    kvAvailable: gauge('kv_available_tokens', 'Free KV cache tokens.'),
    kvUsed: gauge('kv_used_tokens', 'KV cache tokens in use.'),
    maxTotalTokens: gauge('max_total_num_tokens', 'Maximum total number of tokens in the KV cache pool.'),
    realtimeTokens: counter('realtime_tokens', 'Tokens processed, updated on each report or decode step.'),
    passes: counter('cuda_graph_passes', 'Forward passes by CUDA graph mode.'),
    bootstrapFailed: counter('num_bootstrap_failed_reqs', 'The number of bootstrap failed requests.'),
    transferFailed: counter('num_transfer_failed_reqs', 'The number of transfer failed requests.'),
    stage: histogram('per_stage_req_latency_seconds', 'The latency of each stage of requests.'),
    queueTime: histogram('queue_time_seconds', 'Time until a request was first scheduled.'),
    transferLatency: histogram('kv_transfer_latency_ms', 'KV transfer latency in ms.', TRANSFER_MS_BOUNDS),
    transferMb: histogram('kv_transfer_total_mb', 'KV transfer size in MB.'),
    lastTransferLatency: gauge('kv_transfer_latency_ms', 'The transfer latency of the KV cache in ms.'),
    lastTransferSpeed: gauge('kv_transfer_speed_gb_s', 'The transfer speed of the KV cache in GB/s.'),
    retracted: gauge('num_retracted_reqs', 'The number of retracted requests.'),
    retractedRequests: counter('num_retracted_requests', 'Total number of retracted requests.'),
    stageSeconds: counter('scheduler_stage_seconds', 'Wall time of the scheduler loop by category.'),
    idleSeconds: counter('scheduler_idle_seconds', 'Wall time of the scheduler loop without a batch.'),
    cpuSeconds: counter('scheduler_process_cpu_seconds', 'CPU time of the scheduler process.'),
  };
}

function frontFamilies(profile: VersionProfile) {
  const { gauge, counter, histogram } = builders(profile.prefix);
  return {
    aborted: counter('num_aborted_requests', 'Number of requests aborted.'),
    requests: counter('num_requests', 'Number of requests processed.'),
    promptTokens: counter('prompt_tokens', 'Number of prefill tokens processed.'),
    generationTokens: counter('generation_tokens', 'Number of generation tokens processed.'),
    firstToken: histogram('time_to_first_token_seconds', 'Time to first token.', FIRST_TOKEN_SECONDS_BOUNDS),
    interToken: histogram('inter_token_latency_seconds', 'Inter-token latency.'),
    endToEnd: histogram('e2e_request_latency_seconds', 'End-to-end request latency.'),
    httpRequests: counter('http_requests', 'Total number of HTTP requests by endpoint and method.'),
    httpResponses: counter('http_responses', 'Total number of HTTP responses by endpoint and status code.'),
    httpActive: gauge('http_requests_active', 'Number of currently active HTTP requests.'),
  };
}

function builders(prefix: string) {
  return {
    gauge: (name: string, help: string): Family => ({ name: `${prefix}${name}`, type: 'gauge', help }),
    counter: (name: string, help: string): Family => ({ name: `${prefix}${name}`, type: 'counter', help }),
    histogram: (name: string, help: string, bucketBounds?: readonly number[]): Family => ({
      name: `${prefix}${name}`,
      type: 'histogram',
      help,
      bucketBounds,
    }),
  };
}
