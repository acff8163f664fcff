import { bothSides, clock, decodeFlow, prefillFlow, timeOf, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import type { PipelineEvent } from './model';

const TIME = clock(10, 15);

function events(
  decodeAborts: PerScrape,
  prefillAborts: PerScrape = 0,
  isScraped?: (i: number) => boolean
): PipelineEvent[] {
  const series = bothSides(
    TIME,
    { counters: { ...prefillFlow(3), aborted: prefillAborts } },
    { counters: { ...decodeFlow(3), aborted: decodeAborts }, isScraped }
  );
  return [...(prepare(series).pipelines[0]?.events ?? [])];
}
const sizes = (list: readonly PipelineEvent[]): Array<number | undefined> =>
  list.filter((e) => e.kind === 'abort-burst').map((e) => e.size);
const at =
  (increases: Readonly<Record<number, number>>, usual = 0): PerScrape =>
  (i) =>
    increases[i] ?? usual;

describe('abort bursts', () => {
  const rows: ReadonlyArray<[string, PerScrape, number[]]> = [
    ['none', 0, []],
    ['three aborts are no burst', at({ 10: 3 }), []],
    ['sixteen are', at({ 10: 16 }), [16]],
    ['spread over two scrapes they are one burst', at({ 10: 6, 11: 10 }), [16]],
    ['two bursts far apart', at({ 10: 8, 30: 9 }), [8, 9]],
  ];
  it.each(rows)('%s', (_why, aborts, expected) => {
    expect(sizes(events(aborts))).toEqual(expected);
  });

  // The first scrapes of a range have nothing before them that they could be far above of.
  it('five per scrape all the time are usual, also at the beginning of the range', () => {
    expect(sizes(events(5))).toEqual([]);
  });

  // Both scrapes of the window are counted, although only one of them is out of the ordinary.
  it('forty at once where four per scrape are usual: the burst is the scrape that stands out', () => {
    const list = events(at({ 20: 40 }, 4)).filter((e) => e.atMs > timeOf(TIME, 10));
    expect(list).toMatchObject([{ size: 40, atMs: timeOf(TIME, 19) }]);
  });

  it('begins with the last scrape that did not show it', () => {
    expect(events(at({ 10: 16 }))).toMatchObject([
      { kind: 'abort-burst', atMs: timeOf(TIME, 9), size: 16, text: '16 aborts' },
    ]);
  });

  it('prefill and decode count the same request: the side with more speaks for both', () => {
    expect(sizes(events(at({ 10: 16 }), at({ 10: 5 })))).toEqual([16]);
  });

  it('what gathered in a hole of the scrapes is no burst', () => {
    const isScraped = (i: number): boolean => i < 10 || i > 29;
    expect(sizes(events(1, 0, isScraped))).toEqual([]);
  });
});
