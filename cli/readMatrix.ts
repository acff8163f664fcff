import type { RawSeries } from '../src/pipeline';

/** The answer to one range query. */
export type Answer =
  | {
      readonly kind: 'matrix';
      readonly series: readonly RawSeries[];
      /** Samples without a finite value, left out. */
      readonly dropped: number;
      readonly warnings: readonly string[];
    }
  | { readonly kind: 'error'; readonly type: string; readonly message: string }
  | { readonly kind: 'alien' };

const ALIEN: Answer = { kind: 'alien' };

/** Reads what `/api/v1/query_range` answered. `name` is put back where PromQL dropped the metric name. Never throws. */
export function readMatrix(body: unknown, name?: string): Answer {
  const { status, errorType, error, data, warnings } = fieldsOf(body);
  if (status === 'error') {
    return { kind: 'error', type: textOf(errorType), message: textOf(error) || 'no reason given' };
  }
  const { resultType, result } = fieldsOf(data);
  if (status !== 'success' || resultType !== 'matrix' || !Array.isArray(result)) {
    return ALIEN;
  }
  const read = result.map((one: unknown) => readSeries(one, name)).filter((one) => one !== undefined);
  return {
    kind: 'matrix',
    series: read.map(({ series }) => series).filter(({ timesMs }) => timesMs.length > 0),
    dropped: read.reduce((sum, { dropped }) => sum + dropped, 0),
    warnings: Array.isArray(warnings) ? warnings.map(textOf).filter(Boolean) : [],
  };
}

/** `undefined` for a native histogram, which has no values. */
function readSeries(one: unknown, name: string | undefined): { series: RawSeries; dropped: number } | undefined {
  const { metric, values } = fieldsOf(one);
  if (!Array.isArray(values)) {
    return undefined;
  }
  const told = Object.entries(fieldsOf(metric)).map(([label, value]) => [label, textOf(value)] as const);
  const labels: Record<string, string> = {
    ...(name === undefined ? {} : { __name__: name }),
    ...Object.fromEntries(told),
  };
  const timesMs: number[] = [];
  const kept: number[] = [];
  for (const pair of values) {
    const [time, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    const atMs = typeof time === 'number' ? Math.round(time * 1000) : NaN;
    const number = typeof value === 'string' && value !== '' ? Number(value) : NaN;
    if (Number.isFinite(atMs) && Number.isFinite(number)) {
      timesMs.push(atMs);
      kept.push(number);
    }
  }
  return { series: { labels, timesMs, values: kept }, dropped: values.length - kept.length };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
