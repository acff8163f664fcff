// Setters that Grafana's own bootstrap calls. npm's @grafana/runtime does not export them: build.mjs maps `rt:` to its files.
declare module 'rt:services/dataSource/dataSource' {
  import type { DataSourcePluginMeta } from '@grafana/data';
  export function setDataSourcePluginImporter(importer: (meta: DataSourcePluginMeta) => Promise<unknown>): void;
}
declare module 'rt:services/dataSource/settings' {
  import type { DataSourceInstanceSettings } from '@grafana/data';
  export function initDataSourceInstanceSettings(
    settings: Record<string, DataSourceInstanceSettings>,
    defaultName: string
  ): void;
}
declare module 'rt:components/PanelDataErrorView' {
  import type { ComponentType } from 'react';
  import type { PanelDataErrorViewProps } from '@grafana/runtime';
  export function setPanelDataErrorView(view: ComponentType<PanelDataErrorViewProps>): void;
}
