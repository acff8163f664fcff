import { createServer, type Server, type ServerResponse } from 'node:http';
import { type LiveOptions } from './commandLine';
import { postCompletion } from './liveCompletion';
import { type Run } from './run';
import { renderText, TEXT_CONTENT_TYPE } from './textExposition';

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

interface Route {
  readonly method: 'GET' | 'POST';
  readonly answer: () => Answer | Promise<Answer>;
}

/** Serves a run that goes on in real time. Every request first advances the virtual clock to now. */
export function createLiveServer(run: Run, live: LiveOptions): Server {
  return createServer((_, response) => {
    run.simulation.runUntil(Date.now());
    void Promise.resolve(route(run, live, response)).then((answer) => respond(response, answer));
  });
}

function route(run: Run, live: LiveOptions, response: ServerResponse): Answer | Promise<Answer> {
  const request = response.req;
  const path = readPath(request.url ?? '/');
  const found = path === undefined ? undefined : findRoute(run, live, path, response);
  if (found === undefined) {
    return json(404, { error: `No such page: ${request.url ?? '/'}` });
  }
  const isAllowed = request.method === found.method || (request.method === 'HEAD' && found.method === 'GET');
  return isAllowed ? found.answer() : json(405, { error: `Use ${found.method} for ${path ?? '/'}` });
}

function findRoute(run: Run, live: LiveOptions, path: string, response: ServerResponse): Route | undefined {
  const port = response.req.socket.localPort ?? live.port;
  const instance = /^\/engines\/([^/]+)\/metrics$/.exec(path)?.[1];
  const target = run.deployment.targets.find((candidate) => candidate.instance === instance);
  if (target !== undefined) {
    return { method: 'GET', answer: () => metricsPage(target.scrape()) };
  }
  const act = (action: () => void): Route => ({
    method: 'POST',
    answer: () => {
      action();
      return json(200, describeState(run));
    },
  });
  switch (path) {
    case '/targets':
      return { method: 'GET', answer: () => json(200, describeTargets(run, `${live.advertise}:${port}`)) };
    case '/generate':
      return { method: 'POST', answer: () => complete(run, response) };
    case '/state':
      return { method: 'GET', answer: () => json(200, describeState(run)) };
    case '/faults/cancel-big-agent':
      return act(run.cancelBigAgent);
    case '/faults/restart-decode':
      return act(() => run.faults.restart(run.decode));
    case '/faults/stop-scrape':
      return act(() => run.faults.stopScrape(run.decode));
    case '/faults/resume-scrape':
      return act(() => run.faults.resumeScrape(run.decode));
    default:
      return undefined;
  }
}

/** The door of the simulated router, for a canary from outside. */
async function complete(run: Run, response: ServerResponse): Promise<Answer> {
  const { status, tokens } = await postCompletion(run, (onLeave) => response.once('close', onLeave));
  const meta_info = { finish_reason: { type: 'length', length: tokens }, completion_tokens: tokens };
  return status === 200
    ? json(200, { text: ' ok'.repeat(tokens), meta_info })
    : json(status, { error: 'No answer came from the engines' });
}

function metricsPage(samples: ReturnType<Run['decode']['scrape']>): Answer {
  return samples === undefined
    ? json(503, { error: 'This target cannot be scraped now' })
    : { status: 200, contentType: TEXT_CONTENT_TYPE, body: renderText(samples) };
}

/** Prometheus `http_sd_configs` form. */
function describeTargets(run: Run, address: string): unknown {
  return run.deployment.targets.map(({ instance, job }) => ({
    targets: [address],
    labels: { __metrics_path__: `/engines/${instance}/metrics`, instance, job },
  }));
}

function describeState({ deployment, faults, options, simulation, truth }: Run): unknown {
  return {
    scenario: options.scenario.name,
    now: new Date(simulation.nowMs).toISOString(),
    faults: faults.describe(deployment.engines),
    engines: deployment.engines.map((engine) => ({
      instance: engine.instance,
      role: engine.role,
      isUp: engine.isUp,
      isScrapeStopped: engine.isScrapeStopped,
      stages: engine.stages(),
    })),
    recentEvents: truth.events.slice(-40).map((event) => ({ at: new Date(event.atMs).toISOString(), ...event })),
  };
}

function readPath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
}

function json(status: number, content: unknown): Answer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(content)}\n` };
}

function respond(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}
