import { EventBusSrv } from '@grafana/data';
import {
  config,
  setAppEvents,
  setBackendSrv,
  setDataSourceSrv,
  setEchoSrv,
  setPluginImportUtils,
  setRunRequest,
  setTemplateSrv,
  type EchoSrv,
} from '@grafana/runtime';
import { initializeLoggersRegistry } from '@grafana/runtime/unstable';
import { setPanelDataErrorView } from 'rt:components/PanelDataErrorView';
import { setDataSourcePluginImporter } from 'rt:services/dataSource/dataSource';
import { initDataSourceInstanceSettings } from 'rt:services/dataSource/settings';
import { asBackendSrv, HostBackendSrv } from './backendSrv';
import { HostDataSourceSrv } from './dataSourceSrv';
import { PanelErrorView } from './PanelErrorView';
import { getPanelPluginFromCache, importPanelPlugin } from './panelPlugins';
import { prometheusPlugin } from './prometheusPlugin';
import { runRequest } from './runRequest';
import { templateSrv } from './templateSrv';

/** Sets what Grafana's bootstrap sets; most setters may be called once only. */
export function initServices(): HostDataSourceSrv {
  const dataSources = new HostDataSourceSrv(config.datasources, { prometheus: prometheusPlugin });
  initializeLoggersRegistry();
  setBackendSrv(asBackendSrv(new HostBackendSrv()));
  setAppEvents(new EventBusSrv());
  setEchoSrv(silentEcho);
  setDataSourceSrv(dataSources);
  setTemplateSrv(templateSrv);
  setRunRequest(runRequest);
  setPluginImportUtils({ importPanelPlugin, getPanelPluginFromCache });
  initDataSourceInstanceSettings(config.datasources, config.defaultDatasource);
  setDataSourcePluginImporter((meta) => dataSources.importDataSource(meta));
  setPanelDataErrorView(PanelErrorView);
  return dataSources;
}

/** The embedded host keeps no usage events. */
const silentEcho: EchoSrv = { flush: ignore, addBackend: ignore, addEvent: ignore, onInteraction: () => ignore };

function ignore(): void {
  // nothing to do
}
