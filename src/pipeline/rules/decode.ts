import { realArrivals } from '../departures';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageReading } from '../model';
import { countsStages } from '../occupancy';

/** Rules about stages that hand nothing on and loops that stand. */

/** "A stage holds requests and hands none on." */
export const isStalled = (r: StageReading): boolean => r.state === 'stalled';

export interface Wedge {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
  /** Requests that reached the HTTP server and were never taken. */
  readonly untaken: number;
  /** Nothing else explains it. */
  readonly isSure: boolean;
}

/**
 * "A decode engine answers scrapes and takes HTTP requests, but its scheduler counts nothing at all." The HTTP process
 * keeps counting while the scheduler's loop is blocked.
 */
export function wedgedDecode(moment: Moment): Wedge | undefined {
  const wedges = serversOf(moment, 'decode').flatMap((e) => wedgeOf(e, moment.intervalMs) ?? []);
  return wedges.sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

function wedgeOf(e: EngineMoment, intervalMs: number): Wedge | undefined {
  const { engine, lastMoveMs } = e;
  if (e.state !== 'live' || lastMoveMs === undefined || !countsStages(engine)) {
    return undefined;
  }
  const untaken = riseSince(engine, 'http.requests', lastMoveMs, e.index) ?? 0;
  const firstMs = firstRequestAfter(e, lastMoveMs);
  const isAsked = firstMs !== undefined && e.lastSampleMs - firstMs >= 2 * intervalMs * 0.95;
  if (isAsked) {
    const isHeld = e.readings.some((r) => r.parkedSinceMs !== undefined && r.parkedSinceMs <= lastMoveMs + intervalMs);
    const sinceMs = isHeld ? lastMoveMs : (idleSinceMs(e, intervalMs) ?? firstMs);
    return { engine: e, sinceMs, untaken, isSure: isHeld || engine.columns.has('heartbeat') };
  }
  return isHeartStill(e, intervalMs) ? { engine: e, sinceMs: lastMoveMs, untaken, isSure: true } : undefined;
}

/** Where only health probes moved the loop while requests were lost, the last real request was earlier. */
function idleSinceMs(e: EngineMoment, intervalMs: number): number | undefined {
  const takenMs = lastArrivalMs(e);
  const firstMs = firstRequestAfter(e, takenMs + intervalMs);
  return takenMs > 0 && firstMs !== undefined && firstMs - takenMs <= 3 * intervalMs ? takenMs : undefined;
}

/** A scheduler that exports its heartbeat (SGLang 0.5.20) books time every second, busy or idle. */
const isHeartStill = (e: EngineMoment, intervalMs: number): boolean =>
  e.state === 'live' &&
  e.engine.columns.has('heartbeat') &&
  e.lastMoveMs !== undefined &&
  e.lastSampleMs - e.lastMoveMs >= 2 * intervalMs * 0.95;

/**
 * "Decode's HTTP server takes requests, its scheduler runs and is empty": they are lost between the two. Health probes
 * that still pass, or the heartbeat, tell this from a loop that stands.
 */
export function stuckFrontend(moment: Moment): Wedge | undefined {
  return serversOf(moment, 'decode').flatMap((e) => stuckFrontendOf(e, moment.intervalMs) ?? [])[0];
}

function stuckFrontendOf(e: EngineMoment, intervalMs: number): Wedge | undefined {
  const { engine, index, lastMoveMs } = e;
  const takenMs = lastArrivalMs(e);
  const firstMs = firstRequestAfter(e, takenMs + intervalMs);
  const isEmpty = engine.stages.every((t) => (t.balance[index] ?? 0) === 0);
  const isAsked = firstMs !== undefined && e.lastSampleMs - firstMs >= 2 * intervalMs * 0.95;
  const isAlive = firstMs !== undefined && lastMoveMs !== undefined && lastMoveMs > firstMs;
  return e.state === 'live' && countsStages(engine) && isEmpty && isAsked && isAlive
    ? {
        engine: e,
        sinceMs: takenMs > 0 ? takenMs : firstMs,
        untaken: riseSince(engine, 'http.requests', takenMs + intervalMs, index) ?? 0,
        isSure: true,
      }
    : undefined;
}

/** The last scrape in which the scheduler had taken a real request; 0 where it never did. */
function lastArrivalMs({ engine, index }: EngineMoment): number {
  const taken = realArrivals(engine);
  for (let i = index; i >= 0; i -= 1) {
    if ((taken[i] ?? 0) > 0) {
      return engine.timesMs[i] ?? 0;
    }
  }
  return 0;
}

/** The first scrape after `afterMs`, up to the moment, in which an HTTP request arrived. */
export function firstRequestAfter({ engine, index }: EngineMoment, afterMs: number): number | undefined {
  const requests = engine.rises.get('http.requests') ?? [];
  const at = engine.timesMs.findIndex((t, i) => t > afterMs && (requests[i] ?? 0) > 0);
  return at >= 0 && at <= index ? engine.timesMs[at] : undefined;
}

/** "The loop still works: something moved after the stall began." Settles transfer-stalled against decode-wedged. */
export const loopMovedSince = (engine: EngineMoment | undefined, sinceMs: number, slackMs: number): boolean =>
  engine?.lastMoveMs !== undefined && engine.lastMoveMs > sinceMs + slackMs;
