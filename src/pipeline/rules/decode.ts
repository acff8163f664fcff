import {
  askedSince,
  demandOn,
  failsChecksSince,
  firstAskedAfter,
  hangingSince,
  isAskedSince,
  isOpenUnserved,
  type Demand,
} from '../demand';
import { decodeSteps } from '../departures';
import { serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';
import type { StageReading } from '../model';
import { countsStages } from '../occupancy';
import { once } from '../once';
import { IDLE_REFRESH_MS } from '../profiles/sglang';
import { holds } from '../profiles/versions';
import { indexAt, lastCounted } from '../series';
import { trackOf } from '../stalls';

/** Rules about stages that hand nothing on and loops that stand. */

/** "A stage holds requests and hands none on." */
export const isStalled = (r: StageReading): boolean => r.state === 'stalled';

export interface Wedge {
  readonly engine: EngineMoment;
  /** The data-parallel rank whose loop stands, where the others work on. */
  readonly rank?: string;
  readonly sinceMs: number;
  /** Requests that were never taken, as far as `demand` shows them. */
  readonly untaken: number;
  /**
   * `open`: clients have answers open, nobody new has come. `checks`: nobody comes but health checks, which fail.
   * `metadata`: decode has admitted requests that prefill has not taken.
   */
  readonly demand: Demand['source'] | 'open' | 'checks' | 'metadata';
  /** Nothing else explains it. */
  readonly isSure: boolean;
}

/**
 * "Requests reach a decode engine, but its scheduler counts nothing at all." The HTTP process keeps counting while the
 * scheduler's loop is blocked.
 */
export const wedgedDecode = once((moment: Moment): Wedge | undefined => {
  const wedges = serversOf(moment, 'decode').flatMap((e) => wedgeOf(e, moment) ?? []);
  return wedges.sort((a, b) => a.sinceMs - b.sinceMs)[0];
});

function wedgeOf(e: EngineMoment, moment: Moment): Wedge | undefined {
  const { engine } = e;
  const { intervalMs } = moment;
  const lastMoveMs = standsSinceMs(e);
  if (e.state !== 'live' || !countsStages(engine)) {
    return undefined;
  }
  const isHeld = e.readings.some((r) => r.parkedSinceMs !== undefined && r.parkedSinceMs <= lastMoveMs + intervalMs);
  const demand = isHeld ? demandOn(e, moment) : withoutRunning(e, demandOn(e, moment), lastMoveMs, intervalMs);
  const firstMs = firstAskedAfter(e, demand, lastMoveMs);
  const wedge = { engine: e, untaken: askedSince(e, demand, lastMoveMs), demand: demand.source };
  if (isHeartStill(e, intervalMs)) {
    return { ...wedge, sinceMs: lastMoveMs, isSure: true };
  }
  if (isHung(e, lastMoveMs, intervalMs)) {
    return { ...wedge, untaken: openOn(e), demand: 'open', sinceMs: lastMoveMs, isSure: true };
  }
  if (firstMs === undefined || !isUnheeded(e, { firstMs, lastMoveMs, intervalMs, isHeld })) {
    return undefined;
  }
  const sinceMs = isHeld ? lastMoveMs : (idleSinceMs(e, demand, intervalMs) ?? firstMs);
  return { ...wedge, sinceMs, isSure: isHeld };
}

/**
 * Clients may also leave requests that run, which no counter of the scheduler shows: those that leave at once, and as many
 * as ran.
 */
function withoutRunning(e: EngineMoment, demand: Demand, lastMoveMs: number, intervalMs: number): Demand {
  if (demand.source !== 'aborts') {
    return demand;
  }
  const { engine, index } = e;
  let running = engine.columns.get('gauge.running')?.[indexAt(engine.timesMs, lastMoveMs)] ?? 0;
  const asked = demand.asked.map((n, i) => {
    const atMs = engine.timesMs[i] ?? 0;
    const beyond = i > index || atMs <= lastMoveMs + 1.5 * intervalMs ? 0 : Math.max(0, n - running);
    running = Math.max(0, running - (atMs > lastMoveMs ? n : 0));
    return beyond;
  });
  return { ...demand, asked };
}

const openOn = ({ engine, index }: EngineMoment): number => engine.columns.get('http.active')?.[index] ?? 0;

/**
 * "Clients have answers open, requests were running, and the loop makes no step, nor rests": a batch that hangs. What waits
 * in a stage before it would keep an engine at rest from refreshing its gauges, and clients that read slowly have answers
 * open that are finished.
 */
function isHung(e: EngineMoment, lastMoveMs: number, intervalMs: number): boolean {
  const { engine, index } = e;
  const from = indexAt(engine.timesMs, lastMoveMs);
  const stood = (id: 'http.active' | 'gauge.running'): boolean =>
    engine.columns
      .get(id)
      ?.slice(from, index + 1)
      .every((n) => (n ?? 0) > 0) ?? false;
  return (
    e.lastSampleMs - lastMoveMs >= IDLE_REFRESH_MS + 2 * intervalMs &&
    decodeSteps(engine).length > 0 &&
    holds(engine.releases[index], 'httpOpenUntilStreamEnds') === true &&
    engine.stages.every((t) => (t.balance[index] ?? 0) === 0) &&
    openOn(e) > 0 &&
    stood('http.active') &&
    stood('gauge.running')
  );
}

interface Unheeded {
  readonly firstMs: number;
  readonly lastMoveMs: number;
  readonly intervalMs: number;
  readonly isHeld: boolean;
}

/** The first request has waited for three scrapes; for two, where others were seen inside that stand since before it. */
function isUnheeded(e: EngineMoment, { firstMs, lastMoveMs, intervalMs, isHeld }: Unheeded): boolean {
  const scrapes = (fromMs: number): number => (e.lastSampleMs - fromMs) / intervalMs + 0.05;
  const isOpen = (e.engine.columns.get('http.active')?.[indexAt(e.engine.timesMs, lastMoveMs)] ?? 0) > 0;
  const isKnown = e.lastMoveMs !== undefined && (isHeld || isOpen);
  return scrapes(firstMs) >= 2 || (isKnown && scrapes(firstMs) >= 1 && scrapes(lastMoveMs) >= 2);
}

/** Clients that give up have asked before: by this time, as a rule. */
const PATIENCE_MS = 60_000;

/** Where only health probes moved the loop while requests were lost, the last real request was earlier. */
function idleSinceMs(e: EngineMoment, demand: Demand, intervalMs: number): number | undefined {
  const takenMs = lastArrivalMs(e);
  const firstMs = firstAskedAfter(e, demand, takenMs + intervalMs);
  const lateMs = Math.max(3 * intervalMs, demand.source === 'aborts' ? PATIENCE_MS : 0);
  return takenMs > 0 && firstMs !== undefined && firstMs - takenMs <= lateMs ? takenMs : undefined;
}

/** A scheduler that exports its heartbeat (SGLang 0.5.20) books time every second, busy or idle. */
export const isHeartStill = (e: EngineMoment, intervalMs: number): boolean =>
  e.state === 'live' && e.engine.columns.has('heartbeat') && e.lastSampleMs - standsSinceMs(e) >= 2 * intervalMs * 0.95;

/** Hanging requests that prove a broken link at once; fewer may still be in preparation (long prompts, images). */
const MANY_HANGING = 3;
const PREPARED_MS = 30_000;
/** Where nobody has asked for this long, nothing shows that the link is still broken. */
const ASKED_LATELY_MS = 120_000;

/**
 * "Decode's HTTP server takes requests, they hang, and its scheduler, which runs and is empty, takes none": they are lost
 * between the two. What still counted after the first of them came tells this from a loop that stands.
 */
export function stuckFrontend(moment: Moment): Wedge | undefined {
  return serversOf(moment, 'decode').flatMap((e) => stuckFrontendOf(e, moment) ?? [])[0];
}

function stuckFrontendOf(e: EngineMoment, moment: Moment): Wedge | undefined {
  const { engine, index, lastMoveMs } = e;
  const takenMs = lastArrivalMs(e);
  const demand = demandOn(e, moment);
  const firstMs = isExceeded(e, demand, takenMs) ? takenMs : firstAskedAfter(e, demand, takenMs);
  const isEmpty = engine.stages.every((t) => (t.balance[index] ?? 0) === 0);
  const isAlive = firstMs !== undefined && lastMoveMs !== undefined && lastMoveMs > firstMs;
  const isJudged = e.state === 'live' && demand.source === 'http' && countsStages(engine);
  return isJudged && isEmpty && isAlive && isHanging(e, { takenMs, firstMs, intervalMs: moment.intervalMs })
    ? {
        engine: e,
        sinceMs: takenMs > 0 ? takenMs : firstMs,
        untaken: askedSince(e, demand, takenMs),
        demand: demand.source,
        isSure: true,
      }
    : undefined;
}

/** Of those that came in the very scrape in which the last was taken, several were not. */
function isExceeded({ engine }: EngineMoment, { asked }: Demand, takenMs: number): boolean {
  const at = engine.timesMs.indexOf(takenMs);
  return (asked[at] ?? 0) - (engine.rises.get('decode.received')?.[at] ?? 0) >= MANY_HANGING;
}

interface Untaken {
  readonly takenMs: number;
  readonly firstMs: number;
  readonly intervalMs: number;
}

/**
 * For three scrapes, and for longer where few hang: requests that are refused are answered at once, and do not. When the
 * last client has left, health checks may still show that the link is broken.
 */
function isHanging(e: EngineMoment, { takenMs, firstMs, intervalMs }: Untaken): boolean {
  const waitedMs = e.lastSampleMs - firstMs;
  const latelyMs = e.lastSampleMs - ASKED_LATELY_MS;
  const isMany =
    failsChecksSince(e, Math.max(takenMs, latelyMs)) ||
    (hangingSince(e, takenMs) >= MANY_HANGING && isAskedSince(e, latelyMs));
  const leastMs = isMany ? 2 * intervalMs : Math.max(2 * intervalMs, PREPARED_MS);
  return waitedMs >= leastMs * 0.95 && (isMany || isOpenUnserved(e));
}

/** The last scrape in which the scheduler had taken a real request; 0 where it never did. */
const lastArrivalMs = ({ engine, index }: EngineMoment): number =>
  engine.timesMs[lastCounted(trackOf(engine, 'decode.prealloc')?.arrivals, index)] ?? 0;

/** "The loop still works: something moved after the stall began." Settles transfer-stalled against decode-wedged. */
export const loopMovedSince = (engine: EngineMoment | undefined, sinceMs: number, slackMs: number): boolean =>
  engine?.lastMoveMs !== undefined && engine.lastMoveMs > sinceMs + slackMs;

/**
 * "Nothing shows that the loop of an engine of this side has run since": what waits for it may wait for all of it. Where
 * `culprit` is one of them, it is the only one in question.
 */
export function isSilent(moment: Moment, role: 'prefill' | 'decode', { sinceMs, culprit }: SilentSince): boolean {
  const side = serversOf(moment, role);
  const own = side.filter((e) => e.engine.id === culprit);
  return (own.length > 0 ? own : side).some((e) => !loopMovedSince(e, sinceMs, 1.5 * moment.intervalMs));
}

interface SilentSince {
  readonly sinceMs: number;
  readonly culprit: string;
}
