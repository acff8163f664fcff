import { riseSince, serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';
import { isHeartStill, type Wedge } from './decode';
import type { RouterFault } from './router';

/** One health check may fail at any time; a second one without any move between them tells that the loop stands. */
const FAILED_CHECKS = 2;

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
  const isSure = isHeartStill(e, intervalMs);
  return e.state === 'live' && hasServed(e) && (isSure || failsChecks(e))
    ? { engine: e, sinceMs: standsSinceMs(e), untaken: failedChecks(e), demand: 'checks', isSure }
    : undefined;
}

/** Health checks that this engine's own HTTP server has answered with a failure since its loop last moved. */
const failedChecks = (e: EngineMoment): number => riseSince(e.engine, 'checks.failed', standsSinceMs(e), e.index) ?? 0;

/** "Health checks reach this engine, and its scheduler neither answers nor counts them." */
export const failsChecks = (e: EngineMoment): boolean => failedChecks(e) >= FAILED_CHECKS;

/** A process that only starts answers health checks with failures as well. */
const hasServed = ({ engine, index }: EngineMoment): boolean =>
  SERVED.some((id) => (engine.columns.get(id)?.[index] ?? 0) > 0);

const SERVED = ['prefill.entered', 'decode.received', 'requests.finished'] as const satisfies readonly AnySignalId[];
