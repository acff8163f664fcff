import { decodeSteps } from './departures';
import type { TrackedEngine } from './fleet';
import type { StageReading } from './model';
import type { EngineMoment } from './moment';
import { openToTheEnd } from './occupancy';
import { pendingIn, pendingOn, type Pending } from './pending';
import { readFrom } from './readings';
import { indexAt, lastCounted, lastIndex, sumAfter } from './series';
import { leftSince, trackOf } from './stalls';
import { isInTurn, isMakingRoom } from './turns';

/**
 * Decode counts a request into its transfer stage when it has sent the metadata, before prefill computes it. So a
 * request may stand there for a minute of chunked prefill and nothing is wrong with the transfer. A stall of the
 * transfer is believed when prefill itself holds computed requests of which none concludes, when, twice in a row
 * since it began, decode held more requests than all of prefill's stages before that could account for, or when prefill
 * has computed since what it had to compute then; where prefill is not seen, it is believed as it is.
 */
export function withPrefillWaits(engines: readonly EngineMoment[], intervalMs: number): EngineMoment[] {
  const live = engines.filter((e) => e.state === 'live');
  const decode = live.filter((e) => e.engine.role === 'decode');
  const prefill = live.filter((e) => e.engine.role === 'prefill');
  const sides: Sides = { prefill, decode, pending: pendingOn(decode), intervalMs };
  const settled = engines.map((e) => ({ ...e, readings: e.readings.map((r) => settle(r, e, sides)) }));
  const isWaiting = settled.some((e) => e.readings.some((r) => r.reason === UNCOMPUTED && (r.depth.value ?? 0) > 0));
  const full = settled.filter((e) => e.readings.some((r) => isShut(r)) && isFullOfWaiting(e, sides));
  return isWaiting || full.length > 0
    ? settled.map((e) => blameForward(full.includes(e) ? withOpenDoor(e) : e, sides))
    : settled;
}

const isShut = (r: StageReading): boolean => r.stage === 'decode.prealloc' && r.state === 'stalled';

/** What decode holds in its transfer stage is all waited for on the prefill side. */
function isFullOfWaiting(e: EngineMoment, { prefill, pending }: Sides): boolean {
  const transfer = e.readings.find((r) => r.stage === 'decode.transfer');
  const held = transfer?.depth.value ?? 0;
  return held > 0 && transfer?.state !== 'stalled' && held <= pendingIn(prefill, pending);
}

/** Decode admits nobody because its slots are taken by requests that prefill has not computed: that is not its fault. */
const withOpenDoor = (e: EngineMoment): EngineMoment => ({
  ...e,
  readings: e.readings.map((r) => (isShut(r) ? { ...r, state: 'flowing', reason: FULL_OF_WAITING } : r)),
});

/**
 * Decode waits for prefill, and prefill computes nothing either: then that is the stall. Prefill that has nothing to compute
 * waits for a handshake, unless its loop is silent and decode has sent metadata since.
 */
function blameForward(e: EngineMoment, { decode, pending, intervalMs }: Sides): EngineMoment {
  const isUnheeded = (fromMs: number): boolean =>
    (e.lastMoveMs ?? 0) <= fromMs + intervalMs / 2 && decode.some((d) => leftSince(d, 'decode.prealloc', fromMs) > 0);
  const isStanding = (r: StageReading): boolean =>
    r.stage === 'prefill.forward' &&
    e.state === 'live' &&
    r.state !== 'stalled' &&
    r.lastProgressMs !== undefined &&
    (holdsWork(e) || isUnheeded(r.lastProgressMs + intervalMs)) &&
    e.lastSampleMs - Math.max(r.lastProgressMs, owedSinceMs(e, pending)) >= r.windowMs - 1.05 * intervalMs;
  return {
    ...e,
    readings: e.readings.map((r): StageReading =>
      isStanding(r)
        ? {
            ...r,
            state: 'stalled',
            stalledSinceMs: r.lastProgressMs,
            reason: 'Decode waits for it, and it computes nothing.',
          }
        : r
    ),
  };
}

/** At two scrapes: a health probe is inside at one. */
const holdsWork = ({ engine, index }: EngineMoment): boolean =>
  [index - 1, index].every((i) => engine.stages.some((t) => t.flow.units === 'prefill' && (t.balance[i] ?? 0) > 0));

