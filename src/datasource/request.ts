import type { DataQueryRequest, DataSourceApi } from '@grafana/data';
import type { DataQuery } from '@grafana/schema';
import type { PlannedQuery } from '../pipeline';
import type { Resolution } from './resolution';
import { encodeInterval } from './settings';

/** The query model of the Prometheus data source, as far as we use it. */
export interface PrometheusTarget extends DataQuery {
  expr: string;
  range: boolean;
  instant: boolean;
  exemplar: boolean;
  format: 'time_series';
  /** Smallest step. */
  interval: string;
}

export interface DelegatedRequest {
  readonly request: DataQueryRequest;
  readonly refId: string;
  readonly plan: readonly PlannedQuery[];
  readonly api: DataSourceApi;
  readonly resolution: Resolution;
}

/**
 * One request to the Prometheus data source for all planned queries of one of our queries. Variables are left in place
 * and ad hoc filters passed on, because Prometheus formats both itself. The request id differs per query: Grafana
 * cancels a running request when another one with the same id arrives.
 */
export function encodeRequest(input: DelegatedRequest): DataQueryRequest<PrometheusTarget> {
  const { request, refId, resolution } = input;
  const interval = encodeInterval(resolution.stepMs);
  return {
    ...request,
    requestId: `${request.requestId ?? 'pdflow'}.${refId}`,
    interval,
    intervalMs: resolution.stepMs,
    maxDataPoints: resolution.maxDataPoints,
    scopedVars: {
      ...request.scopedVars,
      __interval: { text: interval, value: interval },
      __interval_ms: { text: `${resolution.stepMs}`, value: resolution.stepMs },
    },
    targets: encodeTargets(input, interval),
  };
}

/** The targets alone, each with a refId of its own: `<refId>.<id of the planned query>`. */
export function encodeTargets(
  { plan, refId, api }: Pick<DelegatedRequest, 'plan' | 'refId' | 'api'>,
  interval: string
): PrometheusTarget[] {
  return plan.map(({ id, expr }) => ({
    refId: `${refId}.${id}`,
    expr,
    range: true,
    instant: false,
    exemplar: false,
    format: 'time_series',
    interval,
    datasource: { uid: api.uid, type: api.type },
  }));
}
