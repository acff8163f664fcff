import { lastRiseMs, riseSince, serversOf, type EngineMoment, type Moment } from '../moment';

/** Rules about the way from the router to the engines. */

export interface RouterFault {
  readonly router: EngineMoment | undefined;
  /** The side that gets nothing. */
  readonly missing: 'prefill' | 'decode' | 'both';
  readonly sinceMs: number;
  /** Some circuit breaker of the router is open. */
  readonly isBreakerOpen: boolean;
  /** Requests that came to the router, or to the other side, in the meantime. */
  readonly asked: number;
}

/** A share of the requests that one side misses while a breaker is open: more than scrape times can explain. */
const MISSED_SHARE = 0.2;
const MISSED_AT_LEAST = 3;
const SHARE_MS = 60_000;

/**
 * "The router takes requests and the engines get none, or only one leg of each request is dispatched." A prefill/decode
 * router sends every request to both sides, so both must count the same arrivals.
 */
export function routerFault(moment: Moment): RouterFault | undefined {
  const prefill = arrivals(moment, 'prefill');
  const decode = arrivals(moment, 'decode');
  if (!prefill || !decode) {
    return undefined;
  }
  return (
    nothingForwarded(moment, Math.max(prefill.lastMs, decode.lastMs)) ??
    legMissing(moment, 'prefill', prefill.lastMs, 'decode') ??
    legMissing(moment, 'decode', decode.lastMs, 'prefill') ??
    legShort(moment)
  );
}

/** Last arrival at a side, or its first scrape, which tells nothing of before; `undefined` where no engine counts HTTP requests. */
function arrivals(moment: Moment, role: 'prefill' | 'decode'): { readonly lastMs: number } | undefined {
  const pool = serversOf(moment, role).filter((e) => e.state === 'live' && e.engine.columns.has('http.requests'));
  const times = pool.map((e) => lastRiseMs(e.engine, 'http.requests', e.index) ?? e.engine.timesMs[0] ?? -Infinity);
  return pool.length > 0 ? { lastMs: Math.max(...times) } : undefined;
}

const sumSince = (pool: readonly EngineMoment[], id: 'http.requests' | 'router.requests', fromMs: number): number =>
  pool.reduce((sum, e) => sum + (riseSince(e.engine, id, fromMs, e.index) ?? 0), 0);

const routerOf = (moment: Moment): EngineMoment | undefined =>
  serversOf(moment, 'router').find((e) => e.state === 'live');

const breakerOpen = (router: EngineMoment | undefined): boolean =>
  (router?.engine.columns.get('router.breaker')?.[router.index] ?? 0) > 0;

/** Requests that came after `lastMs`, where the oldest of them has waited for two intervals. */
function unanswered(
  pool: readonly EngineMoment[],
  id: 'http.requests' | 'router.requests',
  lastMs: number,
  moment: Moment
): number {
  const settledMs = moment.atMs - 2 * moment.intervalMs;
  const afterMs = lastMs + moment.intervalMs;
  const settled = pool.reduce(
    (sum, e) =>
      sum + (riseSince(e.engine, id, afterMs, e.index) ?? 0) - (riseSince(e.engine, id, settledMs, e.index) ?? 0),
    0
  );
  return settled > 0 ? sumSince(pool, id, afterMs) : 0;
}

function nothingForwarded(moment: Moment, lastMs: number): RouterFault | undefined {
  const router = routerOf(moment);
  const asked = router ? unanswered([router], 'router.requests', lastMs, moment) : 0;
  return asked >= 2
    ? { router, missing: 'both', sinceMs: lastMs, isBreakerOpen: breakerOpen(router), asked }
    : undefined;
}

function legMissing(
  moment: Moment,
  missing: 'prefill' | 'decode',
  lastMs: number,
  other: 'prefill' | 'decode'
): RouterFault | undefined {
  const asked = unanswered(serversOf(moment, other), 'http.requests', lastMs, moment);
  const router = routerOf(moment);
  const selected = router && riseSince(router.engine, `router.${missing}`, lastMs + moment.intervalMs, router.index);
  const isChosen = (selected ?? 0) > 0;
  return asked >= 2 && !isChosen
    ? { router, missing, sinceMs: lastMs, isBreakerOpen: breakerOpen(router), asked }
    : undefined;
}

/** A breaker is open and a good part of the requests reaches one side only. */
function legShort(moment: Moment): RouterFault | undefined {
  const router = routerOf(moment);
  const openMs = openSinceMs(router) ?? -Infinity;
  const fromMs = Math.max(openMs, moment.atMs - SHARE_MS);
  const prefill = sumSince(serversOf(moment, 'prefill'), 'http.requests', fromMs);
  const decode = sumSince(serversOf(moment, 'decode'), 'http.requests', fromMs);
  const most = Math.max(prefill, decode);
  const missed = Math.abs(prefill - decode);
  if (!breakerOpen(router) || missed < MISSED_AT_LEAST || missed < most * MISSED_SHARE) {
    return undefined;
  }
  const missing = prefill < decode ? 'prefill' : 'decode';
  return { router, missing, sinceMs: Number.isFinite(openMs) ? openMs : fromMs, isBreakerOpen: true, asked: most };
}

/** The scrape before the one that first showed the breaker open. */
function openSinceMs(router: EngineMoment | undefined): number | undefined {
  const states = router?.engine.columns.get('router.breaker') ?? [];
  let at = router?.index ?? -1;
  while (at > 0 && (states[at - 1] ?? 0) > 0) {
    at -= 1;
  }
  return router?.engine.timesMs[Math.max(0, at - 1)];
}
