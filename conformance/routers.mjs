/** Runs a real router in PD mode between fake workers and keeps what its /metrics says. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { familyFacts, parseExposition, sumOf } from './exposition.mjs';
import { startFakeWorker } from './fakeWorker.mjs';

const START_SECONDS = 60;
const BREAKER_TIMEOUT_SECONDS = 3;
const AGE_SAMPLE_SECONDS = 25;
const CHAT = { model: 'model', messages: [{ role: 'user', content: 'hi' }] };
/** Small numbers, so that a breaker and a health check change state within seconds. */
const FLAGS = [
  ['--policy', 'round_robin'],
  ['--disable-retries'],
  ['--cb-failure-threshold', '2'],
  ['--cb-success-threshold', '1'],
  ['--cb-timeout-duration-secs', String(BREAKER_TIMEOUT_SECONDS)],
  ['--health-check-interval-secs', '1'],
  ['--health-failure-threshold', '2'],
  ['--health-success-threshold', '1'],
].flat();

/** Appears when the machine was too busy for the router's event loop: no fact of the release. */
const BY_CHANCE = 'smg_tokio_event_loop_stalls_total';

/** Facts of one router package; `module` is what `python -m` starts. */
export async function routerFacts(python, { name, version, module }) {
  const prefill = await startFakeWorker('prefill');
  const decode = await startFakeWorker('decode');
  const router = await startRouter(python, module, { prefill, decode });
  try {
    return { package: name, version, ...(await exercise(router, { prefill, decode })) };
  } finally {
    router.child.kill();
    await Promise.all([prefill.stop(), decode.stop()]);
  }
}

