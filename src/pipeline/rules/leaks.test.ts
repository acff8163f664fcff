import { clock, decodeFlow, engine, prefillFlow, timeOf, type Counters, type PerScrape } from '../../testing/traces';
import { prepare } from '../fleet';
import type { RawSeries } from '../model';
import { momentOf, type Moment } from '../moment';
import { leak, leakedSlots } from './leaks';

/** Ten minutes at 15 s, ten requests per scrape. */
const TIME = clock(10);

const prefill = (counters: Counters = {}): RawSeries[] =>
  engine(TIME, { id: 'p:1', role: 'prefill', isStamped: true, counters: { ...prefillFlow(10), ...counters } });
const decode = (counters: Counters = {}): RawSeries[] =>
  engine(TIME, { id: 'd:1', role: 'decode', isStamped: true, counters: { ...decodeFlow(10), ...counters } });

function at(series: readonly RawSeries[], scrape: number): Moment {
  const fleet = prepare(series, { sglangVersion: '0.5.12' });
  const [pipeline] = fleet.pipelines;
  if (!pipeline) {
    throw new Error('no pipeline');
  }
  return momentOf(fleet, pipeline, timeOf(TIME, scrape));
}

/** So many transfers of scrape 10 are never concluded by decode, though prefill has handed them over. */
const losing =
  (n: number): PerScrape =>
  (i) =>
    i === 10 ? 10 - n : 10;
const leaking = (n: number): Counters => ({ transferred: losing(n), started: losing(n) });
/** From scrape 20 on five more come per scrape than are admitted. */
const queueing: Counters = { received: (i) => (i >= 20 ? 15 : 10) };

describe('leaked slots', () => {
  it('nine transfers that prefill is through with, and somebody waits in every scrape of a minute: since that began', () => {
    const series = [...prefill(), ...decode({ ...leaking(9), ...queueing })];
    expect(leakedSlots(at(series, 24))).toMatchObject({ count: 9, sinceMs: timeOf(TIME, 19) });
    expect(leakedSlots(at(series, 38))).toMatchObject({ count: 9, sinceMs: timeOf(TIME, 19) });
  });

  it.each([
    ['nobody waits', [...prefill(), ...decode(leaking(9))]],
    ['five slots do not hold up admission', [...prefill(), ...decode({ ...leaking(5), ...queueing })]],
    [
      'nine that prefill has still to compute are no leak',
      [
        ...prefill({ scheduled: losing(9), forwarded: losing(9), handedOver: losing(9), kvTransfers: losing(9) }),
        ...decode({ ...leaking(9), ...queueing }),
      ],
    ],
    [
      'nor are nine that prefill has still to hand over',
      [...prefill({ handedOver: losing(9), kvTransfers: losing(9) }), ...decode({ ...leaking(9), ...queueing })],
    ],
    ['prefill is not seen', decode({ ...leaking(9), ...queueing })],
  ])('none where %s', (_why, series) => {
    expect(leakedSlots(at(series, 38))).toBeUndefined();
  });
});

describe('leaked bookkeeping', () => {
  it('one transfer that stays for five minutes while others pass', () => {
    const series = [...prefill(), ...decode(leaking(1))];
    expect(leak(at(series, 28))).toBeUndefined();
    expect(leak(at(series, 29))).toMatchObject({ count: 1, stage: 'decode.transfer', sinceMs: timeOf(TIME, 9) });
  });

  it('none while prefill has it, too', () => {
    const series = [...prefill({ handedOver: losing(1), kvTransfers: losing(1) }), ...decode(leaking(1))];
    expect(leak(at(series, 38))).toBeUndefined();
  });
});
