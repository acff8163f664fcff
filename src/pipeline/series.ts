import type { RawSeries } from './model';

/** Index of the last entry at or before `atMs` in an ascending list, or -1. */
export function indexAt(timesMs: readonly number[], atMs: number): number {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timesMs[middle] ?? Infinity) <= atMs) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/** Middle value of the spacings, in milliseconds; `undefined` below two samples. */
export function spacingMs(timesMs: readonly number[]): number | undefined {
  const gaps = timesMs.slice(1).map((t, i) => t - (timesMs[i] ?? t));
  return quantile(gaps, 0.5);
}

/** Spacings that tell the interval of late: a few, so that a change is known soon, and more than one hole can hide. */
const LATE_SPACINGS = 5;

/** The scrape interval as each scrape could know it: the middle of the latest spacings; `usualMs` before there is one. */
export function intervalsOf(timesMs: readonly number[], usualMs: number): number[] {
  return timesMs.map((_, i) => spacingMs(timesMs.slice(Math.max(0, i - LATE_SPACINGS), i + 1)) ?? usualMs);
}

/** Nearest-rank quantile; `undefined` for an empty list. */
export function quantile(values: readonly number[], q: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
}

/** Ascending union of all sample times. */
export function gridOf(series: readonly RawSeries[]): number[] {
  const times = new Set<number>();
  for (const one of series) {
    one.timesMs.forEach((t) => times.add(t));
  }
  return [...times].sort((a, b) => a - b);
}

/** A value per scrape of the engine; `undefined` where the series was not there. */
export type Column = ReadonlyArray<number | undefined>;

/** The last index up to `to` at which something holds, or -1. */
export function lastIndex(to: number, holds: (index: number) => boolean): number {
  let i = to;
  while (i >= 0 && !holds(i)) {
    i -= 1;
  }
  return i;
}

/** The last index up to `to` at which something holds for the value there, or -1; a missing value is taken for 0. */
export const lastWhere = (list: Column, to: number, holds: (value: number, index: number) => boolean): number =>
  lastIndex(Math.min(to, list.length - 1), (i) => holds(list[i] ?? 0, i));

/** The last index up to `to` at which something was counted, or -1. */
export const lastCounted = (rises: readonly number[] = [], to: number): number => lastWhere(rises, to, (n) => n > 0);

/** A list in parts of the same length, as far as that goes. */
export function cut<T>(list: readonly T[], parts: number): Array<readonly T[]> {
  const at = (k: number): number => Math.round((list.length * k) / parts);
  return Array.from({ length: parts }, (_, k) => list.slice(at(k), at(k + 1)));
}

export const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Sum of the values that are known; `undefined` where none is. */
export function sumKnown(values: Column): number | undefined {
  const known = values.filter((v) => v !== undefined);
  return known.length > 0 ? sum(known) : undefined;
}

/** Sum over the scrapes after `from`, up to `to`. */
export const sumAfter = (list: readonly number[] = [], from: number, to: number): number =>
  sum(list.slice(from + 1, to + 1));

/** What is left of each number without some of it, at least nothing. */
export const without = (list: readonly number[], some: readonly number[]): number[] =>
  list.map((n, i) => Math.max(0, n - (some[i] ?? 0)));

/**
 * Puts a series on the grid of its engine. A series sampled more coarsely than the grid (a second query with a larger
 * step) holds its value between its own samples; one that is missing at a scrape is missing.
 */
export function alignTo(gridMs: readonly number[], series: RawSeries): Column {
  const own = spacingMs(series.timesMs) ?? 0;
  const grid = spacingMs(gridMs) ?? 0;
  const holdMs = own > grid * 1.5 ? own * 1.5 : 0;
  let next = 0;
  return gridMs.map((t) => {
    while (next < series.timesMs.length && (series.timesMs[next] ?? Infinity) <= t) {
      next += 1;
    }
    const lastMs = series.timesMs[next - 1];
    return lastMs !== undefined && t - lastMs <= holdMs ? series.values[next - 1] : undefined;
  });
}

