/**
 * What differs between SGLang releases, as data: since and until which release something holds, and what shows it.
 *
 * A series appears with its first event, so one that is missing proves nothing. The exception are the rows marked
 * `pushed`: every engine writes all of these at once, or at its start, and the query plan asks for them together. Where
 * `utilization`, which is in every release since 0.5.2, came back, a pushed family that did not is not in the release.
 * Absence always gives way to what is seen: a family may be dropped on its way to Prometheus.
 *
 * Sources: the packages of all releases named here, run or read; see docs/sglang-facts.md.
 */
import type { VersionRange } from '../model';

/** What shows a row: a family, or a label of it whose value matches the anchored pattern. */
export interface Sign {
  readonly family: string;
  readonly label?: string;
  readonly value?: string;
}

export interface Switch {
  /** First release in which it holds; absent where it is older than this table. */
  readonly since?: string;
  /** First release in which it holds no more. */
  readonly until?: string;
  /** Absent where nothing in the series shows it and only the release tells. */
  readonly sign?: Sign;
  readonly pushed?: true;
}

const labelled = (family: string, label: string, value = '.+'): Sign => ({ family, label, value });
const stage = (value: string): Sign => labelled('per_stage_req_latency_seconds_count', 'stage', value);

export const SWITCHES = {
  // Behaviour that no series shows.
  bootstrapCountedTwice: { since: '0.5.4', until: '0.5.5' },
  prefillReportMissing: { since: '0.5.9', until: '0.5.10' },
  httpOpenUntilStreamEnds: { since: '0.5.10' },
  abortedForwardUncounted: { since: '0.5.20' },
  // Written together, or at the start of the scheduler.
  utilization: { since: '0.5.2', sign: { family: 'utilization' }, pushed: true },
  startupGauge: { since: '0.5.2', until: '0.5.17', sign: { family: 'engine_startup_time' }, pushed: true },
  retractedTotal: { until: '0.5.3', sign: { family: 'total_retracted_reqs' }, pushed: true },
  pendingUsage: { since: '0.5.4', sign: { family: 'pending_prealloc_token_usage' }, pushed: true },
  mambaUsage: { since: '0.5.5', sign: { family: 'mamba_usage' }, pushed: true },
  sequenceLengths: { since: '0.5.7', sign: { family: 'decode_sum_seq_lens' }, pushed: true },
  routingKeys: { since: '0.5.8', sign: { family: 'num_unique_running_routing_keys' }, pushed: true },
  fullPoolUsage: { since: '0.5.10', sign: { family: 'full_token_usage' }, pushed: true },
  speculativeSteps: { since: '0.5.13', sign: { family: 'spec_num_steps' }, pushed: true },
  speculativeCap: { since: '0.5.16', sign: { family: 'spec_cap_length' }, pushed: true },
  effectiveTokens: { since: '0.5.18', sign: { family: 'prefill_effective_tokens_total' }, pushed: true },
  idleTime: { since: '0.5.20', sign: { family: 'scheduler_idle_seconds_total' }, pushed: true },
  hostReceiveQueue: { since: '0.5.21', sign: { family: 'num_decode_host_receive_queue_reqs' }, pushed: true },
  deferredRelease: { since: '0.5.22', sign: { family: 'num_decode_deferred_kv_release_reqs' }, pushed: true },
  preallocUsage: { since: '0.5.23', sign: { family: 'prealloc_full_token_usage' }, pushed: true },
  // Written with their first event, or under another name before.
  abortCounter: { since: '0.4.7', sign: { family: 'num_aborted_requests_total' } },
  misspeltInflight: { until: '0.5.2', sign: { family: 'num_prefill_infight_queue_reqs' } },
  stageCounters: { since: '0.5.3', sign: { family: 'per_stage_req_latency_seconds_count' } },
  queueTime: { since: '0.5.3', sign: { family: 'queue_time_seconds_count' } },
  entryStage: { since: '0.5.3', until: '0.5.10', sign: stage('prefill_prepare') },
  tokenCounters: { since: '0.5.7', sign: { family: 'realtime_tokens_total' } },
  httpCounters: { since: '0.5.7', sign: { family: 'http_requests_total' } },
  expertRank: { since: '0.5.7', sign: labelled('num_running_reqs', 'moe_ep_rank') },
  httpActive: { since: '0.5.8', sign: { family: 'http_requests_active' } },
  roleLabel: { since: '0.5.9', sign: labelled('num_running_reqs', 'engine_type', 'prefill|decode') },
  quickOutput: { since: '0.5.10', sign: stage('fake_output') },
  chunkCounter: { since: '0.5.10', sign: stage('chunked_prefill') },
  prefillPasses: { since: '0.5.10', sign: labelled('cuda_graph_passes_total', 'mode', 'prefill.*') },
  transferHistogram: { since: '0.5.10', sign: { family: 'kv_transfer_latency_ms_count' } },
  frontRoleLabel: { since: '0.5.11', sign: labelled('num_requests_total', 'engine_type') },
  preallocGauge: { until: '0.5.12', sign: { family: 'num_prefill_prealloc_queue_reqs' } },
  bootstrapGauge: { since: '0.5.12', sign: { family: 'num_prefill_bootstrap_queue_reqs' } },
  streamingLabel: { since: '0.5.17', sign: labelled('num_requests_total', 'is_streaming') },
  heartbeat: { since: '0.5.20', sign: { family: 'scheduler_stage_seconds_total' } },
  overlapLabel: { since: '0.5.22', sign: labelled('scheduler_stage_seconds_total', 'forward_overlap') },
} as const satisfies Record<string, Switch>;

