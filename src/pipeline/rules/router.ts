import {
  DOOR,
  doorOf,
  FIRST_TOKEN_MS,
  legsOn,
  legSource,
  likelyLegsOn,
  mostLegsOn,
  otherSide,
  type LegSource,
  type Side,
} from '../legs';
import { missedLegs, type MissedLegs } from '../missedLegs';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import { countsStages } from '../occupancy';
import { once } from '../once';
import { holds } from '../profiles/versions';
import { indexAt, lastCounted, lastWhere, sumAfter } from '../series';
import { isResting } from './calm';
import { isStalled } from './decode';
import { breakerOpen, keptBack, noneSelected, ownRouter, routerOf } from './selection';

/** Rules about the way from the router to the engines. */

export interface RouterFault {
  readonly router: EngineMoment | undefined;
  /** The side that gets nothing, or too little. */
  readonly missing: Side | 'both';
  /** Requests without that leg; all of `asked` where the side gets none. */
  readonly missed: number;
  /** Requests that came to the router, or to the other side, in the meantime. */
  readonly asked: number;
  readonly sinceMs: number;
  /** Some circuit breaker of the router is open. */
  readonly isBreakerOpen: boolean;
  /** `scheduler`: HTTP requests are not counted, so they may have come and been lost before the scheduler. */
  readonly source: LegSource | 'router';
  /** The requests are open at the router and at no engine. */
  readonly isHeld: boolean;
}

/** Fewer missed legs, or a smaller share, are strays; prefill's scheduler counts late what came during a long pass. */
const MISSED_AT_LEAST = { http: 3, router: 3, scheduler: 6 } as const;
const MISSED_SHARE = { http: 0.02, router: 0.02, scheduler: 0.05 } as const;
/** Where none stands any more, legs were missed this lately. */
const LATELY_MS = 60_000;
/** So many more would have been missed, were it not over; one in thousands of such times has none by chance. */
const SEVERAL_MISSED = 8;
/** Scrapes at the edges of a time, of which the legs may belong to it or not. */
const EDGES = 4;
/** The router looks at the age of its requests about every 20 s, and calls those old that are older than 30 s. */
const HELD_MS = 40_000;
const OLD_MS = 30_000;

/**
 * "The router takes requests and the engines get none, or only one leg of each request, or of some, arrives, or the router
 * waits for requests that no engine has." A prefill/decode router sends every request to both sides, so both must count
 * the same arrivals.
 */
export function routerFault(moment: Moment): RouterFault | undefined {
  return nothingForwarded(moment) ?? bySelection(moment) ?? legsMissing(moment) ?? heldByRouter(moment);
}

/** Of what was found the earliest: where all wait whose legs were lost, nobody asks any more, and that began later. */
function legsMissing(moment: Moment): RouterFault | undefined {
  const found = [legMissing, someMissing].flatMap((missing) =>
    (['prefill', 'decode'] as const).flatMap((side) => missing(moment, side) ?? [])
  );
  return found.reduce<RouterFault | undefined>((a, b) => (a && a.sinceMs <= b.sinceMs ? a : b), undefined);
}

type Found = Pick<RouterFault, 'missing' | 'sinceMs' | 'asked' | 'source'> & Partial<RouterFault>;

const fault = (router: EngineMoment | undefined, found: Found): RouterFault => ({
  router,
  missed: found.asked,
  isBreakerOpen: breakerOpen(router),
  isHeld: false,
  ...found,
});

/** Real legs that a side got, per engine that reports. */
interface Arrivals {
  readonly source: LegSource;
  readonly pool: ReadonlyArray<{ readonly e: EngineMoment; readonly legs: readonly number[] }>;
  /** The last scrape that showed one, or the first of all, which tells nothing of before. */
  readonly lastMs: number;
}

function arrivals(moment: Moment, side: Side): Arrivals | undefined {
  const source = legSource(moment, side);
  const live = serversOf(moment, side).filter((e) => e.state === 'live');
  if (!source || live.length === 0) {
    return undefined;
  }
  const pool = live.map((e) => ({ e, legs: legsOn(e.engine, { side, source }) }));
  const lastMs = Math.max(...live.map((e) => lastMsOf(e, mostLegsOn(e, { side, source }))));
  return { source, pool, lastMs };
}

const lastMsOf = ({ engine, index }: EngineMoment, legs: readonly number[]): number =>
  engine.timesMs[Math.max(0, lastCounted(legs, index))] ?? -Infinity;

