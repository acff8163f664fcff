import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setFault } from './faults';
import { sendFile } from './files';
import { clientSignal, HttpError, readJson, sendHtml, sendJson } from './http';
import type { HostOptions } from './options';
import { renderPage } from './page';
import { findPlugins } from './plugins';
import { postForm } from './prometheus';
import { forward } from './proxy';
import { readDashboards, readDataSources, type ProvisionedDataSource } from './provisioning';
import { answerQueries } from './query';

const FONT = /^\/public\/fonts\/inter\/Inter-(Regular|Medium)\.woff2$/;
const FONT_FILES = { Regular: 'inter-latin-400-normal.woff2', Medium: 'inter-latin-500-normal.woff2' } as const;

/** Answers one request; throws HttpError for what cannot be served. */
export async function route(
  req: IncomingMessage,
  res: ServerResponse,
  options: HostOptions,
  modules: string
): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://host');
  const path = decodePath(url.pathname);
  const ui = join(modules, '@grafana/ui/dist/public');
  const font = FONT.exec(path)?.[1];
  if (path === '/') {
    return sendHtml(res, page(url, options));
  }
  if (path === '/api/ds/query') {
    return answerDsQuery(req, res, options);
  }
  if (path.startsWith('/api/datasources/')) {
    return answerDataSource(req, res, options, path, url.search);
  }
  if (path.startsWith('/host/faults/')) {
    requireMethod(req, 'POST');
    return setFault(res, path.slice('/host/faults/'.length), options.simulatorUrl);
  }
  if (path.startsWith('/host/assets/')) {
    return sendFile(res, options.assets, path.slice('/host/assets/'.length));
  }
  if (path.startsWith('/public/plugins/')) {
    return sendPluginFile(res, options, path.slice('/public/plugins/'.length));
  }
  if (font === 'Regular' || font === 'Medium') {
    return sendFile(res, join(modules, '@fontsource/inter/files'), FONT_FILES[font]);
  }
  if (path.startsWith('/public/')) {
    return sendFile(res, ui, path.slice('/public/'.length).replace(/^build\//, ''));
  }
  throw new HttpError(404, `Nothing is served at ${path}`);
}

function page(url: URL, options: HostOptions): string {
  return renderPage({
    theme: url.searchParams.get('theme') === 'light' ? 'light' : 'dark',
    plugins: findPlugins(options.dist),
    dataSources: readDataSources(options.provisioning),
    dashboards: readDashboards(options.provisioning),
    faults: options.simulatorUrl !== undefined,
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
async function answerDataSource(
  req: IncomingMessage,
  res: ServerResponse,
  options: HostOptions,
  path: string,
  search: string
): Promise<void> {
  const { uid } = prometheusOf(options);
  if (path === `/api/datasources/uid/${uid}/health`) {
    const answer = await postForm(`${options.prometheusUrl}/api/v1/query`, { query: '1+1' }, clientSignal(res));
    const message = answer.ok ? 'Successfully queried the Prometheus API.' : answer.message;
    return sendJson(res, answer.ok ? 200 : 400, { status: answer.ok ? 'OK' : 'ERROR', message });
  }
  for (const prefix of [`/api/datasources/uid/${uid}/resources/`, `/api/datasources/proxy/uid/${uid}/`]) {
    const rest = path.startsWith(prefix) ? path.slice(prefix.length) : '';
    if (rest.startsWith('api/v1/') && !rest.includes('..') && ['GET', 'POST'].includes(req.method ?? '')) {
      return forward(req, res, new URL(`${options.prometheusUrl}/${rest}${search}`));
    }
  }
  throw new HttpError(404, `No data source route at ${path}`);
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
