import type {
  DataSourceApi,
  DataSourceGetTagKeysOptions,
  DataSourceGetTagValuesOptions,
  GetTagResponse,
  MetricFindValue,
} from '@grafana/data';
import { queryPlan } from '../pipeline';
import { encodeTargets } from './request';

/** Labels of the planned queries as the Prometheus data source knows them. Our own queries mean nothing to it. */
export async function fetchTagKeys(
  api: DataSourceApi,
  options: DataSourceGetTagKeysOptions | undefined
): Promise<MetricFindValue[]> {
  return readTags(await api.getTagKeys?.({ ...options, filters: options?.filters ?? [], queries: planned(api) }));
}

/** Values of one label. */
export async function fetchTagValues(
  api: DataSourceApi,
  options: DataSourceGetTagValuesOptions
): Promise<MetricFindValue[]> {
  return readTags(await api.getTagValues?.({ ...options, queries: planned(api) }));
}

function planned(api: DataSourceApi): ReturnType<typeof encodeTargets> {
  return encodeTargets({ plan: queryPlan({}), refId: 'tags', api }, api.interval ?? '15s');
}

function readTags(response: GetTagResponse | MetricFindValue[] | undefined): MetricFindValue[] {
  return Array.isArray(response) ? response : (response?.data ?? []);
}
