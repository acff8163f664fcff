import type { RawSeries } from './model';
import {
  alignTo,
  cut,
  fallsOf,
  gridOf,
  indexAt,
  lastCounted,
  lastIndex,
  lastWhere,
  quantile,
  restartsOf,
  risesOf,
  spacingMs,
  sumAfter,
  sumColumns,
  sumKnown,
  intervalsOf,
  vanishingsOf,
  type Column,
} from './series';

const _ = undefined;
const series = (timesMs: number[], values: number[]): RawSeries => ({ labels: {}, timesMs, values });

describe('risesOf: increase since the previous sample', () => {
  const rows: ReadonlyArray<[string, Column, number[], number[]]> = [
    ['a counter that rises by 3, then stands', [10, 13, 13], [], [0, 3, 0]],
    ['the first sample of a range is where counting begins, not an increase', [500], [], [0]],
    ['a series born later has counted from zero', [_, _, 2, 5], [], [0, 0, 2, 3]],
    ['a missing scrape is no increase; the next sample carries it', [10, _, 14], [], [0, 0, 4]],
    ['after a fall the new process has counted from zero', [10, 4, 6], [1], [0, 4, 2]],
    [
      'a restart that another counter shows resets this one too, though it is higher than before',
      [3, 7, 9],
      [1],
      [0, 7, 2],
    ],
    ['a restart while the series was missing', [10, _, 12], [1], [0, 0, 12]],
    ['no sample at all', [_, _], [], [0, 0]],
  ];
  it.each(rows)('%s', (_why, column, restarts, expected) => {
    expect(risesOf(column, restarts)).toEqual(expected);
  });
});

describe('restartsOf: one restart, however many counters fall', () => {
  const restarts = (...columns: Column[]): number[] => restartsOf(columns.flatMap(fallsOf));
  const rows: ReadonlyArray<[string, Column[], number[]]> = [
    ['nothing falls', [[1, 2, 3]], []],
    [
      'two counters fall at the same scrape',
      [
        [5, 6, 1],
        [9, 9, 2],
      ],
      [2],
    ],
    [
      'one falls at once, the other when it is next counted',
      [
        [5, 1, 2, 3],
        [9, _, _, 2],
      ],
      [1],
    ],
    ['two restarts', [[5, 1, 3, 1]], [1, 3]],
    ['an equal value is no fall', [[5, 5, 5]], []],
  ];
  it.each(rows)('%s', (_why, columns, expected) => {
    expect(restarts(...columns)).toEqual(expected);
  });
});

describe('alignTo: a series on the scrapes of its engine', () => {
  const grid = [0, 10, 20, 30, 40, 50];
  const rows: ReadonlyArray<[string, RawSeries, Column]> = [
    ['the same scrapes', series(grid, [1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 5, 6]],
    ['a missing scrape is missing', series([0, 10, 30, 40, 50], [1, 2, 4, 5, 6]), [1, 2, _, 4, 5, 6]],
    [
      'a second query with a larger step holds its value between its own samples',
      series([0, 20, 40], [1, 2, 3]),
      [1, 1, 2, 2, 3, 3],
    ],
    ['a series that ends is gone', series([0, 10], [1, 2]), [1, 2, _, _, _, _]],
    ['a series that begins late is not there before', series([40, 50], [1, 2]), [_, _, _, _, 1, 2]],
    ['no samples', series([], []), [_, _, _, _, _, _]],
  ];
  it.each(rows)('%s', (_why, one, expected) => {
    expect(alignTo(grid, one)).toEqual(expected);
  });
});

describe('small things', () => {
  it.each<[number, number]>([
    [-1, -1],
    [0, 0],
    [9, 0],
    [10, 1],
    [99, 2],
  ])('the last scrape at or before %i ms is number %i', (atMs, expected) => {
    expect(indexAt([0, 10, 20], atMs)).toBe(expected);
  });

  it('the spacing is the middle one, so that a hole does not widen it', () => {
    expect(spacingMs([0, 10, 20, 100, 110])).toBe(10);
    expect(spacingMs([5])).toBeUndefined();
  });

  it('a quantile is one of the values', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(quantile([4, 1, 3, 2], 1)).toBe(4);
    expect(quantile([], 0.5)).toBeUndefined();
  });

  it('the grid is the ascending union of all sample times', () => {
    expect(gridOf([series([0, 20], [1, 1]), series([10, 20], [1, 1])])).toEqual([0, 10, 20]);
  });

  it('a sum is missing only where every part is missing', () => {
    expect(
      sumColumns([
        [1, _, _],
        [2, 3, _],
      ])
    ).toEqual([3, 3, _]);
  });
});

