import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { RawSeries } from '../../src/pipeline';

/** What one request asked for. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is when a text, else as JSON. */
  readonly body: unknown;
}

export interface FakePrometheus {
  readonly url: string;
  readonly asked: readonly Asked[];
  readonly close: () => Promise<void>;
}

/** A real HTTP server on a free port; `undefined` leaves the request without an answer. */
export async function startFake(answer: (asked: Asked) => Reply | undefined): Promise<FakePrometheus> {
  const asked: Asked[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) {
      text += String(chunk);
    }
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, headers, form: new URLSearchParams(text) };
    asked.push(one);
    const reply = answer(one);
    if (reply) {
      response.writeHead(reply.status ?? 200, reply.headers);
      response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
    }
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** A successful answer of `/api/v1/query_range`. */
export const matrix = (result: readonly unknown[], warnings?: readonly string[]): Reply => ({
  body: { status: 'success', data: { resultType: 'matrix', result }, warnings },
});

/**
 * Answers the queries of the plan from recorded series: chosen by name only, without PromQL. The spread over ranks is
 * left out: the recordings hold every rank, from which the core finds it.
 */
export function recorded(all: readonly RawSeries[]): (asked: Asked) => Reply {
  return ({ form }) => {
    const expr = form.get('query') ?? '';
    const [, pattern = ''] = /__name__=~"([^"]*)"/.exec(expr) ?? [];
    const names = new RegExp(`^(?:${expr.startsWith('up') ? 'up' : pattern})$`);
    const chosen = all.filter(({ labels }) => names.test(labels['__name__'] ?? ''));
    const series = expr.includes(' - min by ') ? [] : expr.startsWith('max by') ? sampleTimes(chosen) : chosen;
    const from = Number(form.get('start'));
    const to = Number(form.get('end'));
    return matrix(
      series.map(({ labels, timesMs, values }) => ({
        metric: labels,
        values: timesMs
          .map((ms, i): readonly [number, string] => [ms / 1000, String(values[i])])
          .filter(([seconds]) => seconds >= from && seconds <= to),
      }))
    );
  };
}

/** What `max by (job, instance) (timestamp(…))` gives. */
function sampleTimes(series: readonly RawSeries[]): RawSeries[] {
  const targets = new Map(series.map((one) => [`${one.labels['job']} ${one.labels['instance']}`, one]));
  return [...targets.values()].map(({ labels: { job = '', instance = '' }, timesMs }) => ({
    labels: { job, instance },
    timesMs,
    values: timesMs.map((ms) => ms / 1000),
  }));
}
