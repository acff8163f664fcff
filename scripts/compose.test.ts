/** @jest-environment-options {"customExportConditions": ["node", "require", "default"]} */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parse } from 'yaml';
import { readDashboards, readDataSources } from '../host/backend/provisioning';
import { CANARY, CANARY_JOB } from '../src/pipeline/profiles/witnesses';

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

const NAMES = ['grafana', 'prometheus', 'blackbox', 'simulator'];
const services = NAMES.map((name) => readService('docker-compose.yaml', name));
const [grafana, prometheus, blackbox, simulator] = services as [Service, Service, Service, Service];

describe('docker-compose.yaml', () => {
  it('has the four services and no other', () => {
    const compose: Compose = parse(readFileSync(join(ROOT, 'docker-compose.yaml'), 'utf8'));
    expect(Object.keys(compose.services).sort()).toEqual([...NAMES].sort());
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
    expect(services.map(({ ports }) => ports)).toEqual(
      ['3000', '9090', '9115', '9400'].map((port) => [`${port}:${port}/tcp`])
    );
    expect(services.every(({ healthcheck }) => healthcheck !== undefined)).toBe(true);
  });

  it('pins its images', () => {
    expect([prometheus.image, blackbox.image, simulator.image].every((image) => /:[\w${]/.test(image ?? ''))).toBe(
      true
    );
    expect(services.some(({ image }) => image?.endsWith(':latest'))).toBe(false);
  });

  it('lets Prometheus find the simulator by the name and port that it advertises', () => {
    const config = parse(readFileSync(join(ROOT, 'provisioning/prometheus/prometheus.yml'), 'utf8'));
    expect(config.scrape_configs[0].http_sd_configs[0].url).toBe('http://simulator:9400/targets');
    expect(simulator.command).toContain('--port 9400 --advertise simulator');
  });
});

interface Module {
  timeout: string;
  http: { method: string; body: string; valid_status_codes: number[]; fail_if_body_not_matches_regexp: string[] };
}

interface ScrapeJob {
  job_name: string;
  scrape_interval: string;
  scrape_timeout: string;
  params: { module: string[] };
  static_configs: Array<{ targets: string[] }>;
  relabel_configs: Array<{ source_labels?: string[]; target_label: string; replacement?: string }>;
  metric_relabel_configs: Array<{ regex: string; action: string }>;
}

describe('the canary', () => {
  const { modules }: { modules: Record<string, Module> } = parse(
    readFileSync(join(ROOT, 'provisioning/blackbox/blackbox.yml'), 'utf8')
  );
  const { scrape_configs: jobs }: { scrape_configs: ScrapeJob[] } = parse(
    readFileSync(join(ROOT, 'provisioning/prometheus/canary.yml'), 'utf8')
  );
  const [job] = jobs as [ScrapeJob];
  const seconds = (text: string): number => Number(/^(\d+)s$/.exec(text)?.[1]);

  it('is scraped under the name and keeps the series by which the core knows it', () => {
    expect(job.job_name).toMatch(new RegExp(`^(?:${CANARY_JOB})$`));
    expect(job.metric_relabel_configs).toMatchObject([
      { action: 'keep', regex: [CANARY.success, CANARY.seconds, CANARY.status].join('|') },
    ]);
  });

  it.each(Object.entries(modules))('%s posts JSON of two tokens and gives up before a client would', (_, module) => {
    expect(module.http).toMatchObject({ method: 'POST', valid_status_codes: [200] });
    expect(module.http.body).toMatch(/"max_(new_)?tokens": 2/);
    expect(() => JSON.parse(module.http.body)).not.toThrow();
    expect(seconds(module.timeout)).toBeLessThan(35);
  });

  it('is a module of the exporter, which is asked in the place of the target', () => {
    expect(job.params.module.filter((name) => modules[name] === undefined)).toEqual([]);
    expect(job.relabel_configs).toEqual([
      { source_labels: ['__address__'], target_label: '__param_target' },
      { source_labels: ['__param_target'], target_label: 'instance' },
      { target_label: '__address__', replacement: 'blackbox:9115' },
    ]);
    expect(seconds(job.scrape_timeout)).toBeLessThanOrEqual(seconds(job.scrape_interval));
  });

  it('expects of an answer what the simulated router gives', () => {
    const [target = ''] = job.static_configs.flatMap(({ targets }) => targets);
    expect(target).toBe('http://simulator:9400/generate');
    expect(simulator.command).toContain('--port 9400 --advertise simulator');
    const patterns = modules[job.params.module[0] ?? '']?.http.fail_if_body_not_matches_regexp ?? [];
    expect(patterns.map((pattern) => new RegExp(pattern).test('{"text":"ok","meta_info":{}}'))).toEqual([true]);
  });

  it('is told to Prometheus and to the exporter by the files that are mounted there', () => {
    expect(prometheus.volumes).toContain('./provisioning/prometheus/canary.yml:/etc/prometheus/canary.yml:ro');
    expect(String(prometheus.command)).toContain('scrape_config_files: [/etc/prometheus/canary.yml]');
    expect(blackbox.volumes).toContain('./provisioning/blackbox/blackbox.yml:/etc/blackbox/blackbox.yml:ro');
    expect(blackbox.command).toContain('--config.file=/etc/blackbox/blackbox.yml');
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
