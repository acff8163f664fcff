import {
  DataSourcePlugin,
  type DataSourceApi,
  type DataSourceInstanceSettings,
  type DataSourceJsonData,
  type DataSourcePluginMeta,
  type DataSourceRef,
  type ScopedVars,
} from '@grafana/data';
import type { DataSourceSrv, GetDataSourceListFilters } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { importPlugin } from '../loader';
import { templateSrv } from './templateSrv';

export type AnyDataSourcePlugin = DataSourcePlugin<DataSourceApi, DataQuery, DataSourceJsonData>;
type Ref = DataSourceRef | string | null;

/** Data sources by uid or name; plugins are loaded once, instances are kept. */
export class HostDataSourceSrv implements DataSourceSrv {
  private readonly instances = new Map<string, Promise<DataSourceApi>>();

  constructor(
    private readonly settings: Record<string, DataSourceInstanceSettings>,
    private readonly builtIn: Record<string, AnyDataSourcePlugin>
  ) {}

  get(ref?: Ref, scopedVars?: ScopedVars): Promise<DataSourceApi> {
    const settings = this.getInstanceSettings(ref, scopedVars);
    if (settings === undefined) {
      return Promise.reject(new Error(`Data source ${JSON.stringify(ref)} was not found.`));
    }
    const instance = this.instances.get(settings.uid) ?? this.create(settings);
    this.instances.set(settings.uid, instance);
    return instance;
  }

  /** A new instance of the data source, for settings that are being edited. */
  async create(settings: DataSourceInstanceSettings): Promise<DataSourceApi> {
    const plugin = await this.importDataSource(settings.meta);
    const instance = new plugin.DataSourceClass(settings);
    instance.components = plugin.components;
    return instance;
  }

  async importDataSource(meta: DataSourcePluginMeta): Promise<AnyDataSourcePlugin> {
    const plugin = this.builtIn[meta.id] ?? (await importPlugin(meta.module));
    if (!(plugin instanceof DataSourcePlugin)) {
      throw new Error(`${meta.id} is not a data source plugin.`);
    }
    plugin.meta = meta;
    return plugin;
  }

  getInstanceSettings(ref?: Ref, scopedVars?: ScopedVars): DataSourceInstanceSettings | undefined {
    const name = typeof ref === 'string' ? ref : ref?.uid;
    const key = name?.includes('$') ? templateSrv.replace(name, scopedVars) : name;
    const all = Object.values(this.settings);
    if (key === undefined || key === '' || key === 'default') {
      const type = typeof ref === 'string' ? undefined : ref?.type;
      return all.find((entry) => (type === undefined ? entry.isDefault : entry.type === type)) ?? all[0];
    }
    return all.find((entry) => entry.uid === key || entry.name === key);
  }

  getList(filters: GetDataSourceListFilters = {}): DataSourceInstanceSettings[] {
    const types = filters.type === undefined ? undefined : [filters.type].flat();
    return Object.values(this.settings).filter(
      (entry) =>
        (filters.pluginId === undefined || entry.type === filters.pluginId) &&
        (types === undefined || types.includes(entry.type)) &&
        (!filters.metrics || entry.meta.metrics === true) &&
        (!filters.annotations || entry.meta.annotations === true) &&
        (filters.filter === undefined || filters.filter(entry))
    );
  }

  reload(): Promise<void> {
    this.instances.clear();
    return Promise.resolve();
  }

  registerRuntimeDataSource(): void {
    // scenes registers its own helpers here; dashboards of this host need none
  }
}