/** Two samples of a counter of which the later is lower: its process was restarted in between. */
export interface Fall {
  /** Where the higher value was first seen: it has stood there since, or was missing. */
  readonly sinceIndex: number;
  readonly atIndex: number;
}

export function fallsOf(column: Column): Fall[] {
  const falls: Fall[] = [];
  let last: { since: number; value: number } | undefined;
  column.forEach((value, index) => {
    if (value === undefined || value === last?.value) {
      return;
    }
    if (last && value < last.value) {
      falls.push({ sinceIndex: last.since, atIndex: index });
    }
    last = { since: index, value };
  });
  return falls;
}

/**
 * Scrapes that show not one of the counters that were there before: a new process that has counted nothing yet, or counts
 * under other labels. Within one process a counter never goes away.
 */
export function vanishingsOf(counters: readonly Column[]): Fall[] {
  const falls: Fall[] = [];
  const known = new Set<Column>();
  let lastCounted = 0;
  (counters[0] ?? []).forEach((_, i) => {
    const there = counters.filter((c) => c[i] !== undefined);
    if (known.size > 0 && !there.some((c) => known.has(c))) {
      falls.push({ sinceIndex: lastCounted, atIndex: i });
      known.clear();
    }
    there.forEach((c) => known.add(c));
    lastCounted = there.length > 0 ? i : lastCounted;
  });
  return falls;
}

/**
 * The scrapes at which a process had restarted. One restart makes every counter fall, but each only when it is next
 * counted; until then it is missing, or Prometheus repeats its old value. So a fall from a value that has stood since
 * before a known restart is no second one.
 */
export function restartsOf(falls: readonly Fall[]): number[] {
  const restarts: number[] = [];
  for (const fall of [...falls].sort((a, b) => a.atIndex - b.atIndex)) {
    if (!restarts.some((r) => r > fall.sinceIndex && r <= fall.atIndex)) {
      restarts.push(fall.atIndex);
    }
  }
  return restarts;
}

const lastKnown = (column: Column, before: number): number | undefined =>
  column.slice(0, before).reduce((last, v) => v ?? last, undefined);

/**
 * Takes out what a counter cannot show: its value from before a restart, repeated by Prometheus without a break until
 * the new process counts.
 */
export function withoutRepeats(column: Column, restarts: readonly number[]): Column {
  let repeated: number | undefined;
  return column.map((value, i) => {
    if (restarts.includes(i) && value !== undefined && value === lastKnown(column, i)) {
      repeated = value;
    }
    repeated = value === repeated ? repeated : undefined;
    return repeated === undefined ? value : undefined;
  });
}

/**
 * Reset-aware increase since the previous sample, per scrape. After a restart a counter has counted from zero, also
 * where it is already higher than it was. A counter that appears on a later scrape than its engine counts from zero too:
 * SGLang creates labelled series at their first event.
 */
export function risesOf(column: Column, restarts: readonly number[]): number[] {
  let last: { index: number; value: number } | undefined;
  return column.map((value, index) => {
    if (value === undefined) {
      return 0;
    }
    const before = last;
    last = { index, value };
    if (!before) {
      return index > 0 ? value : 0;
    }
    const isNew = value < before.value || restarts.some((r) => r > before.index && r <= index);
    return isNew ? value : value - before.value;
  });
}

/** The highest of columns: missing only where every part is missing. */
export const mostOf = (columns: readonly Column[]): Column =>
  (columns[0] ?? []).map((_, i) => {
    const known = columns.map((c) => c[i]).filter((v) => v !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  });

/** Sum of columns: missing only where every part is missing. */
export function sumColumns(columns: readonly Column[]): Column {
  const [first] = columns;
  if (columns.length === 1 && first) {
    return first;
  }
  return (first ?? []).map((_, i) => sumKnown(columns.map((c) => c[i])));
}
