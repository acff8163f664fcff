import type { RawSeries } from '../model';
import { indexAt } from '../series';

export interface Span {
  /** Exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Values sampled in a span. */
export const valuesIn = (series: RawSeries, { fromMs, toMs }: Span): readonly number[] =>
  series.values.slice(indexAt(series.timesMs, fromMs) + 1, indexAt(series.timesMs, toMs) + 1);

/** Increase of a counter over the samples of a span, and the time between the first and the last of them. */
export function increaseIn(
  series: RawSeries,
  span: Span
): { readonly by: number; readonly overMs: number } | undefined {
  const first = indexAt(series.timesMs, span.fromMs) + 1;
  const last = indexAt(series.timesMs, span.toMs);
  const overMs = (series.timesMs[last] ?? 0) - (series.timesMs[first] ?? 0);
  if (last <= first) {
    return undefined;
  }
  const values = series.values.slice(first, last + 1);
  const by = values.reduce((sum, value, i) => sum + riseFrom(values[i - 1] ?? value, value), 0);
  return { by, overMs };
}

/** A counter that fell has been restarted and has counted from zero. */
const riseFrom = (before: number, value: number): number => (value < before ? value : value - before);
