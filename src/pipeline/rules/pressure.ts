import type { TrackedEngine } from '../fleet';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageId } from '../model';
import { each, once } from '../once';
import { pendingOn } from '../pending';
import { KV_FULL, KV_TIGHT, kvUsage } from '../room';
import { indexAt, lastIndex, lastWhere, quantile, sum, sumAfter, type Column } from '../series';
import { triggerBefore } from '../triggers';
import { lostAbortsOn } from './aborts';
import { trackOf } from '../stalls';

/** Rules about stages that work, but not fast enough for what is asked of them. */

/** Growth is judged over this long: shorter queues are bursts. */
const GROWTH_MS = 180_000;
/** Waiting this long at the present rate is worth an alarm. */
const DRAIN_MS = 60_000;
/** A queue of which a third of the time keeps this share of the third before it is not being worked off. */
const KEPT = 0.9;
/** What was found this lately may last. */
const LASTING_MS = 600_000;
/** Fewer requests than this are no backlog. */
const BACKLOG = 8;
/** So few are hardly a queue. */
const SMALL = 2;
/** A rate below this share of the stage's own earlier rate is slow. */
const SLOW_SHARE = 0.25;
/** Slowness is judged over a minute; what is slower still, in each of the last two times between scrapes. */
const STEP_MS = 60_000;
const VERY_SLOW_SHARE = 0.125;
/** No decode takes longer for a token when all is well: where a range shows it slow only, this is its usual pace. */
const SLOWEST_USUAL_MS = 200;
/** Fewer tokens tell no pace, and fewer scrapes with as many no usual one. */
const FEW_TOKENS = 10;
const BUSY_SCRAPES = 6;

export interface Backlog {
  readonly engine: EngineMoment;
  readonly stage: StageId;
  readonly depth: number;
  /** Time to drain at the present rate. */
  readonly drainMs: number;
  readonly perSec: number;
  readonly sinceMs: number;
}

/**
 * "Requests pass, but for minutes no more leave than enter, and what waits would take over a minute to drain." Bursts grow
 * and fall again within that time; slots bound the queue, so it need not grow for ever.
 */
export function growingBacklog(moment: Moment, stages: readonly StageId[]): Backlog | undefined {
  const keptOut = keptOutOf(moment);
  return moment.engines
    .flatMap((e) => stages.flatMap((stage) => lasting(e, stage, (then) => backlogOf(then, stage, keptOut)) ?? []))
    .sort((a, b) => a.sinceMs - b.sinceMs || b.depth - a.depth)[0];
}

/**
 * Found now, or lately, with a backlog ever since that would still take half a minute to drain: pressure is left when there
 * is less of it, not when it pauses or can grow no more.
 */
function lasting(
  e: EngineMoment,
  stage: StageId,
  findAt: (then: EngineMoment) => Backlog | undefined
): Backlog | undefined {
  const { engine, index, lastSampleMs } = e;
  const { balance = [], departures = [] } = trackOf(engine, stage) ?? {};
  const depth = balance[index] ?? 0;
  const perSec = (sumAfter(departures, indexAt(engine.timesMs, lastSampleMs - GROWTH_MS), index) * 1000) / GROWTH_MS;
  const drainMs = drainOf(depth, perSec);
  const isLeft = (i: number): boolean =>
    (balance[i] ?? 0) < BACKLOG || (engine.timesMs[i] ?? 0) < lastSampleMs - LASTING_MS || drainMs < DRAIN_MS / 2;
  let found = findAt(e);
  for (let i = index - 1; !found && !isLeft(i + 1) && i >= 0; i -= 1) {
    const then = findAt({ ...e, index: i, lastSampleMs: engine.timesMs[i] ?? lastSampleMs });
    found = then && { ...then, engine: e, depth, perSec, drainMs };
  }
  return found;
}

