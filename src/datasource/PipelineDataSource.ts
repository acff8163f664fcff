import {
  DataSourceApi,
  type AdHocVariableFilter,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceGetTagKeysOptions,
  type DataSourceGetTagValuesOptions,
  type DataSourceInstanceSettings,
  type LegacyMetricFindQueryOptions,
  type MetricFindValue,
  type ScopedVars,
  type TestDataSourceResponse,
} from '@grafana/data';
import { getTemplateSrv } from '@grafana/runtime';
import { catchError, combineLatest, defer, filter, firstValueFrom, map, of, switchMap, type Observable } from 'rxjs';
import { queryPlan, type PipelineOptions } from '../pipeline';
import { annotationSupport } from './annotations';
import { answerResponse } from './answers';
import { fetchDelegate, type Delegate } from './delegate';
import { readFailure } from './failures';
import { healthRequest, isFinished, readHealth } from './health';
import { hasVariable, joinMatchers } from './matchers';
import { DEFAULT_QUERY, readQuery, type CompleteQuery, type PipelineQuery } from './query';
import { encodeRequest } from './request';
import { planResolution, readInterval } from './resolution';
import { encodeFailed, gatherPackets, joinResponses, mapResponse } from './response';
import { readOptions, readSettings, type CompleteSettings, type PipelineSettings } from './settings';
import { keyOf, SharedRequests } from './shared';
import { fetchTagKeys, fetchTagValues } from './tags';
import { addFilters, interpolateMatchers } from './variables';

/**
 * Asks an installed Prometheus data source for the planned queries and hands the series on: raw to the panel, or
 * evaluated by the core as tables and annotations. Queries that need the same series share one request. Sends nothing
 * itself, needs no credentials, never rejects a query.
 */
export class PipelineDataSource extends DataSourceApi<PipelineQuery, PipelineSettings> {
  readonly annotations = annotationSupport;
  private readonly settings: CompleteSettings;
  private readonly shared = new SharedRequests();

  constructor(instance: DataSourceInstanceSettings<PipelineSettings>) {
    super(instance);
    this.settings = readSettings(instance.jsonData);
    this.interval = readInterval(this.settings);
  }

  getDefaultQuery(): Partial<PipelineQuery> {
    return DEFAULT_QUERY;
  }

  getQueryDisplayText(query: PipelineQuery): string {
    const { queryType, matchers } = readQuery(query);
    return matchers.trim() === '' ? queryType : `${queryType} {${matchers.trim()}}`;
  }

  /** One response for all queries that are not hidden; unsubscribing cancels what is still running. */
  query(request: DataQueryRequest<PipelineQuery>): Observable<DataQueryResponse> {
    const queries = request.targets.map(readQuery).filter(({ hide }) => !hide);
    return queries.length === 0
      ? of({ data: [] })
      : combineLatest(queries.map((query) => this.answer(query, request))).pipe(map(joinResponses));
  }

  /** Variables have no value on the settings page, so a choice made by one cannot be tested there. */
  async testDatasource(): Promise<TestDataSourceResponse> {
    const { prometheusUid, matchers } = this.settings;
    if (hasVariable(prometheusUid) || hasVariable(matchers)) {
      const message = 'The settings use dashboard variables, so they can only be tried on a dashboard that has them.';
      return { status: 'info', message };
    }
    const nowMs = Date.now();
    const finished = this.query(healthRequest(nowMs)).pipe(filter(isFinished));
    return readHealth(await firstValueFrom(finished, { defaultValue: { data: [] } }), nowMs);
  }

  /** Passed on to Prometheus: `label_values(sglang:num_running_reqs, namespace)` works as it does there. */
  async metricFindQuery(query: unknown, options?: LegacyMetricFindQueryOptions): Promise<MetricFindValue[]> {
    const delegate = await this.delegate(options?.scopedVars ?? {});
    return (delegate.kind === 'found' && (await delegate.api.metricFindQuery?.(query, options))) || [];
  }

  /** Labels for ad hoc filters, asked of Prometheus. */
  async getTagKeys(options?: DataSourceGetTagKeysOptions<PipelineQuery>): Promise<MetricFindValue[]> {
    const delegate = await this.delegate({});
    return delegate.kind === 'found' ? fetchTagKeys(delegate.api, options) : [];
  }

  /** Values of a label for ad hoc filters, asked of Prometheus. */
  async getTagValues(options: DataSourceGetTagValuesOptions<PipelineQuery>): Promise<MetricFindValue[]> {
    const delegate = await this.delegate({});
    return delegate.kind === 'found' ? fetchTagValues(delegate.api, options) : [];
  }

  /** Grafana calls this when a query leaves its dashboard, where its variables would be lost. */
  interpolateVariablesInQueries(
    queries: PipelineQuery[],
    scopedVars: ScopedVars,
    filters: AdHocVariableFilter[] = []
  ): PipelineQuery[] {
    return queries.map((query) => {
      const { matchers, pipeline } = readQuery(query);
      return {
        ...query,
        matchers: addFilters(interpolateMatchers(matchers, scopedVars), filters),
        pipeline: getTemplateSrv().replace(pipeline, scopedVars, 'regex'),
      };
    });
  }

  private delegate(scopedVars: ScopedVars): Promise<Delegate> {
    return fetchDelegate(this.settings.prometheusUid, this.type, scopedVars);
  }

  private answer(query: CompleteQuery, request: DataQueryRequest<PipelineQuery>): Observable<DataQueryResponse> {
    const { refId } = query;
    const matchers = joinMatchers([this.settings.matchers, query.matchers]);
    if (!matchers.ok) {
      return of(encodeFailed(refId, { text: matchers.message, nextStep: 'Correct the label matchers.' }));
    }
    return defer(() => this.delegate(request.scopedVars)).pipe(
      switchMap((delegate) =>
        delegate.kind === 'failed'
          ? of(encodeFailed(refId, delegate.failure))
          : this.ask(delegate, query, { ...request, matchers: matchers.text })
      ),
      catchError((error: unknown) => of(encodeFailed(refId, readFailure(error, 'Prometheus'))))
    );
  }

  private ask(
    { api }: Extract<Delegate, { kind: 'found' }>,
    { refId, queryType, pipeline }: CompleteQuery,
    { matchers, ...request }: DataQueryRequest<PipelineQuery> & { readonly matchers: string }
  ): Observable<DataQueryResponse> {
    const plan = queryPlan({ matchers });
    const interval = readInterval({ ...this.settings, prometheusUid: api.uid });
    const resolution = planResolution(request, interval, this.interval);
    const context = { refId, plan, options: this.optionsFor(resolution.stepMs), source: api.name };
    const wanted = getTemplateSrv().replace(pipeline, request.scopedVars, 'regex');
    const send = (): Observable<DataQueryResponse> =>
      gatherPackets(api.query(encodeRequest({ request, refId, plan, api, resolution })));
    return this.shared.join(keyOf({ uid: api.uid, matchers, stepMs: resolution.stepMs, request }), send).pipe(
      map((response) => mapResponse(response, context)),
      map((response) =>
        queryType === 'pipeline'
          ? response
          : answerResponse(response, { refId, queryType, pipeline: wanted, request, nowMs: Date.now() })
      ),
      catchError((error: unknown) => of(encodeFailed(refId, readFailure(error, api.name))))
    );
  }

  /** With steps longer than a scrape the samples stand further apart than the set interval would make one expect. */
  private optionsFor(stepMs: number): PipelineOptions {
    const { intervalMs, ...options } = readOptions(this.settings);
    return intervalMs === undefined || stepMs > intervalMs ? options : { ...options, intervalMs };
  }
}
