import { isDateTime } from '@grafana/data';

/** Ascending times, finite values, and what had to be done to get there. */
export interface Samples {
  readonly timesMs: readonly number[];
  readonly values: readonly number[];
  /** Samples without a finite value or a readable time. Nulls are gaps, not counted. */
  readonly dropped: number;
  /** Whether the samples had to be sorted. */
  readonly sorted: boolean;
  /** Instants with two different values; the larger one is kept, so that the order of frames does not matter. */
  readonly conflicts: number;
}

type Pair = readonly [timeMs: number, value: number];

/** Epoch milliseconds of a time column that holds numbers, dates or ISO texts; NaN where it cannot be read. */
export function readTimes(column: readonly unknown[]): readonly number[] {
  return isNumbers(column) ? column : column.map(readTime);
}

function readTime(value: unknown): number {
  if (typeof value === 'number') {
    return value;
  }
  if (typeof value === 'string') {
    return Date.parse(value);
  }
  return value instanceof Date || isDateTime(value) ? value.valueOf() : NaN;
}

/** Cleans one series. Columns that are clean already are returned as they are, without a copy. */
export function readSamples(timesMs: readonly number[], column: readonly unknown[]): Samples {
  if (timesMs.length === column.length && isClean(timesMs, column)) {
    return { timesMs, values: column, dropped: 0, sorted: false, conflicts: 0 };
  }
  const pairs: Pair[] = [];
  let dropped = 0;
  column.forEach((value, index) => {
    const timeMs = timesMs[index] ?? NaN;
    if (typeof value === 'number' && Number.isFinite(value) && Number.isFinite(timeMs)) {
      pairs.push([timeMs, value]);
    } else if (value !== null && value !== undefined) {
      dropped += 1;
    }
  });
  return orderPairs(pairs, dropped);
}

/** Union of two sets of samples of the same series. */
export function mergeSamples(a: Samples, b: Samples): Samples {
  const merged = orderPairs([...pairsOf(a), ...pairsOf(b)], a.dropped + b.dropped);
  return {
    ...merged,
    sorted: a.sorted || b.sorted,
    conflicts: merged.conflicts + a.conflicts + b.conflicts,
  };
}

function orderPairs(pairs: readonly Pair[], dropped: number): Samples {
  const sorted = pairs.some(([timeMs], index) => timeMs < (pairs[index - 1]?.[0] ?? -Infinity));
  const ordered = sorted ? [...pairs].sort((a, b) => a[0] - b[0]) : pairs;
  const timesMs: number[] = [];
  const values: number[] = [];
  let conflicts = 0;
  for (const [timeMs, value] of ordered) {
    const last = timesMs.length - 1;
    const before = values[last];
    if (before === undefined || timesMs[last] !== timeMs) {
      timesMs.push(timeMs);
      values.push(value);
    } else if (before !== value) {
      conflicts += 1;
      values[last] = Math.max(before, value);
    }
  }
  return { timesMs, values, dropped, sorted, conflicts };
}

function pairsOf({ timesMs, values }: Samples): Pair[] {
  return timesMs.map((timeMs, index) => [timeMs, values[index] ?? NaN]);
}

/** Plain loops: thousands of series pass here at every refresh. */
function isNumbers(column: readonly unknown[]): column is readonly number[] {
  for (const value of column) {
    if (typeof value !== 'number') {
      return false;
    }
  }
  return true;
}

function isClean(timesMs: readonly number[], column: readonly unknown[]): column is readonly number[] {
  let before = -Infinity;
  for (let index = 0; index < column.length; index += 1) {
    const timeMs = timesMs[index] ?? NaN;
    if (!(timeMs > before) || timeMs === Infinity || !Number.isFinite(column[index])) {
      return false;
    }
    before = timeMs;
  }
  return true;
}