/** Requests in the scrapes that began at `fromMs` or later, where the oldest of them came by `settledMs`. */
function unanswered(pool: Arrivals['pool'], fromMs: number, settledMs: number): number {
  const between = (toMs: number): number =>
    pool.reduce((sum, { e, legs }) => {
      const began = indexAt(e.engine.timesMs, fromMs - 1) + 1;
      const to = Math.min(e.index, indexAt(e.engine.timesMs, toMs));
      return sum + sumAfter(legs, began, to);
    }, 0);
  return between(settledMs) > 0 ? between(Infinity) : 0;
}

/** Two intervals must pass before a request counts as lost. */
const settled = (moment: Moment): number => moment.atMs - 2 * moment.intervalMs;

function nothingForwarded(moment: Moment): RouterFault | undefined {
  const router = ownRouter(moment);
  const prefill = arrivals(moment, 'prefill');
  const decode = arrivals(moment, 'decode');
  if (!router || prefill?.source !== 'http' || decode?.source !== 'http') {
    return undefined;
  }
  const sinceMs = Math.max(prefill.lastMs, decode.lastMs);
  const legs = router.engine.rises.get('router.requests') ?? [];
  const asked = unanswered([{ e: router, legs }], sinceMs, settled(moment));
  return asked >= 2 ? fault(router, { missing: 'both', sinceMs, asked, source: 'router' }) : undefined;
}

/** One side has got no leg since, all of it is seen, and the other one got several. */
function legMissing(moment: Moment, missing: Side): RouterFault | undefined {
  const none = arrivals(moment, missing);
  const some = arrivals(moment, otherSide(missing));
  if (!none || !some || serversOf(moment, missing).some((e) => e.state !== 'live')) {
    return undefined;
  }
  const takenMs = none.source === 'http' ? lastSeenMs(none) : lastTakenMs(none, moment.intervalMs);
  const asked = unanswered(some.pool, none.lastMs, Math.min(settled(moment), takenMs));
  // Schedulers do not tell all probes from requests; those do not wait for another leg.
  const waiting = none.source === 'http' ? asked : atDoor(some, otherSide(missing));
  return asked >= 2 && waiting >= 2
    ? fault(routerOf(moment), { missing, sinceMs: none.lastMs, asked, source: none.source })
    : undefined;
}

/** Nothing is known of what came after the last scrape of an engine. */
const lastSeenMs = ({ pool }: Arrivals): number => Math.min(...pool.map(({ e }) => e.lastSampleMs));

/** Requests of a side that wait for their other leg. */
const atDoor = ({ pool }: Arrivals, side: Side): number =>
  pool.reduce((n, { e }) => n + (doorOf(e.engine, side)?.balance[e.index] ?? 0), 0);

/** What had come by then has been taken by every scheduler: each has counted something since. */
const lastTakenMs = ({ pool }: Arrivals, intervalMs: number): number =>
  Math.min(...pool.map(({ e }) => (e.lastMoveMs ?? -Infinity) - intervalMs));

/** By the router's own count of the engines that it selects. */
function bySelection(moment: Moment): RouterFault | undefined {
  const router = ownRouter(moment);
  const kept = router && keptBack(router);
  const found =
    kept && isMany({ ...kept, source: 'router' }) ? kept : router && noneSelected(router, moment, settled(moment));
  return found && fault(router, { ...found, source: 'router' });
}

/**
 * Part of the legs of a side do not arrive, and their requests wait. Both as it was some scrapes ago, for a burst may be
 * caught halfway by a scrape, and as it is. Where nobody has got through the door for as long they have waited already.
 */
function someMissing(moment: Moment, side: Side): RouterFault | undefined {
  const settlesMs = legSource(moment, side) === 'scheduler' ? FIRST_TOKEN_MS + moment.intervalMs : 0;
  const patienceMs = Math.max(2 * moment.intervalMs, settlesMs);
  const now = missedNow[side](moment);
  const before = isDoorStalled(moment, otherSide(side))
    ? now
    : missedLegs(moment, side, { patienceMs, count: mostLegsOn });
  return before && now && [before, now].every(isMany) && isLasting(now, moment)
    ? fault(routerOf(moment), { missing: side, ...now, sinceMs: before.sinceMs })
    : undefined;
}

const missedNowBy = (side: Side): ((moment: Moment) => MissedLegs | undefined) =>
  once((moment) => missedLegs(moment, side, { patienceMs: 0, count: likelyLegsOn }));