function backlogOf(e: EngineMoment, stage: StageId, keptOut: KeptOut): Backlog | undefined {
  const { engine, index } = e;
  const track = trackOf(engine, stage);
  const depth = track?.balance[index] ?? 0;
  const from = indexAt(engine.timesMs, e.lastSampleMs - GROWTH_MS);
  if (e.state !== 'live' || !track || depth < BACKLOG || from < 0) {
    return undefined;
  }
  const waiting = track.balance.map((n = 0, i) => (i < from ? n : n + keptOut(engine.timesMs[i] ?? 0)));
  const perSec = (sumAfter(track.departures, from, index) * 1000) / GROWTH_MS;
  const drainMs = drainOf(depth + keptOut(e.lastSampleMs), perSec);
  return isMoving(track.departures, from, index) && isStanding(waiting, from, index) && drainMs >= DRAIN_MS
    ? { engine: e, stage, depth, drainMs, perSec, sinceMs: emptySinceMs(engine, track.balance, index) }
    : undefined;
}

const drainOf = (waiting: number, perSec: number): number => (perSec > 0 ? (waiting * 1000) / perSec : Infinity);

/** Requests at an instant that wait at decode's door, for each prefill engine: slots bound what can wait behind it. */
type KeptOut = (atMs: number) => number;

function keptOutOf(moment: Moment): KeptOut {
  const doors = serversOf(moment, 'decode').flatMap(({ engine }) =>
    engine.stages.filter((t) => t.flow.stage === 'decode.prealloc').map((track) => ({ engine, track }))
  );
  const sharing = Math.max(1, serversOf(moment, 'prefill').length);
  return each(
    (atMs) =>
      doors.reduce((n, { engine, track }) => n + (track.balance[indexAt(engine.timesMs, atMs)] ?? 0), 0) / sharing
  );
}

/** A list cut in equal spans of time. */
function cut<T>(
  list: readonly T[],
  { from, to, parts }: { from: number; to: number; parts: number }
): Array<readonly T[]> {
  const at = (k: number): number => Math.round(from + ((to - from) * k) / parts);
  return Array.from({ length: parts }, (_, k) => list.slice(at(k), at(k + 1)));
}

/** Requests leave all the time: where none does for half a minute, one long request holds up the rest. */
const isMoving = (departures: readonly number[], from: number, to: number): boolean =>
  cut(departures, { from: from + 1, to: to + 1, parts: 6 }).every((part) => part.some((n) => n > 0));

/** The queue does not get shorter from one third of the time to the next, and there was one before the last third. */
function isStanding(waiting: readonly number[], from: number, to: number): boolean {
  const means = cut(waiting, { from, to, parts: 3 }).map((part) => sum(part) / Math.max(1, part.length));
  const [first = 0, second = 0, third = 0] = means;
  return second >= BACKLOG / 2 && second > first * KEPT && third > second * KEPT;
}

/** The last scrape at which the backlog was still small. */
const emptySinceMs = (engine: TrackedEngine, balance: Column, index: number): number =>
  engine.timesMs[
    Math.max(
      0,
      lastWhere(balance, index, (n) => n <= SMALL)
    )
  ] ?? 0;

export interface FewAdmitted extends Backlog {
  /** KV room in use, 0…1. */
  readonly usage: number;
}

/**
 * "Requests are admitted, but far fewer than wait, all the time for a minute, and decode's KV room is tight", or there is
 * room, and for three minutes the queue does not get shorter: its request slots are too few. Now and then one leaves and the
 * next takes its place, which is no recovery.
 */
export function fewAdmitted(moment: Moment): FewAdmitted | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => fewAdmittedOf(e, moment) ?? [])
    .sort((a, b) => b.depth - a.depth)[0];
}

/** Most of what a decode engine has admitted waits for prefill to compute: decode's door is no bottleneck then. */
function waitsForPrefill({ engine, index, lastSampleMs }: EngineMoment, moment: Moment): boolean {
  const held = trackOf(engine, 'decode.transfer')?.balance[index] ?? 0;
  const pending = pendingOn(serversOf(moment, 'decode'));
  const waiting = serversOf(moment, 'prefill').reduce((n, p) => n + (pending(p.engine, lastSampleMs) ?? 0), 0);
  return held >= BACKLOG && waiting >= held / 2;
}