async function startRouter(python, module, { prefill, decode }) {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const args = ['-m', module, '--host', '127.0.0.1', '--port', String(port)];
  args.push('--prometheus-host', '127.0.0.1', '--prometheus-port', String(metricsPort));
  args.push('--pd-disaggregation', '--prefill', prefill.url, '8998', '--decode', decode.url, ...FLAGS);
  const child = python.start(args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = [];
  child.stdout.on('data', (data) => log.push(data));
  child.stderr.on('data', (data) => log.push(data));
  const base = `http://127.0.0.1:${port}`;
  const scrape = async () => parseExposition(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
  const ready = await until(async () => {
    const answer = await fetch(`${base}/readiness`).catch(() => undefined);
    return answer?.status === 200;
  }, START_SECONDS);
  if (!ready) {
    child.kill();
    throw new Error(
      `${module} did not answer within ${START_SECONDS} s:\n${Buffer.concat(log).toString().slice(-2000)}`
    );
  }
  return { child, base, scrape };
}

async function exercise({ base, scrape }, { prefill, decode }) {
  await sleep(2500); // the first health checks have run
  const seen = [await scrape()];
  const look = async () => {
    const now = await scrape();
    seen.push(now);
    return now;
  };
  const gauge = (at, name, worker) => sumOf(at, name, { worker: worker.url });
  const both = (at, name) => ({ decode: gauge(at, name, decode), prefill: gauge(at, name, prefill) });

  const duringStream = await withStream(base, decode, async () => {
    const at = await look();
    return {
      connections: sumOf(at, 'smg_http_connections_active'),
      requestsActive: both(at, 'smg_worker_requests_active'),
      responsesCounted:
        (sumOf(at, 'smg_http_responses_total') ?? 0) - (sumOf(seen[0], 'smg_http_responses_total') ?? 0),
    };
  });
  const afterAbort = await clientAbort(base, decode, look, both);
  const hanging = {};
  for (const worker of [prefill, decode]) {
    for (const stream of [false, true]) {
      const key = `${worker.role}${stream ? 'Stream' : 'Plain'}`;
      hanging[key] = await withHangingWorker({ base, worker, look, both, stream });
    }
  }
  const oldRequest = await ageOfOldRequest({ base, prefill, look });
  const breaker = await breakerStates({ base, decode, look, gauge });
  const health = await healthStates({ decode, look, gauge });

  return {
    beforeTraffic: [...seen[0].types.keys()].filter((name) => name !== BY_CHANCE).sort(),
    metrics: Object.fromEntries(Object.entries(mergedFacts(seen)).filter(([name]) => name !== BY_CHANCE)),
    labelValues: {
      errorCode: values(seen, 'smg_http_responses_total', 'error_code'),
      errorType: values(seen, 'smg_router_request_errors_total', 'error_type'),
      outcome: values(seen, 'smg_worker_cb_outcomes_total', 'outcome'),
      workerErrorType: values(seen, 'smg_worker_errors_total', 'error_type'),
      workerType: values(seen, 'smg_worker_selection_total', 'worker_type'),
    },
    observed: { duringStream, afterClientAbort: afterAbort, breaker, hanging, health, oldRequest },
  };
}

/** Looks while a decode stream runs; the prefill leg of it has been answered. */
async function withStream(base, decode, whileOpen) {
  decode.behaviour.streamMs = 1500;
  const response = await chat(base, { stream: true });
  const reader = response.body.getReader();
  await reader.read();
  await sleep(300);
  const result = await whileOpen();
  while (!(await reader.read()).done) {
    // The stream ends by itself.
  }
  return result;
}

async function clientAbort(base, decode, look, both) {
  decode.behaviour.streamMs = 60_000;
  const abort = new AbortController();
  const before = await look();
  const response = await chat(base, { stream: true }, abort.signal);
  await response.body.getReader().read();
  abort.abort();
  await sleep(1500);
  decode.behaviour.streamMs = 100;
  const after = await look();
  const delta = (name, labels) => (sumOf(after, name, labels) ?? 0) - (sumOf(before, name, labels) ?? 0);
  return {
    breakerFailures: delta('smg_worker_cb_outcomes_total', { outcome: 'failure' }),
    connections: sumOf(after, 'smg_http_connections_active'),
    requestsActive: both(after, 'smg_worker_requests_active'),
    responsesCounted: delta('smg_http_responses_total'),
  };
}

/** One leg never answers, as when its engine is stuck; the other one answers at once. */
async function withHangingWorker({ base, worker, look, both, stream }) {
  worker.behaviour.hanging = true;
  const abort = new AbortController();
  const answer = chat(base, { stream }, abort.signal).then(
    (response) => response.status,
    () => 'no answer'
  );
  const answered = await Promise.race([answer, sleep(2000, 'no answer')]);
  const at = await look();
  abort.abort();
  worker.behaviour.hanging = false;
  await sleep(500);
  return {
    answerWithin2Seconds: answered,
    connections: sumOf(at, 'smg_http_connections_active'),
    requestsActive: both(at, 'smg_worker_requests_active'),
  };
}

/** The age gauge is sampled every 20 s or so: one request is left open for longer, then its client leaves. */
async function ageOfOldRequest({ base, prefill, look }) {
  prefill.behaviour.hanging = true;
  const abort = new AbortController();
  void chat(base, { stream: true }, abort.signal).catch(() => undefined);
  await sleep(AGE_SAMPLE_SECONDS * 1000);
  const open = sumOf(await look(), 'smg_http_inflight_request_age_count');
  abort.abort();
  prefill.behaviour.hanging = false;
  await sleep(AGE_SAMPLE_SECONDS * 1000);
  return { open, afterClientLeft: sumOf(await look(), 'smg_http_inflight_request_age_count') };
}

async function breakerStates({ base, decode, look, gauge }) {
  const state = async () => gauge(await look(), 'smg_worker_cb_state', decode);
  const closed = await state();
  decode.behaviour.failing = true;
  const statuses = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    statuses.push((await chat(base, {})).status);
  }
  const open = await state();
  decode.behaviour.failing = false;
  await sleep(BREAKER_TIMEOUT_SECONDS * 1000 + 500);
  const afterTimeout = await state();
  const trial = await withStream(base, decode, state);
  const closedAfterSuccess = await state();
  return { closed, open, afterTimeout, duringTrial: trial, closedAfterSuccess, statuses };
}

async function healthStates({ decode, look, gauge }) {
  const state = async () => gauge(await look(), 'smg_worker_health', decode);
  const healthy = await state();
  decode.behaviour.unhealthy = true;
  await until(async () => (await state()) !== healthy, 20);
  const unhealthy = await state();
  decode.behaviour.unhealthy = false;
  await until(async () => (await state()) === healthy, 20);
  return { healthy, unhealthy };
}

const chat = (base, more, signal) =>
  fetch(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...CHAT, ...more }),
    signal,
  });

function mergedFacts(expositions) {
  const types = new Map(expositions.flatMap((at) => [...at.types]));
  return familyFacts({ types, samples: expositions.flatMap((at) => at.samples) });
}

function values(expositions, name, label) {
  const all = expositions.flatMap(({ samples }) => samples).filter((sample) => sample.name === name);
  return [...new Set(all.map(({ labels }) => labels[label]).filter((value) => value !== undefined))].sort();
}

async function until(condition, seconds) {
  for (let tries = 0; tries < seconds * 4; tries += 1) {
    if (await condition()) {
      return true;
    }
    await sleep(250);
  }
  return false;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
