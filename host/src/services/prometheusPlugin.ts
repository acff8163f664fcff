import { DataSourcePlugin } from '@grafana/data';
import { ConfigEditor, PrometheusDatasource, PromQueryEditorByApp } from '@grafana/prometheus';
import type { AnyDataSourcePlugin } from './dataSourceSrv';

/** Grafana's own Prometheus front end. Its generics are narrower than a registry of all data sources can be. */
export const prometheusPlugin = new DataSourcePlugin(PrometheusDatasource)
  .setQueryEditor(PromQueryEditorByApp)
  .setConfigEditor(ConfigEditor as never) as unknown as AnyDataSourcePlugin;
