import { clock, decodeFlow, engine, timeOf, type EngineTrace, type PerScrape } from '../../testing/traces';
import { prepare } from '../fleet';
import { momentOf } from '../moment';
import { fewAdmitted } from './pressure';

/** Ten minutes at 15 s. Ten requests come per scrape; from scrape 16 on fewer are admitted. */
const TIME = clock(10);

/** How many wait, and since which scrape. */
function found(
  admitted: number,
  { usage = 0.8, scrape = 24, more }: { usage?: number; scrape?: number; more?: EngineTrace['counters'] } = {}
): readonly [number, number] | undefined {
  const flow: PerScrape = (i) => (i < 16 ? 10 : admitted);
  const counters = { ...decodeFlow(flow), received: 10, ...more };
  const series = engine(TIME, { id: 'd:1', role: 'decode', isStamped: true, counters, gauges: { usage } });
  const fleet = prepare(series);
  const [pipeline] = fleet.pipelines;
  const few = pipeline && fewAdmitted(momentOf(fleet, pipeline, timeOf(TIME, scrape)));
  return few && [few.depth, (few.sinceMs - TIME.startMs) / TIME.everyMs];
}

describe('few are admitted', () => {
  // Eight wait in scrape 16, and more from then on: a minute at 20.
  it('two of ten, and the KV room is tight: named after a minute', () => {
    expect(found(2, { scrape: 19 })).toBeUndefined();
    expect(found(2, { scrape: 20 })).toEqual([40, 15]);
    expect(found(2)).toEqual([72, 15]);
  });

  // From scrape 24 on fourteen are admitted: 32 wait in scrape 31, for 48 s, and 12 in scrape 36, for 15 s.
  it('it lasts until those that wait would be admitted within half a minute', () => {
    const admitted: PerScrape = (i) => (i < 16 ? 10 : i < 24 ? 2 : 14);
    expect(found(2, { scrape: 31, more: { admitted } })).toEqual([32, 15]);
    expect(found(2, { scrape: 36, more: { admitted } })).toBeUndefined();
  });

  it.each<[string, Parameters<typeof found>]>([
    ['the KV room is not tight, and a minute tells no lack of slots', [2, { usage: 0.6, scrape: 20 }]],
    ['those that wait are admitted within a minute', [9]],
    ['nobody is: that is a stall', [0]],
    ['clients that wait give up one after the other', [2, { more: { bootstrapFailed: (i) => (i < 16 ? 0 : 8) } }]],
  ])('no: %s', (_why, args) => {
    expect(found(...args)).toBeUndefined();
  });
});
