import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createLiveServer } from './liveServer';
import { createRun, type Run } from './run';
import { healthy } from './scenarios/healthy';
import { recordOptions } from './testing/recording';

interface Reply {
  readonly status: number;
  readonly body: string;
}

function ask(port: number, method: string, path: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

function isAddress(address: ReturnType<Server['address']>): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

describe('the live server', () => {
  /** Simulated time passes until something has happened. */
  async function passUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await new Promise((resolve) => setTimeout(resolve));
      run.simulation.runUntil(run.simulation.nowMs + 5);
    }
  }

  let run: Run;
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    run = createRun({ ...recordOptions(healthy, 1), endMs: Date.now() });
    server = createLiveServer(run, { port: 0, advertise: 'simulator' });
    server.listen(0);
    await once(server, 'listening');
    const address = server.address();
    port = isAddress(address) ? address.port : 0;
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it('describes its targets as Prometheus http_sd expects', async () => {
    const { status, body } = await ask(port, 'GET', '/targets');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual(
      [
        ['router-0:30001', 'sglang-router'],
        ['prefill-0:30000', 'sglang'],
        ['decode-0:30002', 'sglang'],
      ].map(([instance, job]) => ({
        targets: [`simulator:${port}`],
        labels: { __metrics_path__: `/engines/${instance}/metrics`, instance, job },
      }))
    );
  });

  it('serves a metrics page for each of them, also with an escaped colon', async () => {
    for (const path of ['/engines/decode-0:30002/metrics', '/engines/decode-0%3A30002/metrics']) {
      const { status, body } = await ask(port, 'GET', path);
      expect(status).toBe(200);
      expect(body).toContain('\nsglang:num_running_reqs{model_name="deepseek-v4-flash",engine_type="decode"');
    }
  });

  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/engines/decode-7:30002/metrics', 404],
    ['GET', '/%E0%A4%A', 404],
    ['GET', '/faults/restart-decode', 405],
    ['POST', '/targets', 405],
  ])('answers %s %s with %i as JSON', async (method, path, status) => {
    const reply = await ask(port, method, path);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body)).toHaveProperty('error');
  });

  it('answers a completion that comes from outside, in simulated time', async () => {
    let isAnswered = false;
    const asked = ask(port, 'POST', '/generate').finally(() => (isAnswered = true));
    await passUntil(() => isAnswered);
    const { status, body } = await asked;
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ text: ' ok ok', meta_info: { completion_tokens: 2 } });
  });

  it('stops and resumes the scrape of decode', async () => {
    await ask(port, 'POST', '/faults/stop-scrape');
    expect((await ask(port, 'GET', '/engines/decode-0:30002/metrics')).status).toBe(503);
    expect((await ask(port, 'GET', '/engines/prefill-0:30000/metrics')).status).toBe(200);
    await ask(port, 'POST', '/faults/resume-scrape');
    expect((await ask(port, 'GET', '/engines/decode-0:30002/metrics')).status).toBe(200);
  });

  it('starts a big agent, cancels it 2 s later, and decode is cured by a restart', async () => {
    await ask(port, 'POST', '/faults/cancel-big-agent');
    const beforeMs = run.simulation.nowMs;
    run.simulation.runUntil(beforeMs + 2_500);
    expect(run.faults.describe(run.deployment.engines)).toEqual(['decode-0:30002 receiver dead']);
    expect(run.truth.events.find(({ kind }) => kind === 'abort-cascade')).toMatchObject({ count: 19 });
    run.simulation.runUntil(beforeMs + 60_000);
    expect(run.decode.stages().running).toBeUndefined();
    expect(run.decode.stages().transfer).toBeGreaterThanOrEqual(3);
    const { body } = await ask(port, 'GET', '/state');
    expect(JSON.parse(body)).toMatchObject({ scenario: 'healthy', faults: ['decode-0:30002 receiver dead'] });
    await ask(port, 'POST', '/faults/restart-decode');
    run.simulation.runUntil(run.simulation.nowMs + 20_000);
    expect(run.faults.describe(run.deployment.engines)).toEqual([]);
    expect(run.decode.stages().running).toBeGreaterThan(5);
  });

  it('takes a client from outside that leaves without an answer for an abort', async () => {
    run.faults.killReceiver(run.decode);
    const left = request({ port, method: 'POST', path: '/generate' }).on('error', () => undefined);
    left.end();
    const aborts = (): number => run.truth.events.filter(({ kind }) => kind === 'client-abort').length;
    const before = aborts();
    await once(server, 'request');
    left.destroy();
    await passUntil(() => aborts() > before);
    expect(aborts()).toBe(before + 1);
  });
});