describe('vanishingsOf: scrapes of a process that has counted nothing yet', () => {
  const rows: ReadonlyArray<[string, Column[], Array<{ sinceIndex: number; atIndex: number }>]> = [
    ['counters that stay', [[1, 2, 2]], []],
    [
      'one that is missing beside another is no new process',
      [
        [1, _, 3],
        [5, 5, 5],
      ],
      [],
    ],
    [
      'all gone: a new process',
      [
        [1, 2, _, _],
        [5, 5, _, _],
      ],
      [{ sinceIndex: 1, atIndex: 2 }],
    ],
    [
      'others instead of all that were there: a process with other labels',
      [
        [1, 2, _, _],
        [_, 5, _, _],
        [_, _, 1, 2],
      ],
      [{ sinceIndex: 1, atIndex: 2 }],
    ],
    [
      'another one beside those that were there is a first event',
      [
        [1, 2, _, 3],
        [_, _, 1, 2],
        [1, 1, 1, 1],
      ],
      [],
    ],
    ['none yet is no restart', [[_, _, 3]], []],
    [
      'gone twice',
      [[1, _, 1, _]],
      [
        { sinceIndex: 0, atIndex: 1 },
        { sinceIndex: 2, atIndex: 3 },
      ],
    ],
  ];
  it.each(rows)('%s', (_why, counters, expected) => {
    expect(vanishingsOf(counters)).toEqual(expected);
  });
});

describe('intervalsOf: the scrape interval as each scrape could know it', () => {
  const times = (...gaps: number[]): number[] => gaps.reduce((all, gap) => [...all, (all.at(-1) ?? 0) + gap], [0]);
  const rows: ReadonlyArray<[string, number[], number[]]> = [
    ['before there is a spacing the usual one', [], [7]],
    ['a steady one', [5, 5, 5], [7, 5, 5, 5]],
    ['a hole is none', [5, 5, 300, 5], [7, 5, 5, 5, 5]],
    ['a new one is known after three scrapes', [5, 5, 5, 5, 15, 15, 15], [7, 5, 5, 5, 5, 5, 5, 15]],
  ];
  it.each(rows)('%s', (_why, gaps, expected) => {
    expect(intervalsOf(times(...gaps), 7)).toEqual(expected);
  });
});

describe('looking back', () => {
  it('the last index at which something holds, or -1', () => {
    expect([4, 1, 0].map((to) => lastIndex(to, (i) => i % 3 === 1))).toEqual([4, 1, -1]);
  });

  it('a missing value is taken for 0, and what comes after the list is not looked at', () => {
    expect(lastWhere([0, 5, _, 5], 2, (n) => n === 0)).toBe(2);
    expect(lastWhere([0, 5], 9, (n) => n === 0)).toBe(0);
  });

  it('the last scrape in which something was counted', () => {
    expect([3, 1, 0].map((to) => lastCounted([0, 2, 0, 1], to))).toEqual([3, 1, -1]);
    expect(lastCounted(undefined, 3)).toBe(-1);
  });
});

describe('cut', () => {
  it('makes parts of the same length, as far as that goes', () => {
    expect(cut([1, 2, 3, 4, 5, 6], 3)).toEqual([
      [1, 2],
      [3, 4],
      [5, 6],
    ]);
    expect(cut([1, 2, 3, 4], 3)).toEqual([[1], [2, 3], [4]]);
    expect(cut([], 2)).toEqual([[], []]);
  });
});

describe('sums', () => {
  it.each([
    ['the values that are known', [1, _, 2], 3],
    ['a known zero is not missing', [_, 0], 0],
    ['nothing is known', [_, _], undefined],
    ['no value at all', [], undefined],
  ])('%s', (_why, values, expected) => {
    expect(sumKnown(values)).toBe(expected);
  });

  it('after a scrape up to another: the first is left out, the last is not', () => {
    expect(sumAfter([1, 2, 4, 8], 0, 2)).toBe(6);
    expect(sumAfter([1, 2, 4, 8], -1, 0)).toBe(1);
    expect(sumAfter(undefined, 0, 2)).toBe(0);
  });
});
