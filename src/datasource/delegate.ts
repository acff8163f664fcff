import type { DataSourceApi, DataSourceInstanceSettings, ScopedVars } from '@grafana/data';
import { getDataSourceSrv, getTemplateSrv } from '@grafana/runtime';
import type { Failure } from './failures';

/** Types of data sources that speak PromQL through the query model of the Prometheus data source. */
const PROMETHEUS_TYPES = [
  'prometheus',
  'grafana-amazonprometheus-datasource',
  'grafana-azureprometheus-datasource',
  'victoriametrics-metrics-datasource',
  'victoriametrics-datasource',
];

export type Delegate =
  { readonly kind: 'found'; readonly api: DataSourceApi } | { readonly kind: 'failed'; readonly failure: Failure };

/** Whether the data source can answer our queries; used by the picker. */
export function isPrometheus({ type, meta }: Pick<DataSourceInstanceSettings, 'type' | 'meta'>): boolean {
  const aliases = meta?.aliasIDs ?? [];
  return [type, ...aliases].some((id) => PROMETHEUS_TYPES.includes(id));
}

/**
 * The data source behind `uid`, which may be a variable. Never rejects: no choice, an unknown uid and a choice of
 * ourselves (which would call in circles) are failures with a next step.
 */
export async function fetchDelegate(uid: string, ownType: string, scopedVars: ScopedVars): Promise<Delegate> {
  const chosen = getTemplateSrv().replace(uid, scopedVars);
  if (chosen === '') {
    return failed('No Prometheus data source is chosen', 'Choose one in the settings of this PD Flow data source.');
  }
  if (chosen === uid && uid.startsWith('$')) {
    return failed(
      `The variable ${uid}, which chooses the Prometheus data source, has no value here`,
      'Add a data source variable of that name to the dashboard, or choose a fixed data source in the settings.'
    );
  }
  try {
    const api = await getDataSourceSrv().get({ uid: chosen }, scopedVars);
    return api.type === ownType ? loop(api.name) : { kind: 'found', api };
  } catch {
    return failed(
      `The chosen Prometheus data source (${chosen}) does not exist or cannot be loaded`,
      'Choose another one in the settings of this PD Flow data source.'
    );
  }
}

function loop(name: string): Delegate {
  return failed(
    `The chosen data source (${name}) is a PD Flow data source, which would ask itself`,
    'Choose a Prometheus data source in the settings.'
  );
}

function failed(text: string, nextStep: string): Delegate {
  return { kind: 'failed', failure: { text, nextStep } };
}
