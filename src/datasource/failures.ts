import { DataQueryErrorType, type DataQueryError } from '@grafana/data';
import { isRecord, readText } from '../frames/json';

/** Why a query could not be sent or answered, in one sentence, and what to do next. */
export interface Failure {
  readonly text: string;
  readonly nextStep: string;
}

interface Rule {
  readonly status: readonly number[];
  readonly message: RegExp;
  readonly nextStep: (source: string) => string;
}

/** First hit wins. Messages are those of Prometheus, of Go's HTTP client and of Grafana's query API. */
const RULES: readonly Rule[] = [
  {
    status: [401, 403],
    message: /unauthori[sz]ed|forbidden|permission|access denied/i,
    nextStep: (source) => `Ask an administrator for the permission to query ${source}.`,
  },
  {
    status: [429],
    message: /too many (outstanding )?requests|rate limit/i,
    nextStep: () => 'Wait a little, and choose a longer refresh interval.',
  },
  {
    status: [408, 504],
    message: /time(d)?[ -]?out|deadline exceeded|too many samples|exceeded maximum resolution|limit/i,
    nextStep: () => 'Shorten the time range or narrow the label matchers.',
  },
  {
    status: [404, 500, 502, 503],
    message: /connection refused|no such host|network|failed to fetch|bad gateway|unavailable|plugin not found/i,
    nextStep: (source) => `Open ${source} under Connections › Data sources and press "Save & test".`,
  },
  {
    status: [400, 422],
    message: /parse error|bad_data|invalid parameter|error parsing regexp/i,
    nextStep: () => 'Check the label matchers of the query and of the data source, and the values of the variables.',
  },
];

/** These say what is wrong whatever the text; the others are shared by many causes. */
const TELLING = [401, 403, 429, 504];

/** Wording of a transport error of the Prometheus data source called `source`: telling status, else text, else status. */
export function readFailure(error: unknown, source: string): Failure {
  const { message, status } = readError(error);
  const byStatus = status === undefined ? undefined : RULES.find((one) => one.status.includes(status));
  const byText = RULES.find((one) => one.message.test(message));
  const rule = status !== undefined && TELLING.includes(status) ? byStatus : (byText ?? byStatus);
  return {
    text: `${source} could not answer: ${message}`,
    nextStep: rule?.nextStep(source) ?? `Try the query in Explore with ${source}, or look at the query inspector.`,
  };
}

/** A failure as Grafana shows it in the corner of a panel. */
export function encodeFailure(refId: string, failure: Failure): DataQueryError {
  return { refId, message: `${withStop(failure.text)} ${failure.nextStep}`, type: DataQueryErrorType.Unknown };
}

function readError(error: unknown): { message: string; status?: number } {
  const fields = isRecord(error) ? error : {};
  const data = isRecord(fields.data) ? fields.data : {};
  const texts = [fields.message, data.message, fields.statusText, error].map(readText);
  return {
    message: texts.find(Boolean) ?? 'unknown error',
    ...(typeof fields.status === 'number' && { status: fields.status }),
  };
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
