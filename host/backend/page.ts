// The HTML page with the boot data that Grafana's server writes into its own.
import type { Fault } from './faults';
import type { FoundPlugin } from './plugins';
import type { ProvisionedDashboard, ProvisionedDataSource } from './provisioning';

export interface PageInput {
  theme: 'dark' | 'light';
  plugins: FoundPlugin[];
  dataSources: ProvisionedDataSource[];
  dashboards: ProvisionedDashboard[];
  /** What can be set from the page; none without a simulator. */
  faults: readonly Fault[];
}

const GRAFANA_VERSION = '13.2.3';

const PROMETHEUS_LOGO =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E' +
  '%3Ccircle cx=%228%22 cy=%228%22 r=%227%22 fill=%22%23e6522c%22/%3E%3C/svg%3E';

/** Prometheus ships with Grafana itself: its front end is part of the host's bundle. */
const PROMETHEUS_META = {
  id: 'prometheus',
  type: 'datasource',
  name: 'Prometheus',
  module: 'core:plugin/prometheus',
  baseUrl: '',
  metrics: true,
  annotations: true,
  alerting: true,
  backend: true,
  info: {
    logos: { small: PROMETHEUS_LOGO, large: PROMETHEUS_LOGO },
    version: GRAFANA_VERSION,
    updated: '',
    author: { name: 'Grafana Labs' },
    description: '',
    links: [],
    screenshots: [],
  },
};

export function renderPage(input: PageInput): string {
  const host = {
    dashboards: input.dashboards.map(({ json }) => json),
    faults: input.faults,
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>PD Flow: embedded host</title>
<base href="/">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/host/assets/main.css">
</head>
<body class="theme-${input.theme}" style="margin: 0">
<div id="root"></div>
<script>
window.grafanaBootData = ${inlineJson(bootData(input))};
window.pdflowHost = ${inlineJson(host)};
window.__grafana_public_path__ = '/public/';
</script>
<script type="module" src="/host/assets/main.js"></script>
</body>
</html>
`;
}

/** JSON that cannot close its script element nor break an old script parser. */
export function inlineJson(value: unknown): string {
  const escapes: Record<string, string> = {
    '<': '\\u003c',
    '>': '\\u003e',
    '&': '\\u0026',
    '\u2028': '\\u2028',
    '\u2029': '\\u2029',
  };
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);
}

function bootData({ theme, plugins, dataSources }: PageInput): Record<string, unknown> {
  const ofType = (type: string): FoundPlugin[] => plugins.filter((plugin) => plugin.type === type);
  return {
    user: {
      id: 1,
      isSignedIn: true,
      login: 'admin',
      name: 'admin',
      email: '',
      theme,
      lightTheme: theme === 'light',
      timezone: 'browser',
      language: 'en-US',
      locale: 'en-US',
      orgId: 1,
      orgRole: 'Admin',
      permissions: {},
      weekStart: '',
    },
    navTree: [],
    themePaths: {},
    settings: {
      buildInfo: { version: GRAFANA_VERSION, commit: 'embedded', env: 'production', edition: 'Open Source' },
      appSubUrl: '',
      appUrl: '/',
      minRefreshInterval: '1s',
      featureToggles: {},
      exploreEnabled: false,
      licenseInfo: {},
      defaultDatasource: dataSources.find((source) => source.isDefault)?.name ?? dataSources[0]?.name,
      datasources: Object.fromEntries(dataSources.flatMap((source, index) => instanceSettings(source, index, plugins))),
      panels: Object.fromEntries(ofType('panel').map(({ id, meta }) => [id, meta])),
      apps: Object.fromEntries(
        ofType('app').map(({ id, meta, version }) => [
          id,
          { id, path: meta['module'], version, preload: false, dependencies: {}, extensions: {} },
        ])
      ),
    },
  };
}

function instanceSettings(
  source: ProvisionedDataSource,
  index: number,
  plugins: FoundPlugin[]
): Array<[name: string, settings: Record<string, unknown>]> {
  const meta = source.type === 'prometheus' ? PROMETHEUS_META : plugins.find(({ id }) => id === source.type)?.meta;
  if (meta === undefined) {
    return []; // Grafana leaves out data sources whose plugin is not installed
  }
  const { uid, name, type, isDefault, jsonData } = source;
  const url = `/api/datasources/proxy/uid/${uid}`;
  return [[name, { id: index + 1, uid, name, type, isDefault, jsonData, meta, url, access: 'proxy', readOnly: true }]];
}
