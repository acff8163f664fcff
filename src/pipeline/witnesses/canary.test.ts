import { clock, START_MS } from '../../testing/traces';
import { canary } from '../../testing/witnesses';
import type { RawSeries } from '../model';
import { canaryEvents, canaryStateAt, readCanaries, type Canary } from './canary';

const TIME = clock(10);
const at = (seconds: number): number => START_MS + seconds * 1000;
const read = (series: readonly RawSeries[], stamps?: RawSeries): Canary[] => readCanaries(series, () => stamps);
const only = (series: readonly RawSeries[], stamps?: RawSeries): Canary =>
  read(series, stamps)[0] ?? { id: '', labels: {}, probes: [] };

describe('what a canary has told by an instant', () => {
  // Requests at 0, 30, 60, … s; those from the third on, at 60 s, get no answer and are given up after 29.5 s.
  const failing = only(canary(TIME, { isAnswered: (k) => k < 2, requests: 10 }));
  const rows: ReadonlyArray<[string, number, number | undefined, number | undefined]> = [
    ['before its first request it tells nothing', -1, undefined, undefined],
    ['an answered request', 45, 0, 30],
    ['a request that waits is not yet one without an answer', 80, 0, 30],
    ['given up after 29.5 s', 90, 1, 30],
    ['two in a row', 120, 2, 30],
    ['a request that is older than three periods tells nothing any more', 500, undefined, undefined],
  ];
  it.each(rows)('%s', (_why, seconds, failed, answeredAt) => {
    const state = canaryStateAt(failing, at(seconds));
    expect(state?.failed.length).toBe(failed);
    expect(state?.answered?.sentMs).toBe(answeredAt === undefined ? undefined : at(answeredAt));
  });

  it('one that was never answered has no last answer', () => {
    const state = canaryStateAt(only(canary(TIME, { isAnswered: () => false, requests: 4 })), at(120));
    expect([state?.failed.length, state?.answered]).toEqual([4, undefined]);
  });
});

it('between two requests Prometheus repeats the last one: its time stamp tells', () => {
  const timesMs = [at(0), at(10), at(20), at(30), at(40)];
  const labels = { __name__: 'probe_success', job: 'pdflow-canary', instance: 'x' };
  const success = { labels, timesMs, values: [1, 1, 1, 0, 0] };
  const stamps = { labels: {}, timesMs, values: [0, 0, 0, 27, 27].map((s) => START_MS / 1000 + s) };
  expect(only([success], stamps).probes.map(({ sentMs, isAnswered }) => [sentMs, isAnswered])).toEqual([
    [at(0), true],
    [at(27), false],
  ]);
});

it('only the job of the canary is read, whatever stands around its name', () => {
  const named = (job: string): RawSeries[] => canary(TIME, { isAnswered: () => true, requests: 1, labels: { job } });
  expect(read([...named('blackbox'), ...named('probe/prod/pdflow-canary')]).map((c) => c.labels['job'])).toEqual([
    'probe/prod/pdflow-canary',
  ]);
});

describe('events', () => {
  const rows: ReadonlyArray<[string, (k: number) => boolean, number, Array<[string, number, number | undefined]>]> = [
    ['always answered: nothing happens', () => true, 0, []],
    ['never answered: no change was seen', () => false, 0, []],
    ['a failure, and nothing after it', (k) => k < 4, 0, [['canary got no answer', 120, undefined]]],
    [
      'a failure of 90 s',
      (k) => k < 4 || k > 6,
      503,
      [
        ['canary got HTTP 503', 120, undefined],
        ['canary answered again after 1 m 30 s', 210, 90_000],
      ],
    ],
    [
      'an answer without a completion',
      (k) => k < 4,
      200,
      [['canary got an answer that is no completion', 120, undefined]],
    ],
  ];
  it.each(rows)('%s', (_why, isAnswered, status, expected) => {
    const events = canaryEvents(only(canary(TIME, { isAnswered, status, requests: 10 })));
    expect(events.map(({ text, atMs, size }) => [text, (atMs - START_MS) / 1000, size])).toEqual(expected);
  });
});
