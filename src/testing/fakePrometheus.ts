/** A Prometheus data source and a dashboard around it. */
import {
  CoreApp,
  DataSourceApi,
  dateTime,
  FieldType,
  PluginType,
  type DataFrame,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceInstanceSettings,
  type DataSourceJsonData,
  type Field,
  type MetricFindValue,
  type TestDataSourceResponse,
} from '@grafana/data';
import { setDataSourceSrv, setTemplateSrv } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { lastValueFrom, type Observable } from 'rxjs';
import { PipelineDataSource } from '../datasource/PipelineDataSource';
import type { PipelineQuery } from '../datasource/query';
import type { PrometheusTarget } from '../datasource/request';

export const TO = Date.UTC(2026, 10, 1, 12);
export const OWN_TYPE = 'pdflow-pipeline-datasource';

/** Settings as Grafana hands them to a data source. */
export function instance<T extends DataSourceJsonData>(
  type: string,
  uid: string,
  jsonData: T
): DataSourceInstanceSettings<T> {
  const logos = { small: '', large: '' };
  const info = { author: { name: '' }, description: '', links: [], logos, screenshots: [], updated: '', version: '' };
  const meta = { id: type, name: type, type: PluginType.datasource, module: '', baseUrl: '', info };
  const base = { uid, type, name: `Name of ${uid}`, jsonData, meta, readOnly: false };
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the type still asks for an id
  return { ...base, access: 'proxy', id: 1 };
}

type Answer = (
  request: DataQueryRequest<PrometheusTarget>
) => Promise<DataQueryResponse> | Observable<DataQueryResponse>;

function isTarget(query: DataQuery): query is PrometheusTarget {
  return 'expr' in query && 'range' in query;
}

/** A data source such as Prometheus': remembers what it was asked and answers as the test says. */
export class FakePrometheus extends DataSourceApi {
  readonly asked: Array<DataQueryRequest<PrometheusTarget>> = [];
  constructor(
    private readonly answer: Answer,
    settings: DataSourceInstanceSettings = instance('prometheus', 'prom', {})
  ) {
    super(settings);
  }
  query(request: DataQueryRequest): Promise<DataQueryResponse> | Observable<DataQueryResponse> {
    const asked = { ...request, targets: request.targets.filter(isTarget) };
    this.asked.push(asked);
    return this.answer(asked);
  }
  async testDatasource(): Promise<TestDataSourceResponse> {
    return { status: 'success', message: '' };
  }
  async metricFindQuery(query: unknown): Promise<MetricFindValue[]> {
    return [{ text: `found ${query}` }];
  }
  async getTagKeys(options?: { queries?: DataQuery[] }): Promise<MetricFindValue[]> {
    return (options?.queries ?? []).map(({ refId }) => ({ text: refId }));
  }
}

/** Variables of the dashboard under test; `$name`, `${name}` with the format that the caller asks for. */
const VARIABLES: Record<string, string | string[]> = { prometheus: 'prom', ns: ['a.b', 'c"d'], one: 'x' };

/** Makes these the data sources that exist. */
export function install(...sources: DataSourceApi[]): void {
  setDataSourceSrv({
    get: async (ref) => {
      const found = sources.find(({ uid }) => typeof ref === 'object' && uid === ref?.uid);
      return found ?? Promise.reject(new Error('Datasource was not found'));
    },
    getList: () => [],
    getInstanceSettings: () => undefined,
    reload: () => undefined,
    registerRuntimeDataSource: () => undefined,
  });
}

setTemplateSrv({
  getVariables: () => [],
  containsTemplate: () => false,
  updateTimeRange: () => undefined,
  replace: (text = '', scoped, format) =>
    text.replace(/\$\{?(\w+)\}?/g, (whole, name: string) => {
      const value: unknown = scoped?.[name]?.value ?? VARIABLES[name];
      return value === undefined ? whole : typeof format === 'function' ? format(value) : String(value);
    }),
});

/** Our data source with these settings. */
export function ours(jsonData: object = { prometheusUid: 'prom' }): PipelineDataSource {
  return new PipelineDataSource(instance(OWN_TYPE, 'own', { ...jsonData }));
}

/** One hour at 15 s, as a dashboard asks it. */
export function request(
  targets: PipelineQuery[],
  rest: Partial<DataQueryRequest<PipelineQuery>> = {}
): DataQueryRequest<PipelineQuery> {
  const range = { from: dateTime(TO - 3_600_000), to: dateTime(TO) };
  return {
    app: CoreApp.Dashboard,
    requestId: 'Q100',
    interval: '15s',
    intervalMs: 15_000,
    maxDataPoints: 1000,
    range: { ...range, raw: range },
    scopedVars: {},
    startTime: TO,
    timezone: 'utc',
    targets,
    ...rest,
  };
}

/** A series as Prometheus answers it: one sample per 15 s, the last one at the end of the range. */
export function frame(
  refId: string,
  labels: Record<string, string>,
  values: number[] = [1, 2],
  rest: Partial<DataFrame> = {}
): DataFrame {
  const timesMs = values.map((_, index) => TO - 15_000 * (values.length - 1 - index));
  const time: Field = { name: 'Time', type: FieldType.time, config: {}, values: timesMs };
  const value: Field = { name: 'Value', type: FieldType.number, config: {}, values, labels };
  return { refId, fields: [time, value], length: values.length, ...rest };
}

/** A gauge of one engine. */
export const gauge = (refId = 'A.gauges', side = 'decode'): DataFrame =>
  frame(refId, {
    __name__: 'sglang:num_running_reqs',
    instance: `${side}:1`,
    job: side,
    engine_type: side,
    model_name: 'm',
  });

/** Last response to these queries. */
export const ask = (source: PipelineDataSource, ...targets: PipelineQuery[]): Promise<DataQueryResponse> =>
  lastValueFrom(source.query(request(targets)));
