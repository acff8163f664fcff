// Setters that Grafana's own bootstrap calls. npm's @grafana/runtime does not export them: build.mjs maps `rt:` to its files.
declare module 'rt:services/dataSource/dataSource' {
  import type { DataSourcePluginMeta } from '@grafana/data';
  export function setDataSourcePluginImporter(importer: (meta: DataSourcePluginMeta) => Promise<unknown>): void;
}
declare module 'rt:services/dataSource/settings' {
  export function initDataSourceInstanceSettings(
    settings: typeof import('@grafana/runtime').config.datasources,
    defaultName: string
  ): void;
}
declare module 'rt:components/PanelDataErrorView' {
  import type { ComponentType } from 'react';
  import type { PanelDataErrorViewProps } from '@grafana/runtime';
  export function setPanelDataErrorView(view: ComponentType<PanelDataErrorViewProps>): void;
}
