import { isReport } from '../departures';
import { lastRiseMs, riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';
import { CONCENTRATED } from '../links';
import { indexAt } from '../series';
import { deafPrefill, isPrefillAlive, type Deaf, type Silence } from './gauges';
import { countsFailures, givenUpOn, givenUpSince, takenOut, type GivenUp } from './givenUp';
import { admissionCause, type AdmissionCause } from './admission';

/** What tells faults apart where only gauges tell: see `suspects.ts`. */

/** Requests stand before decode has sent its metadata, or after it. */
export type Place = 'door' | 'transfer';

export interface Signs {
  readonly isFrozen: boolean;
  /** Those who gave up on the silent decode engine since, on its whole side, and on all of prefill. */
  readonly own: GivenUp;
  readonly decode: GivenUp;
  readonly prefill: GivenUp;
  /** Failures are counted, so that their absence is a sign. */
  readonly isCounted: boolean;
  /** Decode's gauges show an idle refresh since, between requests that were given up. */
  readonly isIdleAmidDemand: boolean;
  /** Aborts from before the silence that were not absorbed although decode still worked. */
  readonly unabsorbed: number;
  /** A prefill engine's loop stands. */
  readonly deaf: Deaf | undefined;
  /** The prefill engine on which more requests wait for their handshake than on the decode engine. */
  readonly crowded: EngineMoment | undefined;
  /** A prefill engine whose scrapes fail. */
  readonly lost: EngineMoment | undefined;
  /** Every prefill engine has just shown a sign of life; every one has had requests since; any one has. */
  readonly isPrefillAlive: boolean;
  readonly isPrefillAsked: boolean;
  readonly isAnyPrefillAsked: boolean;
  readonly place: Place | undefined;
  /** What decode's gauges say of the place, which are older than the silence. */
  readonly hint: Place | undefined;
  readonly cause: AdmissionCause | undefined;
}

/** Who gave up shortly before may be among those whose aborts were lost. */
const BEFORE_MS = 60_000;
/** Fewer lost aborts than this are noise; so is less than half of them. */
export const LEAST_LOST = 3;
export const LOST_SHARE = 0.5;
/** Of those that were taken out, a share in transfer that shows that requests are admitted. */
const TRANSFER_SHARE = 0.2;

export function signsOf({ engine, sinceMs, isFrozen, ...silence }: Silence, moment: Moment): Signs {
  const fromMs = silence.fromMs + 1.5 * moment.intervalMs;
  const own = givenUpSince(engine, fromMs);
  const prefill = givenUpOn(moment, 'prefill', fromMs);
  const pool = serversOf(moment, 'prefill').filter((p) => p.state === 'live');
  // Of several decode engines each may be served by any of prefill.
  const isOnly = serversOf(moment, 'decode').length === 1;
  return {
    isFrozen,
    own,
    decode: givenUpOn(moment, 'decode', fromMs),
    prefill,
    isCounted: countsFailures(moment),
    isIdleAmidDemand: isIdleAmidDemand(engine, fromMs),
    unabsorbed: unabsorbed(engine, sinceMs),
    deaf: deafPrefill(moment),
    crowded: crowdedBeside(engine, pool, fromMs),
    lost: serversOf(moment, 'prefill').find((p) => p.state === 'lost'),
    isPrefillAlive: pool.every((p) => isPrefillAlive(p, fromMs, moment)),
    isPrefillAsked: pool.every((p) => isAsked(p, fromMs)),
    isAnyPrefillAsked: pool.some((p) => isAsked(p, fromMs)),
    place: placeOf(own) ?? (isOnly ? (placeOf(prefill) ?? placeOnPrefill(pool, fromMs)) : undefined),
    hint: placeOnGauges(engine),
    cause: admissionCause(moment, engine, sinceMs),
  };
}

/** An idle engine has nobody in its queues; whoever gives up right before and right after its refresh was not among them. */
function isIdleAmidDemand(e: EngineMoment, fromMs: number): boolean {
  const { timesMs, pushed, rises } = e.engine;
  const aborts = rises.get('requests.aborted') ?? [];
  const isGivenUp = (i: number): boolean => i <= e.index && (timesMs[i] ?? 0) > fromMs && (aborts[i] ?? 0) > 0;
  return pushed.some(
    (isPushed, i) => isPushed && !isReport(e.engine, i) && isGivenUp(i) && (isGivenUp(i + 1) || isGivenUp(i - 1))
  );
}

/** Aborts from before the last sign of life that were neither taken out since nor can have been running. */
function unabsorbed(e: EngineMoment, sinceMs: number): number {
  const { engine, index } = e;
  const fromMs = sinceMs - BEFORE_MS;
  const last = indexAt(engine.timesMs, sinceMs) - 1;
  const aborted = riseSince(engine, 'requests.aborted', fromMs, last) ?? 0;
  const taken = takenOut(givenUpSince(e, fromMs));
  const running = Math.max(0, ...(engine.columns.get('gauge.running') ?? []).slice(0, index + 1).map((n) => n ?? 0));
  const lost = aborted - taken - running;
  return lost >= Math.max(LEAST_LOST, aborted * LOST_SHARE) ? lost : 0;
}

const QUEUES = ['gauge.bootstrap', 'gauge.waiting', 'gauge.inflight'] as const;

/** A queue of prefill shows another number of requests since: true when it was pushed. */
function queuedSince({ engine, index }: EngineMoment, id: AnySignalId, fromMs: number): number {
  const column = engine.columns.get(id) ?? [];
  const isNew = engine.timesMs.some(
    (t, i) => i > 0 && i <= index && t > fromMs && column[i] !== undefined && column[i] !== column[i - 1]
  );
  return isNew ? (column[index] ?? 0) : 0;
}

const isAsked = (p: EngineMoment, fromMs: number): boolean =>
  (['requests.aborted', 'requests.finished'] as const).some(
    (id) => (lastRiseMs(p.engine, id, p.index) ?? 0) > fromMs
  ) || QUEUES.some((id) => queuedSince(p, id, fromMs) > 0);

/** By those who were taken out. */
function placeOf(givenUp: GivenUp): Place | undefined {
  if (takenOut(givenUp) === 0) {
    return undefined;
  }
  return givenUp.inTransfer >= takenOut(givenUp) * TRANSFER_SHARE ? 'transfer' : 'door';
}

/** By prefill's queues. */
function placeOnPrefill(prefill: readonly EngineMoment[], fromMs: number): Place | undefined {
  const queued = (id: AnySignalId): number => prefill.reduce((n, p) => n + queuedSince(p, id, fromMs), 0);
  return queued('gauge.inflight') > 0 ? 'transfer' : queued('gauge.bootstrap') > 0 ? 'door' : undefined;
}

/** The engine to blame holds them all, those of the other side share them: taken out, or still in the queue. */
function crowdedBeside(
  decode: EngineMoment,
  prefill: readonly EngineMoment[],
  fromMs: number
): EngineMoment | undefined {
  const prealloc = decode.engine.columns.get('gauge.prealloc')?.[decode.index] ?? 0;
  const own = givenUpSince(decode, fromMs).atDoor + prealloc;
  return prefill
    .map((p) => ({ p, waiting: givenUpSince(p, fromMs).atDoor + queuedSince(p, 'gauge.bootstrap', fromMs) }))
    .sort((a, b) => b.waiting - a.waiting)
    .find(({ waiting }) => waiting > own * CONCENTRATED)?.p;
}

/** Decode's own gauges are older than the silence: a hint, no proof. */
function placeOnGauges({ engine, index }: EngineMoment): Place | undefined {
  const [prealloc = 0, transfer = 0] = (['gauge.prealloc', 'gauge.transfer'] as const).map(
    (id) => engine.columns.get(id)?.[index]
  );
  return prealloc > transfer ? 'door' : transfer > 0 ? 'transfer' : undefined;
}
