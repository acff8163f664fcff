// POST /api/ds/query: the part of Grafana's Prometheus backend that the browser talks to.
import { encodeFrames, type Frame } from './frames';
import { HttpError, isRecord } from './http';
import { alignToStepMs, computeStepMs, replaceMacros, type StepInput } from './interval';
import { postForm } from './prometheus';

export interface QueryTarget {
  prometheusUrl: string;
  /** uid of the one data source that the server queries. */
  uid: string;
  scrape: string | undefined;
}

interface QueryResult {
  status: number;
  frames: Frame[];
  error?: string;
  errorSource?: 'downstream' | 'plugin';
}

/** @returns the HTTP status (400 as soon as one query failed, as Grafana answers) and the results by refId */
export async function answerQueries(
  body: unknown,
  target: QueryTarget,
  client: AbortSignal
): Promise<{ status: number; results: Record<string, QueryResult> }> {
  if (!isRecord(body) || !Array.isArray(body['queries']) || body['queries'].length === 0) {
    throw new HttpError(400, 'The request has no "queries".');
  }
  const fromMs = readTime(body['from'], 'from');
  const toMs = readTime(body['to'], 'to');
  const queries = body['queries'].map((query) => (isRecord(query) ? query : {}));
  const entries = await Promise.all(
    queries.map(
      async (query) => [readText(query['refId']) ?? 'A', await answerOne(query, fromMs, toMs, target, client)] as const
    )
  );
  const failed = entries.some(([, result]) => result.error !== undefined);
  return { status: failed ? 400 : 200, results: Object.fromEntries(entries) };
}

async function answerOne(
  query: Record<string, unknown>,
  fromMs: number,
  toMs: number,
  target: QueryTarget,
  client: AbortSignal
): Promise<QueryResult> {
  const uid = isRecord(query['datasource']) ? readText(query['datasource']['uid']) : undefined;
  if (uid !== undefined && uid !== target.uid) {
    return failure(404, `Data source ${uid} has no backend here; only ${target.uid} has.`, 'plugin');
  }
  const rawExpr = readText(query['expr']);
  if (rawExpr === undefined || rawExpr.trim() === '') {
    return failure(400, 'The query has no expression.', 'plugin');
  }
  const input: StepInput = {
    fromMs,
    toMs,
    intervalMs: readNumber(query['intervalMs']),
    maxDataPoints: readNumber(query['maxDataPoints']),
    minStep: readText(query['interval']),
    intervalFactor: readNumber(query['intervalFactor']),
    scrape: target.scrape,
  };
  const stepMs = computeStepMs(input);
  const expr = replaceMacros(rawExpr, stepMs, input);
  const kinds = kindsOf(query);
  const parts = await Promise.all(
    kinds.map(async (kind): Promise<QueryResult> => {
      const answer = await postForm(...requestOf(kind, expr, stepMs, query, input, target), client);
      if (!answer.ok) {
        return failure(answer.status, answer.message, 'downstream');
      }
      const refId = readText(query['refId']) ?? 'A';
      const legendFormat = readText(query['legendFormat']);
      return {
        status: 200,
        frames: encodeFrames(answer.data, { refId, expr, legendFormat, stepMs, warnings: answer.warnings, kind }),
      };
    })
  );
  return (
    parts.find((part) => part.error !== undefined) ?? { status: 200, frames: parts.flatMap((part) => part.frames) }
  );
}

function kindsOf(query: Record<string, unknown>): Array<'range' | 'instant'> {
  const instant = query['instant'] === true;
  const range = query['range'] === true || !instant;
  return [...(range ? (['range'] as const) : []), ...(instant ? (['instant'] as const) : [])];
}

function requestOf(
  kind: 'range' | 'instant',
  expr: string,
  stepMs: number,
  query: Record<string, unknown>,
  { fromMs, toMs }: StepInput,
  target: QueryTarget
): [url: string, form: Record<string, string>] {
  if (kind === 'instant') {
    return [`${target.prometheusUrl}/api/v1/query`, { query: expr, time: seconds(toMs) }];
  }
  const offset = readNumber(query['utcOffsetSec']) ?? 0;
  const form = {
    query: expr,
    start: seconds(alignToStepMs(fromMs, stepMs, offset)),
    end: seconds(alignToStepMs(toMs, stepMs, offset)),
    step: String(stepMs / 1_000),
  };
  return [`${target.prometheusUrl}/api/v1/query_range`, form];
}

function failure(status: number, error: string, errorSource: 'downstream' | 'plugin'): QueryResult {
  return { status, error, errorSource, frames: [] };
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function readTime(value: unknown, name: string): number {
  const number = readNumber(value);
  if (number === undefined) {
    throw new HttpError(400, `"${name}" is not a time in milliseconds.`);
  }
  return number;
}
