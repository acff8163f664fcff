import { begunMs } from '../events';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';
import { indexAt, sum, sumAfter } from '../series';
import { trackOf } from '../stalls';
import { vanishedBefore } from '../triggers';
import { deliveredPerSec } from './calm';
import { heldRequests, liveNeighbours, wasDrained, wasInUse } from './lastSeen';

/** Rules about engines that are not seen any more. */

/** A restart may be over within this time, whatever else is felt. */
const QUICK_RESTART_MS = 30_000;
/** An engine that was drained and restarts is back within this time; one that stays away longer is down. */
const RESTART_GRACE_MS = 300_000;

/** "Engines that are not seen now, although others are." */
const missingEngines = (moment: Moment): EngineMoment[] =>
  moment.engines.filter((e) => e.engine.role !== 'router' && e.state !== 'live');

/**
 * "An engine vanished with requests inside, and its share of the transfers is missing, or the others feel it." A scrape
 * that fails looks the same from within, but then the transfers of the whole pool go on. One that had been drained before
 * (a rolling restart, a smaller pool) is no fault, unless Prometheus has failed to reach it for minutes.
 */
export const crashedEngine = (moment: Moment): EngineMoment | undefined =>
  missingEngines(moment).find((e) => e.state === 'lost' && isCrashed(e, moment));

function isCrashed(e: EngineMoment, moment: Moment): boolean {
  const awayMs = moment.atMs - e.lastSampleMs;
  const share = shareOfUnseen(e, moment);
  if (awayMs < QUICK_RESTART_MS || share === 'there') {
    return false;
  }
  // A target that Prometheus still scrapes is expected to be there; the router knows no other one either.
  const isExpected = e.engine.up !== undefined;
  const isMissed =
    heldRequests(e) && !wasDrained(e, moment)
      ? (isExpected && (share === 'missing' || isUnhealthy(e, moment))) || hasHarmed(e, moment)
      : wasInUse(e) && isDropped(e, moment);
  return (isExpected && awayMs >= RESTART_GRACE_MS) || isMissed;
}

/**
 * "An engine was taken away with requests inside, which were dropped." Its target is gone with it, so nobody expects it
 * back: after some minutes there is nothing to alarm for any more.
 */
export const tornEngine = (moment: Moment): EngineMoment | undefined =>
  tornEngines(moment).find((e) => moment.atMs - e.lastSampleMs < RESTART_GRACE_MS);

const tornEngines = (moment: Moment): EngineMoment[] =>
  moment.removed.filter((e) => heldRequests(e) && isDropped(e, moment));

/** Whatever is missed: what does not answer, and what was taken away with requests inside. */
export const unseenEngines = (moment: Moment): EngineMoment[] => [...missingEngines(moment), ...tornEngines(moment)];

/** Twice within this time is again and again, and after so long without it is over. */
const LOOP_MS = 600_000;
const LOOP_OVER_MS = 300_000;

export interface CrashLoop {
  readonly engine: EngineMoment;
  /** Last sample before the first of the restarts. */
  readonly sinceMs: number;
  /** Scrapes that showed a new process. */
  readonly restartsMs: readonly number[];
}

/** "A process ends again and again while it is in use." One that is replaced after it was drained does not count. */
export const crashLoop = (moment: Moment): CrashLoop | undefined =>
  moment.engines.flatMap((e) => crashLoopOf(e, moment.atMs) ?? [])[0];

function crashLoopOf(e: EngineMoment, atMs: number): CrashLoop | undefined {
  const { timesMs, restarts } = e.engine;
  const isBusy = (before: EngineMoment): boolean => heldRequests(before) || wasInUse(before);
  const crashes = restarts.filter(
    (r) => r <= e.index && atMs - (timesMs[r] ?? 0) <= LOOP_MS && isBusy({ ...e, index: r - 1 })
  );
  const restartsMs = crashes.map((r) => timesMs[r] ?? 0);
  const isOver = atMs - (restartsMs.at(-1) ?? -Infinity) > LOOP_OVER_MS;
  const sinceMs = timesMs[(crashes[0] ?? 0) - 1];
  return restartsMs.length < 2 || isOver || sinceMs === undefined ? undefined : { engine: e, sinceMs, restartsMs };
}

/** An engine that works unseen takes about this share of its neighbours' transfers; one that is down takes none. */
const SHARE_OF_LIVE = 0.5;
const SHARE_OF_DEAD = 0.25;

/**
 * Every transfer is counted on both sides. What one side counts beyond the other since an engine is not seen went through
 * that engine: about as many as through each of its neighbours, or none. `unknown` as long as the numbers are too small
 * to rise above the scrapes' different instants.
 */
