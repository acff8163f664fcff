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
  const firstMs = lastMoveMs === undefined ? undefined : firstRequestAfter(e, lastMoveMs);
  const isUntaken = firstMs !== undefined && e.lastSampleMs - firstMs >= 2 * intervalMs * 0.95;
  if (e.state !== 'live' || lastMoveMs === undefined || !isUntaken || !countsStages(engine)) {
    return undefined;
  }
  const isHeld = e.readings.some((r) => r.parkedSinceMs !== undefined && r.parkedSinceMs <= lastMoveMs + intervalMs);
  const sinceMs = isHeld || firstMs - lastMoveMs <= 3 * intervalMs ? lastMoveMs : firstMs;
  return { engine: e, sinceMs, untaken: riseSince(engine, 'http.requests', lastMoveMs, e.index) ?? 0 };
}

/** The first scrape after `afterMs`, up to the moment, in which an HTTP request arrived. */
function firstRequestAfter({ engine, index }: EngineMoment, afterMs: number): number | undefined {
  const requests = engine.rises.get('http.requests') ?? [];
  const at = engine.timesMs.findIndex((t, i) => t > afterMs && (requests[i] ?? 0) > 0);
  return at >= 0 && at <= index ? engine.timesMs[at] : undefined;
}

/** "The loop still works: something moved after the stall began." Settles transfer-stalled against decode-wedged. */
export const loopMovedSince = (engine: EngineMoment | undefined, sinceMs: number, slackMs: number): boolean =>
  engine?.lastMoveMs !== undefined && engine.lastMoveMs > sinceMs + slackMs;