function fewAdmittedOf(e: EngineMoment, moment: Moment): FewAdmitted | undefined {
  const fewAt = (then: EngineMoment): Backlog | undefined =>
    kvUsage(then.engine, then.index) >= KV_TIGHT
      ? standingBacklog(then, 'decode.prealloc')
      : backlogOf(then, 'decode.prealloc', () => 0);
  const backlog = lasting(e, 'decode.prealloc', (then) => (waitsForPrefill(then, moment) ? undefined : fewAt(then)));
  return backlog && { ...backlog, usage: kvUsage(e.engine, e.index) };
}

/**
 * A stage that has held a backlog at every scrape of a minute, hands on, and would take over a minute to drain, with those
 * that wait `behind` it.
 */
function standingBacklog(e: EngineMoment, stage: StageId, behind = 0): Backlog | undefined {
  const { engine, index } = e;
  const track = trackOf(engine, stage);
  const from = indexAt(engine.timesMs, e.lastSampleMs - STEP_MS);
  if (e.state !== 'live' || !track || from < 0) {
    return undefined;
  }
  const waiting = track.balance.slice(from, index + 1).map((n) => n ?? 0);
  const depth = track.balance[index] ?? 0;
  // What is handed on once in two minutes is handed on, too: as long as the stage's own window has not passed.
  const overMs = Math.max(STEP_MS, track.windowMs[index] ?? 0);
  const left = sumAfter(track.departures, indexAt(engine.timesMs, e.lastSampleMs - overMs), index);
  const perSec = (left * 1000) / overMs;
  const drainMs = drainOf(depth + behind, perSec);
  return Math.min(...waiting) >= BACKLOG && perSec > 0 && drainMs >= DRAIN_MS
    ? { engine: e, stage, depth, drainMs, perSec, sinceMs: emptySinceMs(engine, track.balance, index) }
    : undefined;
}

/**
 * "Computed requests wait for their KV transfer all the time, transfers conclude, and at this pace what waits would take
 * over a minute": the link is slow. Slots bound what can wait there, so the queue need not grow: whoever decode keeps out
 * meanwhile waits for the link as well.
 */
export function slowTransfer(moment: Moment): Backlog | undefined {
  const keptOut = keptOutOf(moment);
  return serversOf(moment, 'prefill').flatMap(
    (e) =>
      lasting(e, 'prefill.inflight', (then) => standingBacklog(then, 'prefill.inflight', keptOut(then.lastSampleMs))) ??
      []
  )[0];
}

export interface SlowDecode {
  readonly engine: EngineMoment;
  /** Milliseconds per token of a request now, and usually; `undefined` where this range shows it slow only. */
  readonly nowMs: number;
  readonly usualMs: number | undefined;
  readonly sinceMs: number;
}

/**
 * "Tokens go on, each many times slower than before", as clients receive them: the time between two tokens of a request
 * knows no pauses of the traffic.
 */
export function slowDecode(moment: Moment): SlowDecode | undefined {
  const live = serversOf(moment, 'decode').filter((e) => e.state === 'live');
  return live.flatMap((e) => slowDecodeOf(e) ?? [])[0];
}

function slowDecodeOf(e: EngineMoment): SlowDecode | undefined {
  const { index } = e;
  const minuteAgo = indexAt(e.engine.timesMs, e.lastSampleMs - STEP_MS);
  return (
    slowBetween(e, [index - 2, index - 1, index], VERY_SLOW_SHARE) ?? slowBetween(e, [minuteAgo, index], SLOW_SHARE)
  );
}

/** Slow from each of these scrapes to the next: one pause is not enough to make all of them slow. */
function slowBetween(e: EngineMoment, scrapes: readonly number[], share: number): SlowDecode | undefined {
  const { engine, index } = e;
  const [from = 0] = scrapes;
  const isRestarted = engine.restarts.some((r) => r > from && r <= index);
  const ownMs = usualTokenMs(engine)(from);
  const usualMs = isRestarted || from < 0 ? undefined : usualOf(engine, ownMs);
  const isSlow = (to: number, k: number): boolean =>
    (tokenMs(engine, scrapes[k] ?? to, to) ?? 0) * share > (usualMs ?? Infinity);
  const nowMs = scrapes.slice(1).every(isSlow) ? tokenMs(engine, from, index) : undefined;
  return usualMs === undefined || nowMs === undefined
    ? undefined
    : { engine: e, nowMs, usualMs: usualMs === ownMs ? ownMs : undefined, sinceMs: slowSinceMs(e, usualMs) };
}

