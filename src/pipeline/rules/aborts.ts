import { sizeUntil, type AbortBurst } from '../events';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageId } from '../model';
import { once } from '../once';
import type { AnySignalId } from '../profiles/sglang';
import { holds } from '../profiles/versions';
import { indexAt } from '../series';
import { trackOf } from '../stalls';

/** Rules about aborts that decode's scheduler does not act on. */

/** The HTTP server notices within 4 s that a client has left, and the loop reads the abort at once: after this long it is lost. */
const ABSORBED_MS = 10_000;
/** Fewer than this, or a smaller share of the burst, is the noise of gauges that are some steps old. */
const LEAST_LOST = 3;
const LEAST_LOST_SHARE = 0.2;
const BEFORE_SCRAPES = 4;
/** Fewer than this may be on their way between the two sides. */
const MANY_UNTOLD = 8;

export interface LostAborts {
  readonly engine: EngineMoment;
  readonly atMs: number;
  readonly aborted: number;
  /** Requests that the scheduler still holds without a client, at least. */
  readonly orphans: number;
}

/**
 * "A burst of aborts was counted and the scheduler still holds requests without a client", seconds after the clients have
 * gone and for three scrapes. Who has a client is known where open HTTP requests are counted; elsewhere an abort that was
 * acted on shows as a failed request, unless that request ran.
 */
export const lostAborts = once(
  (moment: Moment): LostAborts | undefined =>
    serversOf(moment, 'decode')
      .flatMap((e) => lostAbortsOn(e, moment) ?? [])
      .sort((a, b) => b.orphans - a.orphans)[0]
);

/** The same of one engine: the first burst since which it has held such requests. */
export function lostAbortsOn(e: EngineMoment, moment: Moment): LostAborts | undefined {
  const settledMs = Math.max(ABSORBED_MS, 2 * moment.intervalMs);
  const bursts = e.state === 'live' ? moment.pipeline.bursts : [];
  for (const burst of bursts.filter((b) => e.lastSampleMs - b.knownMs >= settledMs)) {
    // Those who leave later may do so because of what the first ones left.
    const aborted = sizeUntil(burst, burst.knownMs + settledMs);
    const orphans = Math.min(aborted, knowsOpen(e) ? beyondOpen(e, burst) : unfailed(e, burst));
    if (orphans >= Math.max(LEAST_LOST, aborted * LEAST_LOST_SHARE)) {
      return { engine: e, atMs: burst.atMs, aborted, orphans };
    }
  }
  return undefined;
}

/** "What lost aborts left is half of what stands in decode's transfer or more": it keeps others out. */
export function fillingAborts(moment: Moment): LostAborts | undefined {
  const lost = lostAborts(moment);
  const held = lost ? heldOn(lost.engine) : 0;
  return lost && held >= MANY_UNTOLD && lost.orphans >= held / 2 ? lost : undefined;
}

const heldOn = ({ engine, index }: EngineMoment): number => trackOf(engine, 'decode.transfer')?.balance[index] ?? 0;

/**
 * "Prefill has dropped requests of clients that left, and decode was not told": half of what stands in its transfer or more
 * was aborted on prefill only, since the last burst.
 */
export function untoldAborts(moment: Moment): LostAborts | undefined {
  const burst = moment.pipeline.bursts.filter((b) => b.knownMs <= moment.atMs).at(-1);
  const [fullest] = serversOf(moment, 'decode').sort((a, b) => heldOn(b) - heldOn(a));
  const dropped = burst ? untoldSince(moment, burst.atMs) : 0;
  return burst && fullest && dropped >= Math.max(MANY_UNTOLD, heldOn(fullest) / 2) && heldOn(fullest) >= MANY_UNTOLD
    ? { engine: fullest, atMs: burst.atMs, aborted: dropped, orphans: Math.min(dropped, heldOn(fullest)) }
    : undefined;
}

/** Aborts that prefill has counted since an instant and decode has not. */
export function untoldSince(moment: Moment, sinceMs: number): number {
  const aborts = (role: 'prefill' | 'decode'): number =>
    serversOf(moment, role).reduce((n, e) => n + (riseSince(e.engine, 'requests.aborted', sinceMs, e.index) ?? 0), 0);
  return aborts('prefill') - aborts('decode');
}

/** Requests without a client that decode has held at every scrape of the range: their aborts were lost before it. */
export function lostBefore(e: EngineMoment): number {
  const all = Array.from({ length: e.index + 1 }, (_, i) => surplusAt(e, i));
  const count = e.state === 'live' && knowsOpen(e) ? Math.min(...all) : 0;
  return count >= LEAST_LOST ? count : 0;
}

/** Where a request does not stay open until its stream ends, the two cannot be compared. */
export const knowsOpen = ({ engine, index }: EngineMoment): boolean =>
  holds(engine.releases[index], 'httpOpenUntilStreamEnds') === true &&
  (['http.active', 'gauge.running'] as const).every((id) => engine.columns.has(id));

/**
 * The fewest in any scrape since, beyond the most in those just before the burst: what was there before and what came later
 * was not left by these aborts.
 */
function beyondOpen(e: EngineMoment, burst: AbortBurst): number {
  const last = indexAt(e.engine.timesMs, burst.atMs);
  const before = Array.from({ length: BEFORE_SCRAPES }, (_, k) => surplusAt(e, last - k));
  return Math.min(...scrapesAfter(e, burst).map((i) => surplusAt(e, i))) - Math.max(0, ...before);
}

/** Requests that decode holds beyond the ones that clients have open. */
function surplusAt(e: EngineMoment, i: number): number {
  const { engine } = e;
  const running = engine.columns.get('gauge.running')?.[i] ?? 0;
  const steps = engine.rises.get('tokens.decode')?.[i] ?? 0;
  const held = engine.stages.reduce((sum, t) => sum + (t.balance[i] ?? 0), 0);
  const open = engine.columns.get('http.active')?.[i];
  return open === undefined ? 0 : held + (steps > 0 ? running : 0) - open;
}

/**
 * Aborts since the burst that no failed request explains, and none of those that ran or were about to. No more than stand
 * at decode's door and in transfer all the time; and its loop has read other messages since.
 */
function unfailed(e: EngineMoment, burst: AbortBurst): number {
  const { engine, index } = e;
  const before = indexAt(engine.timesMs, burst.atMs);
  const since = (id: AnySignalId): number => riseSince(engine, id, burst.atMs, index) ?? 0;
  const gauge = (id: AnySignalId): number =>
    Math.max(...[before, before + 1].map((i) => engine.columns.get(id)?.[i] ?? 0));
  const ran =
    gauge('gauge.running') + gauge('gauge.waiting') + since('decode.transferred') + since('requests.retracted');
  const lost = since('requests.aborted') - since('bootstrap.failed') - since('transfer.failed') - ran;
  const scrapes = scrapesAfter(e, burst);
  const held = (stage: StageId): number[] => scrapes.map((i) => trackOf(engine, stage)?.balance[i] ?? 0);
  const transfers = held('decode.transfer');
  const isReading = scrapes.some((i) => (engine.rises.get('decode.received')?.[i] ?? 0) > 0);
  return isReading ? Math.min(lost, ...held('decode.prealloc').map((n, k) => n + (transfers[k] ?? 0))) : 0;
}

/** The scrapes after the one that showed the burst. */
function scrapesAfter({ engine, index }: EngineMoment, { knownMs }: AbortBurst): number[] {
  const first = indexAt(engine.timesMs, knownMs) + 1;
  return Array.from({ length: Math.max(0, index - first + 1) }, (_, k) => first + k);
}
