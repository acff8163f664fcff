import type { TrackedEngine } from '../fleet';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageId } from '../model';
import { each } from '../once';
import { pendingOn } from '../pending';
import { KV_TIGHT, kvUsage } from '../room';
import { cut, indexAt, lastWhere, sum, sumAfter, type Column } from '../series';
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
export const BACKLOG = 8;
/** So few are hardly a queue. */
const SMALL = 2;
/** A backlog that stands is judged over a minute. */
const STANDING_MS = 60_000;

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

/** Requests leave all the time: where none does for half a minute, one long request holds up the rest. */
const isMoving = (departures: readonly number[], from: number, to: number): boolean =>
  cut(departures.slice(from + 1, to + 1), 6).every((part) => part.some((n) => n > 0));

/** The queue does not get shorter from one third of the time to the next, and there was one before the last third. */
function isStanding(waiting: readonly number[], from: number, to: number): boolean {
  const means = cut(waiting.slice(from, to), 3).map((part) => sum(part) / Math.max(1, part.length));
  const [first = 0, second = 0, third = 0] = means;
  return second >= BACKLOG / 2 && second > first * KEPT && third > second * KEPT;
}

/** The last scrape at which the backlog was still small. */
function emptySinceMs({ timesMs }: TrackedEngine, balance: Column, index: number): number {
  const small = lastWhere(balance, index, (n) => n <= SMALL);
  return timesMs[Math.max(0, small)] ?? 0;
}

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
  const from = indexAt(engine.timesMs, e.lastSampleMs - STANDING_MS);
  if (e.state !== 'live' || !track || from < 0) {
    return undefined;
  }
  const waiting = track.balance.slice(from, index + 1).map((n) => n ?? 0);
  const depth = track.balance[index] ?? 0;
  // What is handed on once in two minutes is handed on, too: as long as the stage's own window has not passed.
  const overMs = Math.max(STANDING_MS, track.windowMs[index] ?? 0);
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