export function shareOfUnseen(e: EngineMoment, moment: Moment): 'there' | 'missing' | 'unknown' {
  const isDecode = e.engine.role === 'decode';
  const pool = serversOf(moment, isDecode ? 'decode' : 'prefill').filter((o) => o.state === 'live');
  const own = transfersPerSec(pool, e.lastSampleMs);
  const other = transfersPerSec(
    serversOf(moment, isDecode ? 'prefill' : 'decode').filter((o) => o.state === 'live'),
    e.lastSampleMs
  );
  if (pool.length === 0 || own === undefined || other === undefined) {
    return 'unknown';
  }
  const seconds = (moment.atMs - e.lastSampleMs) / 1000;
  const expected = (own / pool.length) * seconds;
  const noise = 2 * Math.sqrt((2 * other * moment.intervalMs) / 1000);
  const beyond = (other - own) * seconds;
  if (expected < noise + 3) {
    return 'unknown';
  }
  return beyond >= expected * SHARE_OF_LIVE ? 'there' : beyond < expected * SHARE_OF_DEAD ? 'missing' : 'unknown';
}

/** Real transfers per second since an instant, each engine over its own scrapes; `undefined` where they are not counted. */
function transfersPerSec(engines: readonly EngineMoment[], sinceMs: number): number | undefined {
  const rates = engines.map(({ engine, index }) => {
    const stage = engine.role === 'decode' ? 'decode.transfer' : 'prefill.inflight';
    const track = trackOf(engine, stage);
    const from = indexAt(engine.timesMs, sinceMs) + 1;
    const spanMs = (engine.timesMs[index] ?? 0) - (engine.timesMs[from] ?? Infinity);
    const left = track && sumAfter(track.departures, from, index);
    const isCounted = track?.balance[index] !== undefined || track?.departures.slice(0, index).some((n) => n > 0);
    return !isCounted || left === undefined || spanMs <= 0 ? undefined : (left * 1000) / spanMs;
  });
  const known = rates.filter((r) => r !== undefined);
  return known.length > 0 && known.length === rates.length ? sum(known) : undefined;
}

/** The router calls a worker unhealthy that it did not call so before the last sample. */
const isUnhealthy = (lost: EngineMoment, moment: Moment): boolean =>
  moment.engines.some(({ engine, index, state }) => {
    const health = engine.columns.get('router.health');
    const before = health?.[indexAt(engine.timesMs, lost.lastSampleMs - moment.intervalMs)];
    return state === 'live' && before !== undefined && (health?.[index] ?? before) < before;
  });

/** Since the last sample requests have failed elsewhere without being aborted, or stand there. */
function hasHarmed(lost: EngineMoment, moment: Moment): boolean {
  const sinceMs = lost.lastSampleMs - moment.intervalMs;
  return moment.engines.some((other) => {
    const rise = (id: AnySignalId, fromMs = sinceMs): number => riseSince(other.engine, id, fromMs, other.index) ?? 0;
    // An abort is counted before the failure that it leads to.
    const aborts = rise('requests.aborted', sinceMs - moment.intervalMs);
    const failures = rise('transfer.failed') + rise('bootstrap.failed') - aborts;
    return other.state === 'live' && (failures > 0 || isLeftStanding(other, lost));
  });
}

/** Aborts came in a burst when it vanished: the router dropped what it had sent to others together with it. */
const isDropped = (lost: EngineMoment, { pipeline, atMs, intervalMs }: Moment): boolean =>
  pipeline.bursts.some((b) => b.knownMs <= atMs && vanishedBefore(lost, begunMs(b), intervalMs));

/** Requests stand at the other side of the lost engine that did not stand there before. */
function isLeftStanding({ engine, index }: EngineMoment, lost: EngineMoment): boolean {
  const stage = lost.engine.role === 'decode' ? 'prefill.inflight' : 'decode.transfer';
  const balance = trackOf(engine, stage)?.balance ?? [];
  const since = indexAt(engine.timesMs, lost.lastSampleMs) + 1;
  const least = (from: number, to: number): number =>
    Math.min(...balance.slice(Math.max(0, from), to).map((n) => n ?? 0));
  const span = index - since;
  return span >= 2 && least(since + 1, index + 1) > least(since - 2 * span, since);
}

/** "An engine that had requests inside is not seen, and nothing tells whether it is down or only not scraped." */
export const unscrapedEngine = (moment: Moment): EngineMoment | undefined =>
  missingEngines(moment).find(
    (e) => (e.state === 'unscraped' || (e.state === 'lost' && heldRequests(e))) && !isSpared(e, moment)
  );
/** "The rest of its pool serves, and it may be back at once, or it had been taken out of use before: a rolling restart." */
function isSpared(e: EngineMoment, moment: Moment): boolean {
  const isQuick = moment.atMs - e.lastSampleMs <= QUICK_RESTART_MS;
  const isAlone = liveNeighbours(e, moment).length === 0;
  return !isAlone && deliveredPerSec(moment) !== undefined && (isQuick || wasDrained(e, moment));
}
