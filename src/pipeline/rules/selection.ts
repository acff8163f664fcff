import { legSource, otherSide, type Side } from '../legs';
import { lastRiseMs, riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { RouterSignalId } from '../profiles/sglang';
import { indexAt, lastWhere, sum, sumAfter } from '../series';

/** What a router counts itself: the requests that come, and the engines that it selects for them. */

/** What the router's own count shows. */
export interface Selection {
  /** The side for which no engine is selected, or less often. */
  readonly missing: Side | 'both';
  readonly missed: number;
  readonly asked: number;
  readonly sinceMs: number;
}

/** Fewer requests without an engine are strays. */
const UNSELECTED_AT_LEAST = 3;

export const routerOf = (moment: Moment): EngineMoment | undefined =>
  serversOf(moment, 'router').find((e) => e.state === 'live');

/** A router that serves other pipelines too counts their requests among its own. */
export const ownRouter = (moment: Moment): EngineMoment | undefined =>
  moment.pipeline.sharesRouter ? undefined : routerOf(moment);

export const breakerOpen = (router: EngineMoment | undefined): boolean =>
  (router?.engine.columns.get('router.breaker')?.[router.index] ?? 0) > 0;

/** A breaker is open, and by the router's own count one side is selected less often. */
export function keptBack(router: EngineMoment): Selection | undefined {
  const sinceMs = openSinceMs(router);
  if (sinceMs === undefined) {
    return undefined;
  }
  const selected = (side: Side): number => riseSince(router.engine, `router.${side}`, sinceMs, router.index) ?? 0;
  const [prefill, decode] = [selected('prefill'), selected('decode')];
  const missing = prefill < decode ? 'prefill' : 'decode';
  return { missing, sinceMs, asked: Math.max(prefill, decode), missed: Math.abs(prefill - decode) };
}

/** The scrape before the one that first showed the breaker open; `undefined` while it is closed. */
function openSinceMs(router: EngineMoment): number | undefined {
  if (!breakerOpen(router)) {
    return undefined;
  }
  const states = router.engine.columns.get('router.breaker') ?? [];
  const closed = lastWhere(states, router.index, (s) => s <= 0);
  return router.engine.timesMs[Math.max(0, closed)];
}

/**
 * "Requests come, and the router selects no engine for them, or engines of one side only": the oldest of them came by
 * `settledMs`. It says so where engines do not count their HTTP requests; where they do, that is the better witness.
 */
export function noneSelected(router: EngineMoment, moment: Moment, settledMs: number): Selection | undefined {
  const isUnseen = (side: Side): boolean =>
    legSource(moment, side) !== 'http' && router.engine.columns.get(`router.${side}`)?.[router.index] !== undefined;
  if (!isUnseen('prefill') || !isUnseen('decode')) {
    return undefined;
  }
  const found = (missing: Side | 'both', asks: RouterSignalId): Selection | undefined => {
    const sinceMs = lastSelectedMs(router, missing);
    const asked = askedSince(router, asks, { sinceMs, settledMs });
    return asked - refusedSince(router, sinceMs) - servedSince(moment, sinceMs) >= UNSELECTED_AT_LEAST
      ? { missing, sinceMs, asked, missed: asked }
      : undefined;
  };
  const oneSide = (side: Side): Selection | undefined => found(side, `router.${otherSide(side)}`);
  return found('both', 'router.requests') ?? oneSide('prefill') ?? oneSide('decode');
}

/** The last scrape that showed a selection, or the first of all, which tells nothing of before. */
function lastSelectedMs({ engine, index }: EngineMoment, missing: Side | 'both'): number {
  const sides = missing === 'both' ? (['prefill', 'decode'] as const) : [missing];
  const firstMs = engine.timesMs[0] ?? -Infinity;
  return Math.max(...sides.map((side) => lastRiseMs(engine, `router.${side}`, index) ?? firstMs));
}

/** Requests after an instant, where the oldest of them has waited long enough. */
function askedSince(
  { engine, index }: EngineMoment,
  id: RouterSignalId,
  { sinceMs, settledMs }: { readonly sinceMs: number; readonly settledMs: number }
): number {
  const from = indexAt(engine.timesMs, sinceMs);
  const count = (to: number): number => sumAfter(engine.rises.get(id), from, to);
  return count(Math.min(index, indexAt(engine.timesMs, settledMs))) > 0 ? count(index) : 0;
}

/** Requests that the router has answered with an error of its own. */
const refusedSince = ({ engine, index }: EngineMoment, sinceMs: number): number =>
  Math.max(...(['router.refused', 'router.errors'] as const).map((id) => riseSince(engine, id, sinceMs, index) ?? 0));

/** Requests whose clients have heard from decode: whatever the router counts, those got through. */
const servedSince = (moment: Moment, sinceMs: number): number =>
  sum(serversOf(moment, 'decode').map((d) => riseSince(d.engine, 'tokens.first', sinceMs, d.index) ?? 0));
