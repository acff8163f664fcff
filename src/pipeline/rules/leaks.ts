import { isLeftBehind } from '../handover';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageId } from '../model';
import { pendingAt } from '../pending';
import { indexAt, lastIndex } from '../series';
import { leftSince, trackOf, type StageTrack } from '../stalls';

/** Rules about requests that decode holds although prefill is through with them. */

/** A queue that has not been empty for this long keeps somebody for good. */
const LEAKED_MS = 300_000;
/** Scrapes in that time in which prefill was empty, so that nothing that decode holds can have been on its way. */
const CLEAR_SCRAPES = 3;
/** Fewer leaked slots than this do not hold up admission. */
const MANY_SLOTS = 8;
/** Requests wait "all the time" when this share of the scrapes of a minute shows one. */
const WAITING_MS = 60_000;
const WAITING_SHARE = 0.8;

export interface Leak {
  readonly engine: EngineMoment;
  readonly stage: StageId;
  /** Requests that nobody works on; the fewest of the time. */
  readonly count: number;
  readonly sinceMs: number;
}

/** Requests that prefill has to compute or to hand over around an instant, at most; without limit where it is not seen. */
type OnPrefill = (atMs: number) => number;

/** The two sides are scraped at different instants, so the scrapes before and after may count too. */
function onPrefill(moment: Moment, around: readonly number[]): OnPrefill {
  const prefill = serversOf(moment, 'prefill');
  const pending = pendingAt(serversOf(moment, 'decode'));
  const isSeen = prefill.length > 0 && prefill.every((p) => p.state === 'live');
  const held = ({ engine, index }: EngineMoment, i: number): number =>
    i > index ? 0 : (pending(engine, i) ?? Infinity) + (trackOf(engine, 'prefill.inflight')?.atMost[i] ?? 0);
  const most = (p: EngineMoment, atMs: number): number =>
    Math.max(...around.map((k) => held(p, indexAt(p.engine.timesMs, atMs) + k)));
  return (atMs) => (isSeen ? prefill.reduce((sum, p) => sum + most(p, atMs), 0) : Infinity);
}

/**
 * "Decode's transfers are more than prefill has to compute or to hand over, they hold many slots, and requests wait for
 * admission all the time", for a minute. Prefill is through with them, so nobody will ever conclude them.
 */
export function leakedSlots(moment: Moment): Leak | undefined {
  const known = onPrefill(moment, [-1, 0, 1]);
  return serversOf(moment, 'decode').flatMap((e) => leakedSlotsOf(e, known) ?? [])[0];
}

function leakedSlotsOf(e: EngineMoment, known: OnPrefill): Leak | undefined {
  const queue = trackOf(e.engine, 'decode.prealloc')?.balance ?? [];
  const isAsked = e.state === 'live' && isWaitingUntil(e, queue, e.index) && hasTransferred(e);
  const count = isAsked ? strandedOn(e, known) : 0;
  return count >= MANY_SLOTS
    ? { engine: e, count, stage: 'decode.prealloc', sinceMs: waitingSinceMs(e, queue) }
    : undefined;
}

/** Something passes beside them: where nothing does, they do not stand alone. */
const hasTransferred = (e: EngineMoment): boolean => leftSince(e, 'decode.transfer', e.lastSampleMs - WAITING_MS) > 0;

/** What was stranded at any scrape of the last minute still is, as long as no fewer are there. */
function strandedOn({ engine, index, lastSampleMs }: EngineMoment, known: OnPrefill): number {
  const balance = trackOf(engine, 'decode.transfer')?.balance ?? [];
  let least = Infinity;
  let count = 0;
  for (let i = index; i >= 0 && (engine.timesMs[i] ?? 0) >= lastSampleMs - WAITING_MS; i -= 1) {
    least = Math.min(least, balance[i] ?? 0);
    count = Math.max(count, Math.min(least, (balance[i] ?? 0) - known(engine.timesMs[i] ?? 0)));
  }
  return count;
}

/** In nearly every scrape of the minute before somebody waits. */
function isWaitingUntil({ engine }: EngineMoment, queue: StageTrack['balance'], i: number): boolean {
  const from = indexAt(engine.timesMs, (engine.timesMs[i] ?? 0) - WAITING_MS);
  const scrapes = range(Math.max(0, from), i);
  return from >= 0 && scrapes.filter((k) => (queue[k] ?? 0) >= 1).length >= scrapes.length * WAITING_SHARE;
}

/** The last scrape before the first who waited in the first such minute. */
function waitingSinceMs(e: EngineMoment, queue: StageTrack['balance']): number {
  const { timesMs } = e.engine;
  const end = lastIndex(e.index, (i) => !isWaitingUntil(e, queue, i - 1));
  const from = indexAt(timesMs, (timesMs[end] ?? 0) - WAITING_MS);
  const first = range(from, end).find((i) => (queue[i] ?? 0) >= 1) ?? from;
  return timesMs[Math.max(0, first - 1)] ?? e.lastSampleMs;
}

/**
 * "Decode's transfer has not been empty for minutes although requests flow through it, and whenever prefill was empty in
 * that time somebody was still there", or one request that no client waits for is all that is left there.
 */
export function leak(moment: Moment): Leak | undefined {
  const known = onPrefill(moment, [0]);
  const left = moment.engines.flatMap((e) => (e.state === 'live' ? leftOn(e) : []));
  return left[0] ?? serversOf(moment, 'decode').flatMap((e) => leakOf(e, known) ?? [])[0];
}

const leftOn = (e: EngineMoment): Leak[] =>
  e.readings.flatMap((r) =>
    r.stalledSinceMs !== undefined && isLeftBehind(r, e)
      ? { engine: e, count: 1, stage: r.stage, sinceMs: r.stalledSinceMs }
      : []
  );

function leakOf(e: EngineMoment, known: OnPrefill): Leak | undefined {
  const { engine, index } = e;
  const balance = trackOf(engine, 'decode.transfer')?.balance ?? [];
  const empty = lastIndex(index, (i) => i === 0 || (balance[i] ?? 0) < 1);
  const sinceMs = engine.timesMs[empty] ?? e.lastSampleMs;
  if (e.state !== 'live' || e.lastSampleMs - sinceMs < LEAKED_MS) {
    return undefined;
  }
  const clear = range(empty + 1, index).filter((i) => known(engine.timesMs[i] ?? 0) === 0);
  const count = Math.min(...clear.map((i) => balance[i] ?? 0));
  return clear.length >= CLEAR_SCRAPES ? { engine: e, count, stage: 'decode.transfer', sinceMs } : undefined;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, k) => from + k);
