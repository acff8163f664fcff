import { clock, decodeFlow, engine, prefillFlow, timeOf, type EngineTrace, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import { momentOf } from './moment';
import { burstBefore, triggerBefore } from './triggers';

/** Fifteen minutes at 15 s. */
const TIME = clock(15);
const aborts =
  (counts: Readonly<Record<number, number>>): PerScrape =>
  (i) =>
    counts[i] ?? 0;

interface Asked {
  readonly since: number;
  readonly now: number;
  readonly counters?: EngineTrace['counters'];
  readonly find?: typeof triggerBefore;
  /** A second prefill engine. */
  readonly beside?: Pick<EngineTrace, 'isScraped' | 'restarts' | 'up'>;
}

/** Scrape before the burst, and its size. */
function trigger(
  counts: Readonly<Record<number, number>>,
  { since, now, counters, find = triggerBefore, beside }: Asked
): readonly number[] | undefined {
  const series = [
    ...engine(TIME, { id: 'p:1', role: 'prefill', counters: prefillFlow(10) }),
    ...(beside ? engine(TIME, { id: 'p:2', role: 'prefill', counters: prefillFlow(10), ...beside }) : []),
    ...engine(TIME, {
      id: 'd:1',
      role: 'decode',
      counters: { ...decodeFlow(10), ...counters, aborted: aborts(counts) },
    }),
  ];
  const fleet = prepare(series);
  const [pipeline] = fleet.pipelines;
  const found = pipeline && find(momentOf(fleet, pipeline, timeOf(TIME, now)), timeOf(TIME, since));
  return found && [(found.burst.atMs - TIME.startMs) / TIME.everyMs, found.size];
}

/** From scrape 20 on nobody is admitted at decode's door: two minutes later forty wait. */
const waiting: EngineTrace['counters'] = { ...decodeFlow((i) => (i < 20 ? 10 : 1)), received: 10 };

describe('the burst that led to a stall', () => {
  it.each([
    ['in the scrape before', { 29: 16 }, [28, 16]],
    ['in the scrape that shows both', { 31: 16 }, [30, 16]],
    ['five minutes before', { 11: 16 }, [10, 16]],
    ['longer before', { 9: 16 }, undefined],
    ['after it began: clients give up', { 32: 16 }, undefined],
    ['the later of two', { 15: 9, 29: 16 }, [28, 16]],
    ['goes on after it began: those are no part of it', { 31: 16, 32: 20, 33: 30 }, [30, 16]],
  ])('%s', (_why, counts, expected) => {
    expect(trigger(counts, { since: 30, now: 40 })).toEqual(expected);
  });

  it('is not known before it is seen', () => {
    expect(trigger({ 31: 16 }, { since: 30, now: 30 })).toBeUndefined();
  });
});

describe('clients that had waited long already', () => {
  it.each([
    ['their aborts are a consequence', { 28: 16 }, undefined],
    ['the burst before the wait is the cause', { 19: 8, 28: 16 }, [18, 8]],
    ['aborts within half a minute are none of theirs', { 22: 16 }, [21, 16]],
  ])('%s', (_why, counts, expected) => {
    expect(trigger(counts, { since: 30, now: 40, counters: waiting })).toEqual(expected);
  });

  it('whatever made them leave: their aborts are what was not absorbed', () => {
    expect(trigger({ 28: 16 }, { since: 30, now: 40, counters: waiting, find: burstBefore })).toEqual([27, 16]);
  });

  it('a queue that is worked off at once is no wait, however many pass it', () => {
    const busy = { received: (i: number): number => (i === 15 ? 15 : 10) };
    expect(trigger({ 28: 16 }, { since: 30, now: 40, counters: busy })).toEqual([27, 16]);
  });
});

describe('an engine that vanishes: the router drops what it had sent there', () => {
  /** Scraped for the last time in scrape 27. */
  const gone: Asked['beside'] = { isScraped: (i) => i <= 27, up: (i) => (i <= 27 ? 1 : 0) };

  it.each([
    ['the aborts of the same interval are a consequence', { 28: 16 }, gone, undefined],
    ['those of the next one too', { 29: 16 }, gone, undefined],
    ['those that were seen before are the cause', { 27: 16 }, gone, [26, 16]],
    ['those of a minute later have another reason', { 31: 16 }, gone, [30, 16]],
    ['so do those beside an engine that goes on', { 28: 16 }, {}, [27, 16]],
    ['a restart within the interval drops them too', { 28: 16 }, { restarts: [28] }, undefined],
    ['one that comes later does not', { 28: 16 }, { restarts: [30] }, [27, 16]],
  ])('%s', (_why, counts, beside, expected) => {
    expect(trigger(counts, { since: 30, now: 40, beside })).toEqual(expected);
  });

  it('whatever dropped them: they may not be absorbed', () => {
    expect(trigger({ 28: 16 }, { since: 30, now: 40, beside: gone, find: burstBefore })).toEqual([27, 16]);
  });
});