/** Its own pace, unless that is slow from the beginning of the range on. */
const usualOf = (engine: TrackedEngine, ownMs: number | undefined): number | undefined =>
  engine.rises.has('seconds.streamed') ? Math.min(ownMs ?? Infinity, SLOWEST_USUAL_MS) : ownMs;

/** The first of the slow scrapes in a row up to now; those without tokens are slow, too. */
function slowSinceMs({ engine, index, lastSampleMs }: EngineMoment, usualMs: number): number {
  const isSlow = (i: number): boolean => (tokenMs(engine, i - 1, i) ?? Infinity) * SLOW_SHARE > usualMs;
  return engine.timesMs[lastIndex(index, (i) => i <= 1 || !isSlow(i))] ?? lastSampleMs;
}

/** Token time of the faster scrapes before one: slowness that lasts is not the usual. `undefined` while there are few. */
const usualTokenMs = once((engine: TrackedEngine) => {
  const times = engine.timesMs.map((_, i) => (i > 0 ? tokenMs(engine, i - 1, i) : undefined));
  return each((from: number): number | undefined => {
    const earlier = times.slice(0, Math.max(0, from)).filter((ms) => ms !== undefined);
    return earlier.length >= BUSY_SCRAPES ? quantile(earlier, 0.25) : undefined;
  });
});

/** Mean time between two tokens of a request; `undefined` for too few tokens. */
function tokenMs(engine: TrackedEngine, from: number, to: number): number | undefined {
  const { rises } = engine;
  if (rises.has('seconds.streamed')) {
    const tokens = sumAfter(rises.get('tokens.streamed'), from, to);
    const seconds = sumAfter(rises.get('seconds.streamed'), from, to);
    return tokens >= FEW_TOKENS ? (seconds * 1000) / tokens : undefined;
  }
  const steps = (rises.get('passes.decode') ?? []).slice(from + 1, to + 1);
  return steps.length > 0 && steps.every((n) => n > 0) && isBusy(engine, from, to)
    ? ((engine.timesMs[to] ?? 0) - (engine.timesMs[from] ?? 0)) / sum(steps)
    : undefined;
}

/** Where only steps are counted: clients have requests open at every scrape, so that steps do not wait for work. */
function isBusy(engine: TrackedEngine, from: number, to: number): boolean {
  const open = engine.columns.get('http.active') ?? engine.columns.get('gauge.running') ?? [];
  return open.slice(from, to + 1).every((n) => (n ?? 0) >= 1);
}

/** Why decode admits nobody. */
export type AdmissionCause =
  | { readonly kind: 'kv'; readonly usage: number }
  | { readonly kind: 'slots'; readonly held: number }
  | { readonly kind: 'head'; readonly aborted: number; readonly held: number };

/**
 * "Decode has the requests, but its KV room, its request slots or the head of its queue keep them out." Without any of
 * these signs a handshake that does not complete is a handshake fault.
 */
export function admissionCause(moment: Moment, decode: EngineMoment, sinceMs: number): AdmissionCause | undefined {
  const { engine, index } = decode;
  const usage = kvUsage(engine, index);
  const held = trackOf(engine, 'decode.transfer')?.balance[index] ?? 0;
  const isMoving = (riseSince(engine, 'decode.transferred', sinceMs, index) ?? 0) > 0;
  if (usage >= KV_FULL) {
    return { kind: 'kv', usage };
  }
  if (held >= BACKLOG && !isMoving) {
    return { kind: 'slots', held };
  }
  return pinnedHead(moment, decode, sinceMs) ?? (usage >= KV_TIGHT ? { kind: 'kv', usage } : undefined);
}

/** A burst of aborts led to the stall, and decode still holds what some of them left. */
function pinnedHead(moment: Moment, decode: EngineMoment, sinceMs: number): AdmissionCause | undefined {
  const lost = lostAbortsOn(decode, moment);
  return lost && triggerBefore(moment, sinceMs)?.burst.atMs === lost.atMs
    ? { kind: 'head', aborted: lost.aborted, held: lost.orphans }
    : undefined;
}
