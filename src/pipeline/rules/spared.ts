import { failedChecksSince, failsChecksSince } from '../demand';
import { otherSide, type Side } from '../legs';
import { serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';
import { isHeartStill, loopMovedSince, type Wedge } from './decode';
import type { RouterFault } from './router';

/**
 * "The router sends nothing, and on one side no engine is left that works": each of its loops stands, as its heartbeat or
 * its own health checks show. Then the router does what it has to, and the loop that has stood longest is to blame. A
 * loop to which nobody has spoken is silent too, so silence alone proves nothing.
 */
export function sparedEngine({ missing }: RouterFault, moment: Moment): Wedge | undefined {
  const sides = missing === 'both' ? (['decode', 'prefill'] as const) : [missing];
  return sides
    .map((side) => serversOf(moment, side).map((e) => standingOf(e, moment)))
    .filter((side) => side.every((wedge) => wedge !== undefined))
    .flat()
    .flatMap((wedge) => wedge ?? [])
    .sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

function standingOf(e: EngineMoment, { intervalMs }: Moment): Wedge | undefined {
  const sinceMs = standsSinceMs(e);
  const isSure = isHeartStill(e, intervalMs);
  return e.state === 'live' && hasServed(e) && (isSure || failsChecksSince(e, sinceMs))
    ? { engine: e, sinceMs, untaken: failedChecksSince(e, sinceMs), demand: 'checks', isSure }
    : undefined;
}

/** A process that only starts answers health checks with failures as well. */
const hasServed = ({ engine, index }: EngineMoment): boolean =>
  SERVED.some((id) => (engine.columns.get(id)?.[index] ?? 0) > 0);

const SERVED = ['prefill.entered', 'decode.received', 'requests.finished'] as const satisfies readonly AnySignalId[];

/** Without work a loop counts its health probes only, which come less often than once in this time nowhere. */
const PROBED_MS = 120_000;

/**
 * "Nothing proves it, but a side may be spared because its loops stand": none of them has ever moved in the range, or none
 * since or lately, though the other side's have.
 */
export function silentSides({ sinceMs }: RouterFault, moment: Moment): Side[] {
  const slackMs = 1.5 * moment.intervalMs;
  const fromMs = Math.max(sinceMs, moment.atMs - PROBED_MS - slackMs);
  const hasMoved = (side: Side, afterMs: number): boolean =>
    serversOf(moment, side).some((e) => loopMovedSince(e, afterMs, slackMs));
  const isSilent = (side: Side): boolean =>
    !hasMoved(side, -Infinity) || (!hasMoved(side, fromMs) && hasMoved(otherSide(side), fromMs));
  return (['prefill', 'decode'] as const).filter(isSilent);
}
