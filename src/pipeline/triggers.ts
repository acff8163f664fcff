import { begunMs, sizeUntil, type AbortBurst } from './events';
import type { EngineMoment, Moment } from './moment';
import { indexAt, lastWhere, sumAfter } from './series';
import type { StageTrack } from './stalls';

/** A burst that precedes a stall by at most this long is taken as its trigger. */
const REACH_MS = 300_000;
/** Clients that give up after a stall began abort too: what comes later than this is consequence, not cause. */
const SLACK_MS = 10_000;
/** Who had waited this long, in a queue that would take as long to drain, left because of that. */
const PATIENCE_MS = 30_000;
/** The pace of a queue is taken over this time. */
const PACE_MS = 60_000;
/** The router notices within this time that an engine has vanished, or within the scrapes that show both. */
const NOTICED_MS = 30_000;
const NOTICED_SCRAPES = 2.5;
/** One or two are always about to be served. */
const FEW = 2;

export interface Trigger {
  readonly burst: AbortBurst;
  /** Aborts of it up to the scrape that shows both; those after it left because of the stall. */
  readonly size: number;
}

/** The latest burst before a stall, allowing for the scrape that shows both; blind to what came after the moment. */
export const burstBefore = (moment: Moment, sinceMs: number): Trigger | undefined =>
  latest(moment, sinceMs, () => true);

/**
 * The same as its cause: where requests had waited long already, clients gave up because of that, and where an engine had
 * vanished, the router dropped what it had sent there and elsewhere. Such aborts are not the cause of what comes after.
 */
export const triggerBefore = (moment: Moment, sinceMs: number): Trigger | undefined =>
  latest(
    moment,
    sinceMs,
    (burst) =>
      !moment.engines.some((e) => hadWaited(e, burst.atMs)) &&
      ![...moment.engines, ...moment.removed].some((e) => vanishedBefore(e, begunMs(burst), moment.intervalMs))
  );

function latest(moment: Moment, sinceMs: number, isWanted: (burst: AbortBurst) => boolean): Trigger | undefined {
  const slackMs = Math.min(moment.intervalMs, SLACK_MS);
  const burst = moment.pipeline.bursts
    .filter((b) => b.knownMs <= moment.atMs && b.atMs >= sinceMs - REACH_MS && b.atMs <= sinceMs + slackMs)
    .filter(isWanted)
    .at(-1);
  const untilMs = Math.max(burst?.knownMs ?? 0, sinceMs + 1.5 * moment.intervalMs);
  return burst && { burst, size: sizeUntil(burst, Math.min(moment.atMs, untilMs)) };
}

/** An engine was not seen any more when a burst began, or its process was replaced in the same interval. */
export function vanishedBefore({ engine, index, state }: EngineMoment, begunMs: number, intervalMs: number): boolean {
  const last = indexAt(engine.timesMs, begunMs - 1);
  const awayMs = begunMs - (engine.timesMs[last] ?? -Infinity);
  const isGone = last < index ? engine.restarts.includes(last + 1) : state === 'lost';
  return isGone && awayMs <= Math.max(NOTICED_MS, NOTICED_SCRAPES * intervalMs);
}

/** Somebody stands in a queue of this engine who has waited long, and will. */
const hadWaited = ({ engine }: EngineMoment, atMs: number): boolean =>
  engine.stages.some((track) => {
    const i = indexAt(engine.timesMs, atMs);
    return (
      isQueue(track) &&
      standingMs(track, engine.timesMs, i) >= PATIENCE_MS &&
      drainMs(track, engine.timesMs, i) >= PATIENCE_MS
    );
  });

/** Where requests wait for room or for their turn. */
const isQueue = ({ flow: { stage } }: StageTrack): boolean =>
  stage === 'decode.prealloc' || stage === 'prefill.bootstrap' || stage === 'prefill.waiting';

/** How long a queue has not been worked off. */
function standingMs({ balance }: StageTrack, timesMs: readonly number[], i: number): number {
  const few = lastWhere(balance, i, (n) => n <= FEW);
  return few < i ? (timesMs[i] ?? 0) - (timesMs[few + 1] ?? 0) : 0;
}

/** How long it takes at the pace of late. */
function drainMs({ balance, departures }: StageTrack, timesMs: readonly number[], i: number): number {
  const left = sumAfter(departures, indexAt(timesMs, (timesMs[i] ?? 0) - PACE_MS), i);
  return left > 0 ? ((balance[i] ?? 0) * PACE_MS) / left : Infinity;
}
