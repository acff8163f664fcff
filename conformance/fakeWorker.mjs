/** A stand-in for an SGLang worker: it answers what a router asks and serves generation as it is told to. */
import { createServer } from 'node:http';

const MODEL = 'model';
const COMPLETION = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const CHUNK = {
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, delta: { content: 'a' } }],
};

/**
 * Starts a worker of the given role on a free port.
 * `behaviour` may be changed while it runs: `failing` answers generation with 500, `unhealthy` answers /health with
 * 503, `hanging` never answers generation, `streamMs` is how long a stream lasts.
 */
export async function startFakeWorker(role) {
  const behaviour = { failing: false, unhealthy: false, hanging: false, streamMs: 100 };
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer({ role, behaviour, request, response, body: Buffer.concat(chunks).toString() }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  return { role, behaviour, port: server.address().port, url: `http://127.0.0.1:${server.address().port}`, stop };
}

function answer({ role, behaviour, request, response, body }) {
  if (request.url.startsWith('/health')) {
    sendJson(response, behaviour.unhealthy ? 503 : 200, {});
  } else if (request.url === '/v1/models') {
    sendJson(response, 200, {
      object: 'list',
      data: [{ id: MODEL, object: 'model', owned_by: 'sglang', root: MODEL }],
    });
  } else if (request.url.includes('info')) {
    sendJson(response, 200, { model_path: MODEL, served_model_name: MODEL, disaggregation_mode: role, tp_size: 1 });
  } else if (request.method !== 'POST') {
    sendJson(response, 404, {});
  } else if (behaviour.hanging) {
    request.resume();
  } else if (behaviour.failing) {
    sendJson(response, 500, { error: { message: 'told to fail' } });
  } else if (role === 'decode' && /"stream":\s*true/.test(body)) {
    stream(response, behaviour.streamMs);
  } else {
    sendJson(response, 200, COMPLETION);
  }
}

function stream(response, durationMs) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const write = () => response.write(`data: ${JSON.stringify(CHUNK)}\n\n`);
  write();
  const ticks = setInterval(write, 50);
  const end = setTimeout(() => {
    clearInterval(ticks);
    response.end('data: [DONE]\n\n');
  }, durationMs);
  response.on('close', () => {
    clearInterval(ticks);
    clearTimeout(end);
  });
}

function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
