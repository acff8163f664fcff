/**
 * What other exporters tell about the same deployment, as data. All of it is optional: nothing is missed where none of
 * it is scraped. Sources: the metric lists of the blackbox exporter, dcgm-exporter, process-exporter and NIXL.
 */

/** The job of docs/canary.md, also where an operator of Kubernetes puts something around its name. */
export const CANARY_JOB = '.*pdflow-canary.*';
export const CANARY = {
  success: 'probe_success',
  seconds: 'probe_duration_seconds',
  status: 'probe_http_status_code',
} as const;

export const GPU = {
  /** Percent of the time in which any kernel ran. */
  util: 'DCGM_FI_DEV_GPU_UTIL',
  watts: 'DCGM_FI_DEV_POWER_USAGE',
  /** Share of the time in which the tensor cores worked, 0 to 1. */
  tensor: 'DCGM_FI_PROF_PIPE_TENSOR_ACTIVE',
} as const;

/** process-exporter cuts the titles of SGLang's scheduler processes to 15 letters unless told otherwise. */
export const SCHEDULER_CPU = 'namedprocess_namegroup_cpu_seconds_total';
export const SCHEDULER_GROUP = 'sglang::sched.*';

export const NIXL = {
  sent: 'agent_tx_bytes_total',
  received: 'agent_rx_bytes_total',
  errors: 'agent_errors_total',
} as const;

/** SGLang does not export it; another exporter may, for the same instance. */
export const PROCESS_START = 'process_start_time_seconds';

/** What is measured on a machine or in a pod, and may belong to an engine there. */
export const PLACED_METRICS = [...Object.values(GPU), ...Object.values(NIXL), SCHEDULER_CPU] as const;
