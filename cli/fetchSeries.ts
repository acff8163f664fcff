import type { PlannedQuery, RawSeries } from '../src/pipeline';
import { explainAnswer, explainStatus, explainTransport, type Failure } from './failures';
import type { QueryRange } from './options';
import { post } from './post';
import { readMatrix, type Answer } from './readMatrix';
import type { Server } from './server';

export type Fetched =
  | {
      readonly kind: 'fetched';
      readonly series: readonly RawSeries[];
      /** Samples without a finite value, left out. */
      readonly dropped: number;
      /** What Prometheus warned of, each once. */
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface FetchInput {
  readonly server: Server;
  readonly range: QueryRange;
  readonly queries: readonly PlannedQuery[];
  /** For all queries together. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/**
 * Asks all queries at once. The first that fails speaks for all, and the others are called off; an optional one that is
 * refused is only warned of. Never rejects.
 */
export async function fetchSeries(input: FetchInput): Promise<Fetched> {
  const { server, timeoutMs = TIMEOUT_MS } = input;
  const calling = new AbortController();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    calling.abort();
  }, timeoutMs);
  try {
    const answers = await Promise.all(input.queries.map((query) => fetchOne(input, query, calling.signal)));
    return {
      kind: 'fetched',
      series: answers.flatMap(({ series }) => series),
      dropped: answers.reduce((sum, { dropped }) => sum + dropped, 0),
      warnings: [...new Set(answers.flatMap(({ warnings }) => warnings))],
    };
  } catch (error) {
    const failure =
      error instanceof Refusal ? error.failure : explainTransport(error, server, isLate ? timeoutMs : undefined);
    return { kind: 'failed', failure };
  } finally {
    clearTimeout(timer);
    calling.abort();
  }
}

/** An answer that is none; it ends the other queries. */
class Refusal extends Error {
  constructor(readonly failure: Failure) {
    super(failure.text);
  }
}

async function fetchOne(
  { server, range, timeoutMs = TIMEOUT_MS }: FetchInput,
  { id, expr, name, optional }: PlannedQuery,
  signal: AbortSignal
): Promise<Extract<Answer, { kind: 'matrix' }>> {
  const form = {
    query: expr,
    start: String(range.fromMs / 1000),
    end: String(range.toMs / 1000),
    step: String(range.stepMs / 1000),
    timeout: `${Math.ceil(timeoutMs / 1000)}s`,
  };
  const { status, location, body } = await post({ url: server.queryUrl, form, headers: server.headers, signal });
  const answer = readMatrix(parse(body), name);
  if (answer.kind === 'matrix') {
    return answer;
  }
  const failure =
    answer.kind === 'error' ? explainAnswer(answer, { status, server }) : explainStatus({ status, location, server });
  if (optional && answer.kind === 'error') {
    return {
      kind: 'matrix',
      series: [],
      dropped: 0,
      warnings: [`judged without its answer to "${id}": ${failure.text}`],
    };
  }
  throw new Refusal(failure);
}

/** `undefined` where the text is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