const missedNow = { prefill: missedNowBy('prefill'), decode: missedNowBy('decode') };

/** Legs of a side are missed as far as is known already, before anybody has waited long enough. */
export function seemsToMiss(moment: Moment, side: Side): boolean {
  const now = missedNow[side](moment);
  return now !== undefined && isMany(now) && isLasting(now, moment);
}

/** On every engine of a side requests wait for their other leg, and none has got it. */
const isDoorStalled = (moment: Moment, side: Side): boolean =>
  serversOf(moment, side).every((e) => e.readings.some((r) => r.stage === DOOR[side] && isStalled(r)));

const isMany = ({ missed, asked, source }: Pick<RouterFault, 'missed' | 'asked' | 'source'>): boolean =>
  missed >= MISSED_AT_LEAST[source] && missed >= asked * MISSED_SHARE[source];

const isLasting = (missed: MissedLegs, moment: Moment): boolean =>
  (missed.standing > 0 || missed.untilMs - missed.lastMs <= LATELY_MS) && !isOver(missed, moment);

/**
 * Every engine of the side has got legs since one was last missed, so many that several would have been missed at the rate
 * at which they were, and that those at the edges of the time do not hide them. What was missed before may stand or fail
 * for long. Where nobody asks any more it is not over, for all may be waiting.
 */
function isOver({ side, source, missed, asked, latest, untilMs }: MissedLegs, moment: Moment): boolean {
  const share = Math.min(1, missed / (asked - latest.asked));
  const quietMs = Math.max(LATELY_MS, (EDGES * moment.intervalMs) / share);
  const isServed = (e: EngineMoment): boolean =>
    sumAfter(likelyLegsOn(e, { side, source }), indexAt(e.engine.timesMs, latest.sinceMs) + 1, e.index) > 0;
  return (
    untilMs - latest.sinceMs > quietMs &&
    latest.asked * share >= SEVERAL_MISSED &&
    serversOf(moment, side).every(isServed)
  );
}

/**
 * "Old requests are open at the router, more than all engines have open": it waits for answers that nobody will give. Its
 * connections alone prove nothing: some routers count a client that left before the headers for ever.
 */
function heldByRouter(moment: Moment): RouterFault | undefined {
  const router = ownRouter(moment);
  const asked = router?.engine.columns.get('router.aged')?.[router.index] ?? 0;
  const firstMs =
    router && asked > 0 && moment.engines.every(tellsWhoIsInside) ? heldSinceMs(router, moment) : Infinity;
  return moment.atMs - firstMs >= HELD_MS + moment.intervalMs
    ? fault(router, { missing: 'both', sinceMs: firstMs - OLD_MS, asked, source: 'router', isHeld: true })
    : undefined;
}

/** The first scrape from which on the router has had more old requests than engines had any. */
function heldSinceMs({ engine, index }: EngineMoment, moment: Moment): number {
  const restMs = isResting(moment) ? lastProgressMs(moment) : Infinity;
  const openAtEngines = (atMs: number): number => (atMs > restMs ? 0 : (openAt(moment, atMs) ?? Infinity));
  const aged = engine.columns.get('router.aged') ?? [];
  const last = lastWhere(aged, index, (n, i) => n <= openAtEngines(engine.timesMs[i] ?? 0));
  return engine.timesMs[last + 1] ?? Infinity;
}

/** It counts requests in its stages, or those that are open. */
const tellsWhoIsInside = ({ engine, state }: EngineMoment): boolean =>
  state === 'live' && (engine.role === 'router' || countsStages(engine) || engine.columns.has('http.active'));

const lastProgressMs = ({ engines }: Moment): number =>
  Math.max(...engines.flatMap((e) => e.readings.map((r) => r.lastProgressMs ?? -Infinity)));

/** Requests that any engine has open; `undefined` where that is not counted to the end of the answer. */
function openAt(moment: Moment, atMs: number): number | undefined {
  const servers = moment.engines.filter((e) => e.engine.role !== 'router');
  const isScraped = servers.some(({ engine }) => engine.columns.has('http.active'));
  const isToTheEnd = servers.every(
    ({ engine, index }) => holds(engine.releases[index], 'httpOpenUntilStreamEnds') === true
  );
  return isScraped && isToTheEnd
    ? servers.reduce(
        (n, { engine }) => n + (engine.columns.get('http.active')?.[indexAt(engine.timesMs, atMs)] ?? 0),
        0
      )
    : undefined;
}
