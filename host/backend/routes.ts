import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireOwnCaller } from './callers';
import { FAULTS, setFault } from './faults';
import { sendFile } from './files';
import { clientSignal, HttpError, readJson, sendHtml, sendJson } from './http';
import type { HostOptions } from './options';
import { renderPage } from './page';
import { findPlugins } from './plugins';
import { apiAddress, postForm } from './prometheus';
import { forward } from './proxy';
import { readDashboards, readDataSources, type ProvisionedDataSource } from './provisioning';
import { answerQueries } from './query';

const UI_FILES = '@grafana/ui/dist/public';
const FONT_FILES: Readonly<Record<string, string>> = {
  'Inter-Regular.woff2': 'inter-latin-400-normal.woff2',
  'Inter-Medium.woff2': 'inter-latin-500-normal.woff2',
};

/** @grafana/ui 13.2.3 asks for this icon, but its npm package does not carry it. */
const MISSING_ICON = '/public/build/img/icons/unicons/angle-double-left.svg';
const HERE = dirname(fileURLToPath(import.meta.url));

interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  options: HostOptions;
  /** Folder of the host's node_modules. */
  modules: string;
  path: string;
  search: string;
}

type Handler = (exchange: Exchange, rest: string) => void | Promise<void>;

/** The first prefix that matches answers; `rest` is what follows it. */
const ROUTES: ReadonlyArray<readonly [prefix: string, handler: Handler]> = [
  ['/api/ds/query', ({ req, res, options }) => answerDsQuery(req, res, options)],
  ['/api/datasources/', answerDataSource],
  ['/host/faults/', ({ req, res, options }, name) => answerFault(req, res, options, name)],
  ['/host/assets/', ({ res, options }, file) => sendFile(res, options.assets, file)],
  ['/public/plugins/', ({ res, options }, rest) => sendPluginFile(res, options, rest)],
  ['/public/fonts/inter/', ({ res, modules }, name) => sendFont(res, modules, name)],
  [MISSING_ICON, ({ res }) => sendFile(res, HERE, 'angle-double-left.svg')],
  ['/public/build/', ({ res, modules }, file) => sendFile(res, join(modules, UI_FILES), file)],
  ['/public/', ({ res, modules }, file) => sendFile(res, join(modules, UI_FILES), file)],
];

/** Answers one request; throws HttpError for what cannot be served. */
export async function route(
  req: IncomingMessage,
  res: ServerResponse,
  options: HostOptions,
  modules: string
): Promise<void> {
  requireOwnCaller(req, { bind: options.bind, port: req.socket.localPort ?? options.port });
  const url = new URL(req.url ?? '/', 'http://host');
  const path = decodePath(url.pathname);
  if (path === '/') {
    return sendHtml(res, page(url, options));
  }
  const [prefix, handler] = ROUTES.find(([start]) => path.startsWith(start)) ?? [];
  if (prefix === undefined || handler === undefined) {
    throw new HttpError(404, `Nothing is served at ${path}`);
  }
  await handler({ req, res, options, modules, path, search: url.search }, path.slice(prefix.length));
}

function page(url: URL, options: HostOptions): string {
  return renderPage({
    theme: url.searchParams.get('theme') === 'light' ? 'light' : 'dark',
    plugins: findPlugins(options.dist),
    dataSources: readDataSources(options.provisioning),
    dashboards: readDashboards(options.provisioning),
    faults: options.simulatorUrl === undefined ? [] : FAULTS,
  });
}

async function answerDsQuery(req: IncomingMessage, res: ServerResponse, options: HostOptions): Promise<void> {
  requireMethod(req, 'POST');
  const { uid, jsonData } = prometheusOf(options);
  const scrape = typeof jsonData['timeInterval'] === 'string' ? jsonData['timeInterval'] : undefined;
  const target = { prometheusUrl: options.prometheusUrl, uid, scrape };
  const { status, results } = await answerQueries(await readJson(req), target, clientSignal(res));
  sendJson(res, status, { results });
}

/** Health, resources and proxy of the one Prometheus data source; everything below /api/v1 is Prometheus' own API. */
async function answerDataSource({ req, res, options, path, search }: Exchange): Promise<void> {
  const { uid } = prometheusOf(options);
  if (path === `/api/datasources/uid/${uid}/health`) {
    const answer = await postForm(`${options.prometheusUrl}/api/v1/query`, { query: '1+1' }, clientSignal(res));
    const message = answer.ok ? 'Successfully queried the Prometheus API.' : answer.message;
    return sendJson(res, answer.ok ? 200 : 400, { status: answer.ok ? 'OK' : 'ERROR', message });
  }
  for (const prefix of [`/api/datasources/uid/${uid}/resources/`, `/api/datasources/proxy/uid/${uid}/`]) {
    const target = path.startsWith(prefix) ? apiAddress(options.prometheusUrl, path.slice(prefix.length)) : undefined;
    if (target !== undefined && ['GET', 'POST'].includes(req.method ?? '')) {
      target.search = search;
      return forward(req, res, target);
    }
  }
  throw new HttpError(404, `No data source route at ${path}`);
}

function answerFault(req: IncomingMessage, res: ServerResponse, options: HostOptions, name: string): Promise<void> {
  requireMethod(req, 'POST');
  return setFault(res, name, options.simulatorUrl);
}

function sendFont(res: ServerResponse, modules: string, name: string): Promise<void> {
  const file = FONT_FILES[name];
  if (file === undefined) {
    throw new HttpError(404, `No such font: ${name}`);
  }
  return sendFile(res, join(modules, '@fontsource/inter/files'), file);
}

function sendPluginFile(res: ServerResponse, options: HostOptions, rest: string): Promise<void> {
  const root = findPlugins(options.dist)[0];
  const [id, ...parts] = rest.split('/');
  if (root === undefined || id !== root.id) {
    throw new HttpError(404, `Plugin ${id ?? ''} is not in the built bundle.`);
  }
  return sendFile(res, root.folder, parts.join('/'));
}

function prometheusOf(options: HostOptions): ProvisionedDataSource {
  const source = readDataSources(options.provisioning).find(({ type }) => type === 'prometheus');
  if (source === undefined) {
    throw new HttpError(500, 'provisioning/datasources names no Prometheus data source.');
  }
  return source;
}

function requireMethod(req: IncomingMessage, method: string): void {
  if (req.method !== method) {
    throw new HttpError(405, `Use ${method} here.`);
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new HttpError(400, 'The address is not valid.');
  }
}
