import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import { countsStages } from '../occupancy';
import { indexAt } from '../series';
import type { StageId } from '../model';
import { firstRequestAfter, type Wedge } from './decode';

/** Requests that prefill dropped this lately may still stand on decode's side. */
const DROPPED_MS = 300_000;

/**
 * "A prefill engine takes HTTP requests, has been given something to compute, and its scheduler counts nothing at all":
 * its loop stands. Without anything to compute it would be as silent, waiting for decode's metadata.
 */
export function wedgedPrefill(moment: Moment): Wedge | undefined {
  return serversOf(moment, 'prefill')
    .flatMap((e) => wedgeOf(e, moment) ?? [])
    .sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

/** "Nothing shows that the loop of any prefill engine has run since", so a handshake may fail on either side. */
export const isPrefillSilent = (moment: Moment, sinceMs: number): boolean =>
  serversOf(moment, 'prefill').every((e) => (e.lastMoveMs ?? -Infinity) <= sinceMs + 1.5 * moment.intervalMs);

function wedgeOf(e: EngineMoment, moment: Moment): Wedge | undefined {
  const { engine, lastMoveMs } = e;
  if (e.state !== 'live' || lastMoveMs === undefined || !countsStages(engine)) {
    return undefined;
  }
  const firstMs = firstRequestAfter(e, lastMoveMs);
  const isAsked = firstMs !== undefined && e.lastSampleMs - firstMs >= 2 * moment.intervalMs * 0.95;
  const isGiven = isHolding(e, lastMoveMs) || isOwedByAll(e, lastMoveMs, moment);
  const untaken = riseSince(engine, 'http.requests', lastMoveMs, e.index) ?? 0;
  // A request that came since also shows that the counters at rest are no old ones, repeated.
  return (isGiven && untaken > 0 && isLong(e, lastMoveMs, moment)) ||
    (isAsked && (isGiven || engine.columns.has('heartbeat')))
    ? { engine: e, sinceMs: lastMoveMs, untaken, isSure: true }
    : undefined;
}

/** For longer than this engine usually takes for a batch. */
function isLong(e: EngineMoment, lastMoveMs: number, { intervalMs }: Moment): boolean {
  const windowMs = e.readings.find((r) => r.stage === 'prefill.forward')?.windowMs ?? Infinity;
  return e.lastSampleMs - lastMoveMs >= windowMs - 1.05 * intervalMs;
}

function isHolding(e: EngineMoment, lastMoveMs: number): boolean {
  const at = indexAt(e.engine.timesMs, lastMoveMs);
  return atMost(e, 'prefill.waiting', at) + atMost(e, 'prefill.forward', at) > 0;
}

/** Decode has sent metadata that this engine, the only one of its side, has not acted on. */
function isOwedByAll(e: EngineMoment, lastMoveMs: number, moment: Moment): boolean {
  const decode = serversOf(moment, 'decode').filter((d) => d.state === 'live');
  if (serversOf(moment, 'prefill').length > 1 || decode.length === 0) {
    return false;
  }
  const settledMs = lastMoveMs + moment.intervalMs;
  const sent = decode.reduce((n, d) => n + (riseSince(d.engine, 'decode.bootstrapped', settledMs, d.index) ?? 0), 0);
  const held = decode.reduce((n, d) => n + atMost(d, 'decode.transfer', indexAt(d.engine.timesMs, settledMs)), 0);
  const at = indexAt(e.engine.timesMs, settledMs);
  const own =
    atMost(e, 'prefill.inflight', at) + (riseSince(e.engine, 'requests.aborted', settledMs - DROPPED_MS, at) ?? 0);
  return sent > 0 || held > own;
}

const atMost = ({ engine }: EngineMoment, stage: StageId, index: number): number =>
  engine.stages.find((t) => t.flow.stage === stage)?.atMost[index] ?? 0;
