import { bothSides, clock, decodeFlow, prefillFlow, sampled, timeOf, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import type { PipelineEvent, RawSeries } from './model';

const TIME = clock(10);
const LABELS = { instance: 'd:1', model_name: 'm', engine_type: 'decode', tp_rank: '0' };
const counter = (perScrape: Readonly<Record<number, number>>): RawSeries => {
  let total = 7;
  const name = { __name__: 'sglang:num_retracted_requests_total' };
  return sampled(TIME, { ...LABELS, ...name }, (i) => (total += perScrape[i] ?? 0));
};
const gauge = (values: PerScrape): RawSeries =>
  sampled(TIME, { ...LABELS, __name__: 'sglang:num_retracted_reqs', pid: '9' }, (i) =>
    typeof values === 'number' ? values : values(i)
  );
const retractions = (...told: RawSeries[]): PipelineEvent[] => {
  const series = [...bothSides(TIME, { counters: prefillFlow(3) }, { counters: decodeFlow(3) }), ...told];
  return (prepare(series).pipelines[0]?.events ?? []).filter((e) => e.kind === 'retraction');
};

const rows: ReadonlyArray<[string, RawSeries[], Array<[number, number]>]> = [
  ['none was counted', [counter({})], []],
  ['neither counter nor gauge is there', [], []],
  ['five at once, dated at the scrape before', [counter({ 10: 5 })], [[9, 5]]],
  ['again and again within a minute is one event', [counter({ 10: 5, 12: 1, 15: 2 })], [[9, 8]]],
  [
    'after a longer pause it is another one',
    [counter({ 10: 5, 15: 2 })],
    [
      [9, 5],
      [14, 2],
    ],
  ],
  ['before 0.5.7 each new value of the gauge tells', [gauge((i) => (i === 10 ? 4 : 0))], [[9, 4]]],
  ['a gauge that stands is told once', [gauge((i) => (i >= 10 ? 4 : 0))], [[9, 4]]],
  [
    'where the counter is there the gauge is not asked',
    [counter({ 10: 5 }), gauge((i) => (i >= 20 ? 4 : 0))],
    [[9, 5]],
  ],
];

it.each(rows)('%s', (_why, told, expected) => {
  const events = retractions(...told);
  expect(events.map(({ atMs, size }) => [atMs, size])).toEqual(expected.map(([i, n]) => [timeOf(TIME, i), n]));
});

it('says where', () => {
  expect(retractions(counter({ 10: 1 }))).toMatchObject([
    { engine: 'd:1', stage: 'decode.running', text: 'd:1 retracted 1 request' },
  ]);
});
