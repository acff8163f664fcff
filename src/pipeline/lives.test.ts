import { engineByLife, joinLives, livesOf, spelledOnce, within } from './lives';
import type { AnySignalId } from './profiles/sglang';
import type { Column } from './series';

const _ = undefined;

it('a range is cut at its restarts', () => {
  expect(livesOf(5, [])).toEqual([{ from: 0, to: 5 }]);
  expect(livesOf(5, [2, 4])).toEqual([
    { from: 0, to: 2 },
    { from: 2, to: 4 },
    { from: 4, to: 5 },
  ]);
});

describe('spelledOnce: each process has one spelling of a signal', () => {
  const lives = livesOf(4, [2]);
  const rows: ReadonlyArray<[string, Column[][], Column[]]> = [
    ['no spelling at all', [[], []], []],
    ['the only one is taken as it is', [[], [[1, 2, 3, 4]]], [[1, 2, 3, 4]]],
    [
      'another one after an upgrade',
      [[[_, _, 3, 4]], [[1, 2, _, _]]],
      [
        [_, _, 3, 4],
        [1, 2, _, _],
      ],
    ],
    [
      'of two at a time the newest',
      [[[1, 2, 3, 4]], [[7, 7, 7, 7]]],
      [
        [1, 2, 3, 4],
        [_, _, _, _],
      ],
    ],
  ];
  it.each(rows)('%s', (_why, spellings, expected) => {
    expect(spelledOnce(spellings, lives)).toEqual(expected);
  });
});

interface Shown {
  readonly columns: Map<AnySignalId, Column>;
  readonly rises: Map<AnySignalId, number[]>;
  readonly timesMs: number[];
  readonly restarts: number[];
  readonly pushed: boolean[];
}

/** An engine that restarts at its third scrape of four; a list per counter. */
function shown(all: ReadonlyArray<[AnySignalId, Column]>): Shown {
  return {
    columns: new Map(all),
    rises: new Map(all.filter(([id]) => !id.startsWith('gauge')).map(([id, c]) => [id, c.map((n) => n ?? 0)])),
    timesMs: [0, 1, 2, 3],
    restarts: [2],
    pushed: [false, true, false, true],
  };
}

describe('engineByLife: the signals of each process', () => {
  const rows: ReadonlyArray<[string, Array<[AnySignalId, Column]>, string[][]]> = [
    [
      'a release that has one counter less',
      [
        ['prefill.forwarded', [1, 2, 3, 4]],
        ['kv.transfers', [1, 2, _, _]],
      ],
      [['prefill.forwarded', 'kv.transfers'], ['prefill.forwarded']],
    ],
    [
      'a process that has only been asked so far counts what the one before did',
      [
        ['prefill.forwarded', [1, 2, _, _]],
        ['http.requests', [1, 2, _, 1]],
      ],
      [
        ['prefill.forwarded', 'http.requests'],
        ['prefill.forwarded', 'http.requests'],
      ],
    ],
    [
      'gauges alone are no request',
      [
        ['prefill.forwarded', [1, 2, _, _]],
        ['gauge.running', [0, 0, 0, 0]],
      ],
      [
        ['prefill.forwarded', 'gauge.running'],
        ['prefill.forwarded', 'gauge.running'],
      ],
    ],
  ];
  it.each(rows)('%s', (_why, columns, expected) => {
    expect(engineByLife(shown(columns)).map(({ engine }) => [...engine.columns.keys()])).toEqual(expected);
  });
});

it('within: nothing is told of the process before', () => {
  const { columns, rises, pushed } = within(shown([['scheduled', [1, 2, 3, 4]]]), { from: 2, to: 4 });
  expect([columns.get('scheduled'), rises.get('scheduled'), pushed]).toEqual([
    [_, _, 3, 4],
    [0, 0, 3, 4],
    [false, false, false, true],
  ]);
});

it('joinLives: each list in its own life', () => {
  expect(
    joinLives(livesOf(3, [1]), [
      ['a', 'a', 'a'],
      ['b', 'b', 'b'],
    ])
  ).toEqual(['a', 'b', 'b']);
});