/** Since when a prefill engine has had something to compute at every scrape: whoever came just now has not waited. */
function owedSinceMs({ engine, index }: EngineMoment, pending: Pending): number {
  const isOwed = (i: number): boolean => (pending(engine, engine.timesMs[i] ?? 0) ?? 0) > 0;
  const first = lastIndex(index, (i) => !isOwed(i)) + 1;
  return first > index ? Infinity : (engine.timesMs[first] ?? Infinity);
}

interface Sides {
  readonly prefill: readonly EngineMoment[];
  readonly decode: readonly EngineMoment[];
  readonly pending: Pending;
  readonly intervalMs: number;
}

const UNCOMPUTED = 'Waits for prefill to compute.';
const FULL_OF_WAITING = 'Its slots are taken by requests that prefill has not computed.';
const IN_TURN = 'Its turn has not come: the other side still hands on what it had before.';
const MAKING_ROOM = 'Its turn has not come: the KV room is full, and what runs there finishes.';
const LEFT_BEHIND = 'One request stays that no client waits for.';
const UNCONFIRMED = 'Something has left; the next scrape of prefill will confirm it.';

function settle(r: StageReading, e: EngineMoment, sides: Sides): StageReading {
  const excuse = r.state === 'stalled' ? excuseOf(r, e, sides) : undefined;
  return excuse === undefined ? r : { ...r, state: 'flowing', reason: excuse };
}

/** What else than a stall explains that nothing has left; `undefined` where nothing does. */
function excuseOf(r: StageReading, e: EngineMoment, sides: Sides): string | undefined {
  if (isLeftBehind(r, e)) {
    return LEFT_BEHIND;
  }
  switch (r.stage) {
    case 'decode.prealloc':
      return isMakingRoom(e, r) ? MAKING_ROOM : undefined;
    case 'prefill.bootstrap':
      return isInTurn(r, e.lastSampleMs, sides.decode)
        ? IN_TURN
        : sides.decode.some((d) => isMakingRoom(d, r))
          ? MAKING_ROOM
          : undefined;
    case 'decode.transfer':
      return transferExcuse(r, e, sides);
    default:
      return undefined;
  }
}

/**
 * One request stands there and nobody came after it; its client is gone, and has not waited for two scrapes in which decode
 * made no step. What it leaves behind holds nobody up.
 */
export function isLeftBehind(r: StageReading, e: EngineMoment): boolean {
  const { engine, index } = e;
  const track = readFrom(e, r);
  const steps = decodeSteps(engine);
  const from = indexAt(engine.timesMs, r.stalledSinceMs ?? Infinity);
  const isLone = track?.balance[index] === 1 && sumAfter(track.arrivals, from, index) <= 1;
  const isWaiting = (i: number): boolean => (openToTheEnd(engine, i) ?? 0) > 0 && (steps[i] ?? 0) === 0;
  const hasWaited = engine.timesMs.some((_, i) => i > from + 1 && i <= index && isWaiting(i) && isWaiting(i - 1));
  return isLone && openToTheEnd(engine, index) === 0 && !hasWaited;
}

function transferExcuse(r: StageReading, e: EngineMoment, sides: Sides): string | undefined {
  if (readFrom(e, r)?.doubtful[e.index]) {
    return UNCONFIRMED;
  }
  if (isInTurn(r, e.lastSampleMs, sides.prefill)) {
    return IN_TURN;
  }
  return isComputed(r, e, sides) && !isNothingComputed(r, e, sides) ? undefined : UNCOMPUTED;
}

/** Prefill has computed what decode holds, or is not seen. */
function isComputed(r: StageReading, decode: EngineMoment, sides: Sides): boolean {
  const { prefill, pending, intervalMs } = sides;
  const isKnown = prefill.length > 0 && prefill.every((p) => pending(p.engine, p.lastSampleMs) !== undefined);
  const isSeenByPrefill = prefill.some((p) =>
    p.readings.some((own) => own.stage === 'prefill.inflight' && own.state === 'stalled')
  );
  const fromMs = heldSinceMs(r, intervalMs);
  // What was computed just before decode's last scrape may still have been on its way then.
  const toMs = decode.lastSampleMs - intervalMs / 2;
  return (
    !isKnown ||
    isSeenByPrefill ||
    (!prefill.some(mayHoldMore) &&
      (holdsComputed(decode, r, sides) || prefill.every(({ engine }) => hasComputed(engine, sides, { fromMs, toMs }))))
  );
}

/** Prefill computes, and how many wait at its door behind that is not counted (HTTP requests are not scraped). */
const mayHoldMore = ({ engine, index }: EngineMoment): boolean =>
  trackOf(engine, 'prefill.bootstrap')?.balance[index] === undefined &&
  (trackOf(engine, 'prefill.forward')?.balance[index] ?? 0) > 0;

