import {
  dateTime,
  LoadingState,
  type DataQueryRequest,
  type DataQueryResponse,
  type TestDataSourceResponse,
} from '@grafana/data';
import { readFrames } from '../frames/readFrames';
import { evaluate, prepare, type PipelineEvaluation, type Problem } from '../pipeline';
import { DEFAULT_QUERY, type PipelineQuery } from './query';

const RANGE_MS = 5 * 60_000;
const MAX_NAMED = 5;
const LAZY =
  'Some appear with their first event only. Those that never come need --enable-metrics or a later version of SGLang.';

/** The request of the health check: the planned queries over the last five minutes, at most twenty steps. */
export function healthRequest(nowMs: number): DataQueryRequest<PipelineQuery> {
  const range = { from: dateTime(nowMs - RANGE_MS), to: dateTime(nowMs) };
  return {
    app: 'pdflow-health',
    requestId: 'pdflow-health',
    interval: '15s',
    intervalMs: 15_000,
    maxDataPoints: 20,
    range: { ...range, raw: range },
    scopedVars: {},
    startTime: nowMs,
    timezone: 'browser',
    targets: [{ refId: 'health', ...DEFAULT_QUERY }],
  };
}

/** First response that is not a promise of more. */
export function isFinished({ state }: DataQueryResponse): boolean {
  return state !== LoadingState.Loading;
}

/**
 * What the answer of the health request says: unreachable, reachable without SGLang series, only one side of the
 * pipeline, or fine; with the metric families that were found and missed.
 */
export function readHealth(response: DataQueryResponse, nowMs: number): TestDataSourceResponse {
  const { series, problems, options } = readFrames(response.data);
  const failed = response.errors?.map(({ message }) => message).join(' ');
  if (failed && series.length === 0) {
    return { status: 'error', message: failed };
  }
  const fleet = prepare(series, options);
  const absent = fleet.problems.find(({ kind }) => kind === 'no-series');
  if (absent) {
    const [text] = word([absent]);
    return { status: 'error', message: `Prometheus answers, but: ${text}` };
  }
  const evaluations = evaluate(fleet, nowMs);
  const sides = evaluations.flatMap(wordSides);
  const concerns = [...(failed ? [failed] : []), ...sides, ...word([...fleet.problems, ...problems])];
  const summary = `Prometheus answers with ${count(series.length, 'series', 'series')} of ${count(fleet.pipelines.length, 'pipeline')}.`;
  return {
    status: concerns.length > 0 ? 'warning' : 'success',
    message: [summary, ...concerns, ...wordContract(evaluations)].join(' '),
    details: { message: '', verboseMessage: evaluations.map(wordMetrics).join('\n') },
  };
}

/** A pipeline of which one side only is scraped shows half of the truth. */
function wordSides({ id, engines }: PipelineEvaluation): string[] {
  const missing = (['prefill', 'decode'] as const).filter((side) => !engines.some(({ role }) => role === side));
  return missing.length !== 1
    ? []
    : [
        `Pipeline ${id} has no ${missing.join()} engine. Check that Prometheus scrapes the ${missing.join()} servers, and the role mapping.`,
      ];
}

function word(problems: readonly Problem[]): string[] {
  return problems.map(({ text, nextStep }) => `${text} ${nextStep}`);
}

/** The metrics found, and those missed by one pipeline or more; the details say which pipeline. */
function wordContract(evaluations: readonly PipelineEvaluation[]): string[] {
  const missing = [...new Set(evaluations.flatMap(({ metrics }) => metrics.missing))];
  const seen = new Set(evaluations.flatMap(({ metrics }) => metrics.seen));
  const later = new Map(evaluations.flatMap(({ metrics }) => metrics.notInRelease.map((m) => [m.family, m.since])));
  const absent = [...later].map(([family, since]) => `${family} (${since})`);
  const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  const notInRelease =
    absent.length > 0 ? [`Not in the SGLang release of the engines, but since: ${absent.join(', ')}.`] : [];
  return missing.length === 0
    ? [`All ${seen.size} expected metrics are there.`, ...notInRelease]
    : [
        `${count(seen.size, 'expected metric')} found. Not seen: ${missing.slice(0, MAX_NAMED).join(', ')}${more}. ${LAZY}`,
        ...notInRelease,
      ];
}

function wordMetrics({ id, metrics }: PipelineEvaluation): string {
  return `${id}: found ${list(metrics.seen)}; not seen ${list(metrics.missing)}.`;
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ');
}

function count(total: number, one: string, many = `${one}s`): string {
  return `${total} ${total === 1 ? one : many}`;
}
