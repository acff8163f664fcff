import { clock, decodeFlow, engine, timeOf, type Counters, type EngineTrace, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import type { RawSeries, StageId } from './model';
import { trackOf, type StageTrack } from './stalls';

/** One decode engine, scraped every 10 s; scrape 0 is where counting begins. */
const TIME = clock(5, 10);

function track(stage: StageId, counters: Counters, more: Partial<EngineTrace> = {}): StageTrack {
  const series = engine(TIME, { id: 'd:1', role: 'decode', isStamped: true, counters, ...more });
  const found = prepare(series, { intervalMs: 10_000 }).pipelines[0]?.engines[0]?.stages.find(
    (t) => t.flow.stage === stage
  );
  if (!found) {
    throw new Error(`no track of ${stage}`);
  }
  return found;
}

/** Increases by scrape; zero where nothing is said. */
const per =
  (increases: Readonly<Record<number, number>>): PerScrape =>
  (scrape) =>
    increases[scrape] ?? 0;
/** Real requests leave together with tokens. */
const transfers = (admitted: PerScrape, transferred: PerScrape): Counters => ({
  admitted,
  transferred,
  started: transferred,
  decodeTokens: (i) => (typeof transferred === 'number' ? transferred : transferred(i)) * 90,
  transferFailed: 0,
});
const stalledAt = (t: StageTrack): number[] => t.stalledSinceMs.flatMap((since, i) => (since === undefined ? [] : [i]));
const scrapes = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const last = TIME.scrapes - 1;

describe('entering a stall', () => {
  const rows: ReadonlyArray<[string, Counters, number[]]> = [
    ['nothing enters', transfers(0, 0), []],
    ['what enters leaves in the same scrape', transfers(1, 1), []],
    [
      'three enter at 5 and never leave: named in the third scrape with the same count',
      transfers(per({ 5: 3 }), 0),
      scrapes(7, last),
    ],
    [
      'one enters at 5, before the rhythm is known, and never leaves: named after a minute',
      transfers(per({ 5: 1 }), 0),
      scrapes(10, last),
    ],
    [
      'where the rhythm is known, in the third scrape, too',
      transfers(
        (i) => (i <= 6 ? 1 : 0),
        (i) => (i <= 5 ? 1 : 0)
      ),
      scrapes(8, last),
    ],
    ['it leaves in the second scrape: never named', transfers(per({ 5: 1 }), per({ 6: 1 })), []],
    ['it leaves in the third scrape: never named', transfers(per({ 5: 1 }), per({ 7: 1 })), []],
    ['others flow past one that stays: progress is progress', transfers((i) => (i === 5 ? 2 : 1), 1), []],
    [
      'it fails within two scrapes: nobody waits any more',
      { ...transfers(per({ 5: 1 }), 0), transferFailed: per({ 6: 1 }) },
      [],
    ],
    [
      'one is inside at every scrape, but ten a scrape come and give up: nobody has waited',
      { ...transfers((i) => (i > 5 ? 10 : i === 5 ? 1 : 0), 0), transferFailed: (i) => (i > 5 ? 10 : 0) },
      [],
    ],
    [
      'two a scrape come, and as many give up after three scrapes: they have waited',
      { ...transfers((i) => (i >= 5 ? 2 : 0), 0), transferFailed: (i) => (i >= 8 ? 2 : 0) },
      scrapes(7, last),
    ],
  ];
  it.each(rows)('%s', (_why, counters, expected) => {
    expect(stalledAt(track('decode.transfer', counters))).toEqual(expected);
  });

  it('pauses between departures in busy times widen the window to twice their length', () => {
    const every2 = (i: number): number => (i <= 12 && i % 2 === 0 ? 1 : 0);
    const t = track(
      'decode.transfer',
      transfers((i) => (i === 1 ? 3 : every2(i)), every2)
    );
    expect(t.windowMs[13]).toBe(40_000);
    expect(stalledAt(t)).toEqual(scrapes(15, last));
  });

  // A pause that has been called a stall is not remembered as the rhythm of the stage, so that it is called one again.
  it('a steady rhythm of 40 s is learned too, and alarms once at most', () => {
    const every4 = (i: number): number => (i % 4 === 0 ? 1 : 0);
    const t = track(
      'decode.transfer',
      transfers((i) => (i === 1 ? 3 : every4(i)), every4)
    );
    expect(stalledAt(t).filter((i) => i > 12)).toEqual([]);
  });

  it('an override replaces the window', () => {
    const series = engine(TIME, { id: 'd:1', role: 'decode', isStamped: true, counters: transfers(per({ 5: 1 }), 0) });
    const fleet = prepare(series, { intervalMs: 10_000, windowMs: 60_000 });
    const t = fleet.pipelines[0]?.engines[0]?.stages.find((s) => s.flow.stage === 'decode.transfer');
    expect(t && stalledAt(t)[0]).toBe(10);
  });

  it('a hole of three scrapes proves nothing by itself', () => {
    const isScraped = (i: number): boolean => i <= 5 || i >= 9;
    const t = track('decode.transfer', transfers(per({ 5: 1 }), 0), { isScraped });
    const stalledTimes = t.stalledSinceMs.filter((since) => since !== undefined).length;
    // Scrape 9 is the first after the hole; the count that stands is seen again at 10 and 11.
    expect(stalledTimes).toBeLessThanOrEqual(last - 9);
  });
});

describe('since when', () => {
  it('since the last departure, when the next request followed at once', () => {
    const t = track(
      'decode.transfer',
      transfers(
        (i) => (i <= 11 ? 1 : 0),
        (i) => (i <= 10 ? 1 : 0)
      )
    );
    expect(t.stalledSinceMs[last]).toBe(timeOf(TIME, 10));
  });
  it('since the first request that asked, when the stage had been empty for long', () => {
    const t = track(
      'decode.transfer',
      transfers(
        (i) => (i <= 3 || i === 15 ? 1 : 0),
        (i) => (i <= 3 ? 1 : 0)
      )
    );
    expect(t.stalledSinceMs[last]).toBe(timeOf(TIME, 15));
  });
});

describe('leaving a stall', () => {
  it('two departures and a falling depth end it; the outage lasts until the first of them', () => {
    const t = track('decode.transfer', transfers(per({ 5: 3 }), per({ 12: 1, 13: 1, 14: 1 })));
    expect(stalledAt(t)).toEqual(scrapes(7, 12));
    expect(t.outages).toEqual([{ sinceMs: timeOf(TIME, 5), endMs: timeOf(TIME, 12), knownMs: timeOf(TIME, 13) }]);
  });
  it('one departure does not', () => {
    expect(stalledAt(track('decode.transfer', transfers(per({ 5: 3 }), per({ 12: 1 }))))).toEqual(scrapes(7, last));
  });
  it('nor do two with more than a window between them: it stood again', () => {
    expect(stalledAt(track('decode.transfer', transfers(per({ 5: 5 }), per({ 18: 1, 24: 1 }))))).toEqual(
      scrapes(7, last)
    );
    expect(stalledAt(track('decode.transfer', transfers(per({ 5: 5 }), per({ 18: 1, 20: 1 }))))).toEqual([
      ...scrapes(7, 19),
      ...scrapes(23, last),
    ]);
  });
  it('requests that fail are no departures', () => {
    const t = track('decode.transfer', { ...transfers(per({ 5: 3 }), 0), transferFailed: per({ 12: 3 }) });
    expect(stalledAt(t)).toEqual(scrapes(7, last));
  });
  it('a restart ends it at once, the outage is known with the first departure of the new process', () => {
    const t = track('decode.transfer', transfers(per({ 5: 3, 15: 1 }), per({ 15: 1 })), { restarts: [12] });
    expect(stalledAt(t)).toEqual(scrapes(7, 11));
    expect(t.outages).toEqual([{ sinceMs: timeOf(TIME, 5), endMs: timeOf(TIME, 15), knownMs: timeOf(TIME, 15) }]);
  });
});

/** One of two ranks that do not count tokens of their own; the engine counts first tokens for both. */
function trackRank(counters: Counters, ofEngine: Counters): StageTrack | undefined {
  const rank = (id: string, own: Counters): RawSeries[] =>
    engine(TIME, { id: 'd:1', role: 'decode', counters: own, labels: { dp_rank: id } });
  const series = [
    ...rank('0', { admitted: 2, transferred: 2, started: 2, transferFailed: 0 }),
    ...rank('1', { transferFailed: 0, ...counters }),
    ...engine(TIME, { id: 'd:1', role: 'decode', isStamped: true, counters: ofEngine }),
  ];
  const [whole] = prepare(series, { intervalMs: 10_000 }).pipelines[0]?.engines ?? [];
  const found = whole?.ranks.find(({ id }) => id === '1');
  return found && trackOf(found, 'decode.transfer');
}

describe('leaving a stall on a rank whose tokens are not counted', () => {
  // Three wait from 5 on and one more from 10 on, which fails at 13; what passes at 12 and at 14 comes and goes at once.
  const probed: Counters = {
    admitted: per({ 5: 3, 10: 1, 12: 1, 14: 1 }),
    transferred: per({ 12: 1, 14: 1 }),
    started: per({ 12: 1, 14: 1 }),
    transferFailed: per({ 13: 1 }),
  };
  const stalled = (counters: Counters, firstTokens: PerScrape): number[] => {
    const t = trackRank(counters, { firstTokens, streamed: 180 });
    return t ? stalledAt(t).filter((i) => i <= 20) : [];
  };

  it('a departure for which the engine has no first token may be a probe, and ends nothing', () => {
    expect(stalled(probed, 2)).toEqual(scrapes(7, 20));
  });
  it('one that has its first token does', () => {
    expect(stalled(probed, (i) => ([12, 14].includes(i) ? 3 : 2))).toEqual(scrapes(7, 13));
  });
  it('so does a depth that falls by more than what failed, for a probe comes and goes', () => {
    const left = { ...probed, admitted: per({ 5: 4 }), transferFailed: 0 };
    expect(stalled(left, 2)).toEqual(scrapes(7, 13));
  });
});

describe('leaked bookkeeping', () => {
  it('a depth that was always there is a floor and never stalls', () => {
    const flow = decodeFlow((i) => (i <= 20 ? 2 : 0));
    const t = track('decode.transfer', { ...flow, admitted: (i) => (i === 1 ? 5 : i <= 20 ? 2 : 0) });
    expect(t.floor[last]).toBe(3);
    expect(stalledAt(t)).toEqual([]);
  });
});
