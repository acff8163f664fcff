import type { EngineMoment } from './moment';
import type { StageId, StageReading } from './model';
import { KV_TIGHT, kvUsage } from './room';
import { indexAt, sumAfter } from './series';
import { trackOf } from './stalls';

/** Longer than this nobody waits for a turn: then it is a stall. */
const TURN_MS = 60_000;

/** What has not finished anything for so many scrapes makes no room. */
const LATE_SCRAPES = 2;

/** The two ends of a passage: as long as one still hands on in turn, those that wait at the other are behind. */
const OTHER_END: Readonly<Partial<Record<StageId, StageId>>> = {
  'decode.transfer': 'prefill.inflight',
  'prefill.bootstrap': 'decode.prealloc',
};

/**
 * A slow link moves one transfer after the other, a full decode admits one after the other: as long as the other side
 * still hands on those that it had before, the ones behind them wait for their turn, up to a minute. A dead receiver in a
 * pool is overtaken by its neighbours' transfers.
 */
export function isInTurn(r: StageReading, nowMs: number, others: readonly EngineMoment[]): boolean {
  const sinceMs = r.stalledSinceMs ?? nowMs;
  return (
    nowMs - sinceMs < TURN_MS &&
    others.some(({ engine, index }) => {
      const end = trackOf(engine, OTHER_END[r.stage]);
      const from = indexAt(engine.timesMs, sinceMs);
      // The first that waits here came within the scrape after: it stands behind those that were there then.
      const later = sumAfter(end?.departures, from + 1, index);
      // What was concluded just before a transfer stopped shows in the other side's next scrape.
      const isMoving = later > 0 || (r.stage === 'prefill.bootstrap' && sumAfter(end?.departures, from, index) > 0);
      return isMoving && later < (end?.balance[from + 1] ?? 0);
    })
  );
}

/**
 * A decode engine whose KV room is full admits the next requests as those that run finish. As long as some do, whoever waits
 * at its door waits for a turn.
 */
export function isMakingRoom({ engine, index, lastSampleMs }: EngineMoment, { stalledSinceMs }: StageReading): boolean {
  const sinceMs = stalledSinceMs ?? lastSampleMs;
  const running = trackOf(engine, 'decode.running');
  return (
    lastSampleMs - sinceMs < TURN_MS &&
    kvUsage(engine, index) >= KV_TIGHT &&
    sumAfter(running?.departures, Math.max(indexAt(engine.timesMs, sinceMs), index - LATE_SCRAPES), index) > 0
  );
}
