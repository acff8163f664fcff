import { clock, decodeFlow, engine, prefillFlow, timeOf, type EngineTrace, type PerScrape } from '../../testing/traces';
import { prepare } from '../fleet';
import type { RawSeries } from '../model';
import { momentOf } from '../moment';
import { fillingAborts, lostAborts, untoldAborts } from './aborts';

/** Ten minutes at 15 s. 16 clients leave in scrape 20; whatever is not said flows, ten requests per scrape. */
const TIME = clock(10);
const LEAVE = 20;
const once =
  (n: number, scrape = LEAVE): PerScrape =>
  (i) =>
    i === scrape ? n : 0;

const decode = ({ counters, gauges }: Pick<EngineTrace, 'counters' | 'gauges'>): RawSeries[] =>
  engine(TIME, {
    id: 'd:1',
    role: 'decode',
    isStamped: true,
    counters: { ...decodeFlow(10), aborted: once(16), ...counters },
    gauges,
  });

function found(
  series: readonly RawSeries[],
  sglangVersion: string,
  scrape: number,
  find = lostAborts
): readonly [number, number] | undefined {
  const fleet = prepare(series, { sglangVersion });
  const [pipeline] = fleet.pipelines;
  const lost = pipeline && find(momentOf(fleet, pipeline, timeOf(TIME, scrape)));
  return lost && [lost.aborted, lost.orphans];
}

describe('aborts that were lost, where open requests are counted', () => {
  /** 20 run and have a client until 16 leave; `left` of these still run. */
  const running = (left: number): RawSeries[] =>
    decode({
      counters: {},
      gauges: { running: (i) => (i < LEAVE ? 20 : 4 + left), active: (i) => (i < LEAVE ? 20 : 4) },
    });

  it.each([
    ['all were acted on', running(0), undefined],
    ['ten were not', running(10), [16, 10]],
    ['two may be a gauge some steps old', running(2), undefined],
    [
      'what decode held beyond its clients before the burst was left by something else',
      decode({ counters: {}, gauges: { running: 30, active: 18 } }),
      undefined,
    ],
    [
      'nor was what came minutes later',
      decode({ counters: {}, gauges: { running: (i) => (i < 28 ? 20 : 30), active: 20 } }),
      undefined,
    ],
  ])('%s', (_why, series, expected) => {
    expect(found(series, '0.5.12', 34)).toEqual(expected);
  });

  it('is said with the third scrape', () => {
    expect([20, 21, 22].map((i) => found(running(10), '0.5.12', i))).toEqual([undefined, undefined, [16, 10]]);
  });
});

describe('aborts that were lost, where open requests are not counted', () => {
  /** From scrape 15 on nobody is admitted and nothing runs: what comes waits at decode's door. */
  const full = (counters: EngineTrace['counters']): RawSeries[] => {
    const stops: PerScrape = (i) => (i < 15 ? 10 : 0);
    return decode({
      counters: { ...decodeFlow(stops), received: 10, aborted: once(16), ...counters },
      gauges: { running: 0 },
    });
  };

  it.each([
    ['none of them failed: decode still holds their requests', full({}), [16, 16]],
    ['all of them failed', full({ bootstrapFailed: once(16) }), undefined],
    ['twelve of them failed a scrape later: four are left', full({ bootstrapFailed: once(12, 21) }), [16, 4]],
    [
      'clients that give up later make it no smaller a share',
      full({
        bootstrapFailed: (i) => (i === 21 ? 12 : i > 22 ? 5 : 0),
        aborted: (i) => (i === LEAVE ? 16 : i > 22 ? 5 : 0),
      }),
      [16, 4],
    ],
    ['the loop reads nothing any more: it stands', full({ received: (i) => (i <= LEAVE ? 10 : 0) }), undefined],
    [
      'requests that run end without a failure',
      decode({
        counters: { received: (i) => (i === 10 ? 60 : 10) },
        gauges: { running: (i) => (i <= LEAVE ? 16 : 0) },
      }),
      undefined,
    ],
  ])('%s', (_why, series, expected) => {
    expect(found(series, '0.5.6', 26)).toEqual(expected);
  });
});

describe('what lost aborts left fills the transfer', () => {
  /** Of those that stand in transfer since scrape 19 ten have no client. */
  const filled = (held: number): boolean => {
    const series = decode({
      counters: { admitted: (i) => (i === 19 ? 10 + held : 10), received: (i) => (i === 19 ? 10 + held : 10) },
      gauges: { running: 0, active: (i) => (i < 19 ? 0 : i < LEAVE ? held : held - 10) },
    });
    const fleet = prepare(series, { sglangVersion: '0.5.12' });
    const [pipeline] = fleet.pipelines;
    return pipeline !== undefined && fillingAborts(momentOf(fleet, pipeline, timeOf(TIME, 26))) !== undefined;
  };
  it.each([
    ['ten of sixteen', 16, true],
    ['ten of thirty', 30, false],
  ])('%s', (_why, held, expected) => {
    expect(filled(held)).toBe(expected);
  });
});

describe('aborts that decode was not told of', () => {
  /** 16 clients leave prefill; `left` requests stay in decode's transfer, whose clients it hears of or not. */
  const untold = (left: number, heard: PerScrape = 0): RawSeries[] => [
    ...engine(TIME, {
      id: 'p:1',
      role: 'prefill',
      isStamped: true,
      counters: { ...prefillFlow(10), aborted: once(16) },
    }),
    ...decode({ counters: { aborted: heard, admitted: (i) => (i === LEAVE ? 10 + left : 10) } }),
  ];

  it.each([
    ['it still holds all of them', untold(16), [16, 16]],
    ['it holds ten: the others had not come there yet', untold(10), [16, 10]],
    ['it holds twice as many: half of them may be others', untold(32), [16, 16]],
    ['it holds more than that: most of them are others', untold(33), undefined],
    ['seven may be on their way', untold(7), undefined],
    ['it has heard of all', untold(16, once(16)), undefined],
    ['it has heard of half, a scrape later', untold(16, once(8, LEAVE + 1)), [8, 8]],
    ['it has heard of more than half', untold(16, once(9)), undefined],
  ])('%s', (_why, series, expected) => {
    expect(found(series, '0.5.12', 26, untoldAborts)).toEqual(expected);
  });

  it('without a burst nobody has left', () => {
    const series = [
      ...engine(TIME, { id: 'p:1', role: 'prefill', isStamped: true, counters: { ...prefillFlow(10), aborted: 1 } }),
      ...decode({ counters: { aborted: 0, admitted: (i) => (i === LEAVE ? 26 : 10) } }),
    ];
    expect(found(series, '0.5.12', 26, untoldAborts)).toBeUndefined();
  });
});