export type SwitchId = keyof typeof SWITCHES;

/** Its presence proves that the pushed families were asked for. */
export const ASKED_TOGETHER = 'utilization' satisfies SwitchId;

const rows: readonly Switch[] = Object.values(SWITCHES);

/** The families that the query plan asks for only to tell the release. */
export const RELEASE_FAMILIES = rows.flatMap((row) => (row.pushed && row.sign ? [row.sign.family] : []));

/** The release from which a family is exposed; `undefined` where it is in every release. */
export const firstReleaseOf = (family: string): string | undefined =>
  rows.find(({ sign }) => sign?.family === family && sign.label === undefined)?.since;

const numbers = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);

/** Negative where `one` is the older release. `0.4.9.post5` is newer than `0.4.9`. */
export function compareReleases(one: string, other: string): number {
  const [left, right] = [numbers(one), numbers(other)];
  const at = [0, 1, 2, 3].find((i) => (left[i] ?? 0) !== (right[i] ?? 0));
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/**
 * A release such as `0.5.9`, `v0.5.9` or `0.4.9.post5`; what follows a candidate or a build is left off. `undefined` for
 * any other text.
 */
export const readRelease = (text: string): string | undefined =>
  /^\s*v?(\d+\.\d+\.\d+(?:\.post\d+)?)(?:(?:[.-]?(?:rc|dev)|\+)[\w.+-]*)?\s*$/.exec(text)?.[1];

/** The range of a release that was told: itself, and builds up to the next one. */
export function rangeOfRelease(release: string): VersionRange {
  const [major = 0, minor = 0, patch = 0] = numbers(release);
  return { from: release, before: `${major}.${minor}.${patch + 1}` };
}

/** Every release of the range comes before `since`, or none comes before `until`. */
export function isOutside(range: VersionRange, { since, until }: Pick<Switch, 'since' | 'until'>): boolean {
  const isEarlier = since !== undefined && range.before !== undefined && compareReleases(range.before, since) <= 0;
  const isLater = until !== undefined && range.from !== undefined && compareReleases(range.from, until) >= 0;
  return isEarlier || isLater;
}

/** Whether something holds in every release of the range, in none (`false`), or nobody can tell (`undefined`). */
export function holds(range: VersionRange | undefined, id: SwitchId): boolean | undefined {
  const { since, until }: Switch = SWITCHES[id];
  if (range === undefined) {
    return undefined;
  }
  if (isOutside(range, { since, until })) {
    return false;
  }
  const isSince = since === undefined || (range.from !== undefined && compareReleases(range.from, since) >= 0);
  const isUntil = until === undefined || (range.before !== undefined && compareReleases(range.before, until) <= 0);
  return isSince && isUntil ? true : undefined;
}

/** Such as `0.5.12 or later, before 0.5.16`; `undefined` where nothing is known. */
export function wordRange({ from, before }: VersionRange): string | undefined {
  const parts = [from && `${from} or later`, before && `before ${before}`].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(', ') : undefined;
}
