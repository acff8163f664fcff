import { ENGINE_PREFIX_PROMQL, RANK_SPREAD, ROUTER_SIGNALS, SIGNALS, type Signal } from './profiles/sglang';
import { ENGINE_LABELS, SCRAPE_LABELS } from './profiles/targets';
import { RELEASE_FAMILIES } from './profiles/versions';
import { canaryQuery, canaryStamps, hostsQuery } from './witnessPlan';

/** One PromQL range query. Result series keep `__name__` unless `name` gives it back. */
export interface PlannedQuery {
  /** Unique within the plan; usable as part of a refId. */
  readonly id: string;
  readonly expr: string;
  /** Metric name that a PromQL function dropped, to be put back as `__name__`. */
  readonly name?: string;
  /** What it fetches only adds to the judgement: where it fails, the rest is judged without it. */
  readonly optional?: true;
}

export interface PlanInput {
  /** Label matchers in PromQL, with or without braces, such as `namespace="prod",job=~"$job"`. */
  readonly matchers?: string;
}

/** Carries the true time of the newest scrape behind each evaluated instant, in seconds. */
export const SAMPLE_TIME = 'pdflow_sample_time_seconds';

const names = (signals: readonly Signal[]): string => [...new Set(signals.flatMap((s) => s.names))].join('|');

/**
 * The handful of queries that fetch everything the evaluator reads: raw samples, because rates would hide the instant
 * of the last increase. Counters that every rank publishes are cut to the leaders (ranks that also publish gauges; the
 * look-back keeps them across a restart, before the new process has pushed its first gauge), never summed over ranks.
 * The sample times tell a scrape from Prometheus repeating the last value for up to five minutes. Of the families that
 * tell the release only the presence is asked for.
 */
export function queryPlan(input: PlanInput = {}): PlannedQuery[] {
  const extra = innerMatchers(input.matchers ?? '');
  const select = (pattern: string, more = ''): string =>
    `{__name__=~"${pattern}"${[more, extra]
      .filter(Boolean)
      .map((m) => `, ${m}`)
      .join('')}}`;
  const engine = (pattern: string, more = ''): string => select(`${ENGINE_PREFIX_PROMQL}(${pattern})`, more);

  const all: Signal[] = Object.values(SIGNALS);
  const perRank = engine(names(all.filter((s) => s.kind === 'counter' && s.perRank)));
  const perRankLead = engine(names(all.filter((s) => s.kind === 'counter' && s.perRank)), 'tp_rank="0"');
  const leaders = `last_over_time(${engine('num_running_reqs')}[15m])`;
  const running = engine('num_running_reqs|http_requests_total|num_requests_total');
  const stages = engine('per_stage_req_latency_seconds_count');
  const router = select('smg_http_connections_active|sgl_router_worker_health');
  return [
    {
      id: 'edges',
      expr: `(${perRank} and on (${ENGINE_LABELS}, tp_rank, pp_rank, dp_rank) ${leaders}) or ${perRankLead}`,
    },
    { id: 'requests', expr: engine(names(all.filter((s) => !s.perRank))) },
    { id: 'gauges', expr: engine(names(all.filter((s) => s.kind === 'gauge' && s.perRank))) },
    { id: 'releases', expr: `group by (${ENGINE_LABELS}, __name__) (${engine(RELEASE_FAMILIES.join('|'))})` },
    { id: 'router', expr: select(names(Object.values(ROUTER_SIGNALS))) },
    {
      id: 'sampled',
      expr: [running, router, canaryStamps()].map((s) => `max by (${ENGINE_LABELS}) (timestamp(${s}))`).join(' or '),
      name: SAMPLE_TIME,
    },
    {
      id: 'spread',
      expr: `max by (${ENGINE_LABELS}) (max by (${ENGINE_LABELS}, dp_rank, stage) (${stages}) - min by (${ENGINE_LABELS}, dp_rank, stage) (${stages}))`,
      name: RANK_SPREAD,
    },
    {
      id: 'up',
      expr: `up and on (${SCRAPE_LABELS}) last_over_time(${engine('num_running_reqs|http_requests_total')}[1h])`,
    },
    { id: 'canary', expr: canaryQuery(), optional: true },
    { id: 'hosts', expr: hostsQuery(engine), optional: true },
  ];
}

function innerMatchers(text: string): string {
  return text
    .trim()
    .replace(/^\{|\}$/g, '')
    .replace(/^[\s,]+|[\s,]+$/g, '');
}
