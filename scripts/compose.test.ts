/** @jest-environment-options {"customExportConditions": ["node", "require", "default"]} */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { readDashboards, readDataSources } from '../host/backend/provisioning';

const ROOT = join(__dirname, '..');
const PLUGIN_IDS = ['pdflow-pipeline-app', 'pdflow-pipeline-datasource', 'pdflow-pipeline-panel'];

interface Service {
  extends?: { file: string; service: string };
  image?: string;
  command?: string | string[];
  environment?: Record<string, string | number>;
  ports?: string[];
  volumes?: string[];
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
}

/** A service with what it extends, as `docker compose config` would print it; mounts relative to the repository. */
function readService(file: string, name: string): Service {
  const compose: Compose = parse(readFileSync(join(ROOT, file), 'utf8'));
  const own = compose.services[name];
  if (own === undefined) {
    throw new Error(`${file} has no service ${name}`);
  }
  const volumes = (own.volumes ?? []).map((mount) => rebase(mount, dirname(file)));
  const parent = own.extends === undefined ? {} : readService(own.extends.file, own.extends.service);
  return {
    ...parent,
    ...own,
    environment: { ...parent.environment, ...own.environment },
    ports: [...(parent.ports ?? []), ...(own.ports ?? [])],
    volumes: [...(parent.volumes ?? []), ...volumes],
  };
}

function rebase(mount: string, folder: string): string {
  const [source = '', ...rest] = mount.split(':');
  return source.startsWith('.') ? [`./${relative('.', join(folder, source))}`, ...rest].join(':') : mount;
}

const services = ['grafana', 'prometheus', 'simulator'].map((name) => readService('docker-compose.yaml', name));
const [grafana, prometheus, simulator] = services as [Service, Service, Service];

describe('docker-compose.yaml', () => {
  it('has the three services and no other', () => {
    const compose: Compose = parse(readFileSync(join(ROOT, 'docker-compose.yaml'), 'utf8'));
    expect(Object.keys(compose.services).sort()).toEqual(['grafana', 'prometheus', 'simulator']);
  });

  it('mounts only paths that the repository has, or that its build makes', () => {
    const sources = services.flatMap(({ volumes = [] }) => volumes.map((mount) => mount.split(':')[0] ?? ''));
    const paths = sources.filter((source) => source.startsWith('.') && source !== './dist');
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('mounts the built plugins and the provisioning where Grafana looks for them', () => {
    expect(grafana.volumes).toContain('./dist:/var/lib/grafana/plugins/pdflow-pipeline-app');
    expect(grafana.volumes).toContain('./provisioning:/etc/grafana/provisioning');
  });

  it('allows all three unsigned plugins: Grafana compares the id of each', () => {
    const allowed = String(grafana.environment?.GF_PLUGINS_ALLOW_LOADING_UNSIGNED_PLUGINS).split(',');
    expect(allowed.sort()).toEqual(PLUGIN_IDS);
  });

  it('opens with a dashboard that is provisioned', () => {
    const path = String(grafana.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH);
    expect(existsSync(join(ROOT, path.replace('/etc/grafana/', '')))).toBe(true);
  });

  it('publishes one port per service and checks the health of each', () => {
    expect(services.map(({ ports }) => ports)).toEqual([['3000:3000/tcp'], ['9090:9090/tcp'], ['9400:9400/tcp']]);
    expect(services.every(({ healthcheck }) => healthcheck !== undefined)).toBe(true);
  });

  it('pins its images', () => {
    expect([prometheus.image, simulator.image].every((image) => /:[\w${]/.test(image ?? ''))).toBe(true);
    expect(services.some(({ image }) => image?.endsWith(':latest'))).toBe(false);
  });

  it('lets Prometheus find the simulator by the name and port that it advertises', () => {
    const config = parse(readFileSync(join(ROOT, 'provisioning/prometheus/prometheus.yml'), 'utf8'));
    expect(config.scrape_configs[0].http_sd_configs[0].url).toBe('http://simulator:9400/targets');
    expect(simulator.command).toContain('--port 9400 --advertise simulator');
  });
});

describe('provisioning', () => {
  const dataSources = readDataSources(join(ROOT, 'provisioning'));
  const dashboards = readDashboards(join(ROOT, 'provisioning'));

  it('names the two data sources, ours reading through the Prometheus one', () => {
    expect(dataSources.map(({ uid, type }) => [uid, type])).toEqual([
      ['pdflow-prometheus', 'prometheus'],
      ['pdflow', 'pdflow-pipeline-datasource'],
    ]);
    expect(dataSources[1]?.jsonData).toEqual({ prometheusUid: 'pdflow-prometheus' });
  });

  it('scrapes as often as the data source says', () => {
    const config = parse(readFileSync(join(ROOT, 'provisioning/prometheus/prometheus.yml'), 'utf8'));
    expect(dataSources[0]?.jsonData.timeInterval).toBe(config.global.scrape_interval);
  });

  it('enables the app: its nested plugins are hidden while it is disabled', () => {
    const { apps } = parse(readFileSync(join(ROOT, 'provisioning/plugins/apps.yaml'), 'utf8'));
    expect(apps).toEqual([{ type: 'pdflow-pipeline-app', org_id: 1, disabled: false }]);
  });

  it('loads every dashboard file, each with its own uid', () => {
    const files = readdirSync(join(ROOT, 'provisioning/dashboards')).filter((name) => name.endsWith('.json'));
    expect(dashboards.map(({ uid }) => `${uid}.json`)).toEqual(files.sort());
  });

  it.each(dashboards.map(({ uid, json }) => [uid, json] as const))(
    '%s refers to provisioned data sources only, directly or by variable',
    (_uid, json) => {
      const variables = new Map(variablesOf(json).map(({ name, query }) => [`\${${name}}`, query]));
      const refs = dataSourcesIn(json).filter(({ type }) => type !== 'grafana');
      expect(refs.length).toBeGreaterThan(0);
      for (const { type, uid } of refs) {
        const wanted = variables.get(uid) ?? dataSources.find((source) => source.uid === uid)?.type;
        expect({ uid, type }).toEqual({ uid, type: wanted });
      }
    }
  );

  it.each(dashboards.map(({ uid, json }) => [uid, json] as const))(
    '%s gives every data source variable a provisioned default',
    (_uid, json) => {
      for (const { query, current } of variablesOf(json)) {
        expect(dataSources.map(({ uid, type }) => [uid, type])).toContainEqual([current.value, query]);
      }
    }
  );

  it.each(dashboards.map(({ uid, json }) => [uid, json] as const))(
    '%s has panels that do not overlap',
    (_uid, json) => {
      const cells = (
        json.panels as Array<{ id: number; gridPos: { x: number; y: number; w: number; h: number } }>
      ).flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
      );
      expect(new Set(cells).size).toBe(cells.length);
    }
  );
});

interface Variable {
  name: string;
  query: string;
  current: { value: string };
}

function variablesOf(json: Record<string, unknown>): Variable[] {
  return (json.templating as { list: Variable[] }).list;
}

function dataSourcesIn(value: unknown): Array<{ type: string; uid: string }> {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const own = 'datasource' in value ? [value.datasource as { type: string; uid: string }] : [];
  return [...own, ...Object.values(value).flatMap(dataSourcesIn)];
}