/**
 * Prefill holds no computed request and has computed none since, although all that decode holds wait there, or new ones have
 * come to decode: nothing has been handed over to it.
 */
function isNothingComputed(r: StageReading, decode: EngineMoment, { prefill, pending, intervalMs }: Sides): boolean {
  // What was computed just before the last transfer may show in the scrape after it.
  const settledMs = (r.stalledSinceMs ?? Infinity) + 1.5 * intervalMs;
  const isIdle = (p: EngineMoment): boolean =>
    trackOf(p.engine, 'prefill.inflight')?.atMost[p.index] === 0 && leftSince(p, 'prefill.forward', settledMs) === 0;
  const isOwed = (readFrom(decode, r)?.balance[decode.index] ?? 0) <= pendingIn(prefill, pending);
  // Who shows on decode within a scrape of the last that prefill computed may be that one.
  const newMs = Math.max(settledMs, ...prefill.map((p) => lastComputedMs(p) + 1.05 * intervalMs));
  const { engine, index } = decode;
  const isAsked = sumAfter(readFrom(decode, r)?.arrivals, indexAt(engine.timesMs, newMs), index) > 0;
  return prefill.length > 0 && prefill.every(isIdle) && (isOwed || isAsked);
}

const lastComputedMs = ({ engine, index }: EngineMoment): number =>
  engine.timesMs[lastCounted(trackOf(engine, 'prefill.forward')?.departures, index)] ?? -Infinity;

/** When decode first held somebody in this stall; those of them may have given up since, and others have come. */
function heldSinceMs(
  { stalledSinceMs = Infinity, parkedSinceMs = Infinity }: StageReading,
  intervalMs: number
): number {
  return Math.min(parkedSinceMs, stalledSinceMs + intervalMs);
}

/** Two scrapes in a row in which decode held more than prefill had still to compute. */
function holdsComputed(decode: EngineMoment, r: StageReading, { prefill, pending }: Sides): boolean {
  const { engine, index } = decode;
  const track = readFrom(decode, r);
  const sinceMs = r.stalledSinceMs ?? Infinity;
  // The two sides are scraped at different instants: who entered lately may not be seen on the other side yet.
  const heldBefore = (i: number): number => (track?.balance[i] ?? 0) - (track?.arrivals[i] ?? 0);
  const isMore = (i: number): boolean => {
    const atMs = engine.timesMs[i] ?? 0;
    const waiting = prefill.reduce((sum, p) => sum + (pending(p.engine, atMs) ?? 0), 0);
    const held = waiting === 0 ? (track?.balance[i] ?? 0) : heldBefore(i);
    return atMs >= sinceMs && held > waiting;
  };
  for (let i = index; i > 0 && (engine.timesMs[i] ?? 0) >= sinceMs; i -= 1) {
    if (isMore(i) && isMore(i - 1)) {
      return true;
    }
  }
  return false;
}

/**
 * Prefill computes in the order of arrival: when it has computed more after an instant than it had to compute then, what
 * decode held at that instant is computed. Whoever stood at decode's door then and passed it by the next scrape may have
 * come first. In a pool this is what tells one dead receiver from a busy prefill.
 */
function hasComputed(engine: TrackedEngine, sides: Sides, span: { fromMs: number; toMs: number }): boolean {
  const units = engine.ranks.length > 0 ? engine.ranks : [engine];
  // The first scrape that knows what decode held then.
  const from = indexAt(engine.timesMs, span.fromMs - 1) + 1;
  const to = indexAt(engine.timesMs, span.toMs);
  const fromMs = engine.timesMs[from] ?? 0;
  const passing = sides.decode.reduce((n, e) => n + passedDoor(e, fromMs), 0);
  return units.every((unit) => {
    const forward = trackOf(unit, 'prefill.forward');
    const computed = sumAfter(forward?.departures, from, to);
    return from < to && computed >= (sides.pending(unit, fromMs) ?? 0) + passing;
  });
}

/** Of those at decode's door at an instant, the ones that have passed it by the next scrape. */
function passedDoor({ engine, index }: EngineMoment, atMs: number): number {
  const i = indexAt(engine.timesMs, atMs);
  const door = trackOf(engine, 'decode.prealloc');
  return i < index ? Math.min(door?.atMost[i] ?? 0, door?.departures[i + 1] ?? 0) : 0;
}
