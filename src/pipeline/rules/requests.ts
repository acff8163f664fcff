import { burstBefore, sizeUntil } from '../events';
import type { StageId } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { holds } from '../profiles/versions';
import { indexAt } from '../series';
import type { StageTrack } from '../stalls';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';

/** Rules about requests that nobody waits for, and about counts that do not come back. */

/** How long decode must step without a client before anybody is called a zombie. */
const ZOMBIE_MS = 60_000;
/** Tokens per decode step that reach no client, from which a zombie is believed. */
const ZOMBIE_PER_STEP = 0.7;
/** Scrapes over which single steps are smoothed when looking for the beginning. */
const SMOOTH_SCRAPES = 4;
/** Aborts are absorbed within seconds; after this long the rest was lost. */
const ABSORBED_MS = 15_000;
/** Fewer than this, or a smaller share of the burst, is the noise of gauges that are some steps old. */
const LEAST_LOST = 3;
const LEAST_LOST_SHARE = 0.2;
/** A depth that has stood this long, undercut by nobody while requests flow, is leaked. */
const LEAKED_MS = 300_000;
const LEAKED_SHARE = 0.7;
/** Fewer leaked slots than this do not hold up admission. */
const MANY_SLOTS = 8;
/** Requests wait "all the time" when this share of the scrapes shows one. */
const WAITING_SHARE = 0.8;
/** Ranks that have not come together for this long run apart. */
const DIVERGED_MS = 30_000;

export interface Surplus {
  readonly engine: EngineMoment;
  /** Requests that the scheduler holds and no client has open; the fewest of the time. */
  readonly count: number;
  readonly sinceMs: number;
}

export interface Zombies extends Surplus {
  /** Tokens decoded in the last minute, and how many of them reached a client. */
  readonly tokens: number;
  readonly streamed: number;
}

/** "Decode makes tokens that reach no client", for a minute, at least as many as one request would. */
export function zombies(moment: Moment): Zombies | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => zombiesOf(e) ?? [])
    .sort((a, b) => b.count - a.count)[0];
}

function zombiesOf(e: EngineMoment): Zombies | undefined {
  const fromMs = e.lastSampleMs - ZOMBIE_MS;
  const tokens = riseSince(e.engine, 'tokens.decode', fromMs, e.index) ?? 0;
  const streamed = riseSince(e.engine, 'tokens.streamed', fromMs, e.index);
  const unheard = unheardPerStep(e, indexAt(e.engine.timesMs, fromMs), e.index);
  if (e.state !== 'live' || streamed === undefined || unheard < ZOMBIE_PER_STEP) {
    return undefined;
  }
  let first = e.index;
  while (first > 0 && unheardPerStep(e, Math.max(0, first - SMOOTH_SCRAPES), first) >= ZOMBIE_PER_STEP / 2) {
    first -= 1;
  }
  const sinceMs = e.engine.timesMs[first] ?? fromMs;
  return e.lastSampleMs - sinceMs >= ZOMBIE_MS / 2
    ? { engine: e, count: Math.round(unheard), sinceMs, tokens, streamed }
    : undefined;
}

/** Every decode step makes a token for each running request; what is not streamed belongs to requests without a client. */
function unheardPerStep({ engine }: EngineMoment, from: number, to: number): number {
  const over = (id: 'tokens.decode' | 'tokens.streamed' | 'passes.decode'): number =>
    (engine.rises.get(id) ?? []).slice(from + 1, to + 1).reduce((a, b) => a + b, 0);
  const steps = over('passes.decode');
  return steps > 0 ? (over('tokens.decode') - over('tokens.streamed')) / steps : 0;
}

/**
 * Requests that decode holds beyond the ones that a client has open, for as long as there have been any. The running
 * gauge is some steps old, so a single scrape proves nothing: the fewest over the time count.
 */
function surplusOf(e: EngineMoment): Surplus | undefined {
  let first = e.index;
  let count = Infinity;
  while (first >= 0 && e.state === 'live' && surplusAt(e, first) > 0) {
    count = Math.min(count, surplusAt(e, first));
    first -= 1;
  }
  const sinceMs = e.engine.timesMs[Math.max(0, first)];
  return first < e.index && sinceMs !== undefined ? { engine: e, count, sinceMs } : undefined;
}

/** Where a request does not stay open until its stream ends, the two cannot be compared. */
function surplusAt({ engine }: EngineMoment, i: number): number {
  const isOpenToTheEnd = holds(engine.releases[i], 'httpOpenUntilStreamEnds');
  const running = engine.columns.get('gauge.running')?.[i];
  const open = engine.columns.get('http.active')?.[i];
  const steps = engine.rises.get('tokens.decode')?.[i] ?? 0;
  const held = engine.stages.reduce((sum, t) => sum + (t.balance[i] ?? 0), 0);
  return isOpenToTheEnd && open !== undefined && running !== undefined ? held + (steps > 0 ? running : 0) - open : 0;
}

export interface LostAborts {
  readonly engine: EngineMoment;
  readonly atMs: number;
  readonly aborted: number;
  /** Requests that the scheduler still holds without a client, the fewest of the last scrapes. */
  readonly orphans: number;
}

/**
 * "A burst of aborts was counted and the scheduler still holds requests without a client", seconds after the clients have
 * gone and for three scrapes.
 */
export function lostAborts(moment: Moment): LostAborts | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => lostAbortsOf(e, moment) ?? [])
    .sort((a, b) => b.orphans - a.orphans)[0];
}

function lostAbortsOf(e: EngineMoment, moment: Moment): LostAborts | undefined {
  const surplus = surplusOf(e);
  const burst = surplus && burstBefore(moment, surplus.sinceMs);
  if (!surplus || !burst) {
    return undefined;
  }
  // What the aborts left has stood there since the aborts; a surplus that came later is noise of the gauges.
  const isTogether = surplus.sinceMs - burst.endMs <= 2 * moment.intervalMs;
  const isLasting = e.lastSampleMs - surplus.sinceMs >= Math.max(ABSORBED_MS, 2 * moment.intervalMs);
  const isMany = lately(e) >= Math.max(LEAST_LOST, sizeUntil(burst, moment.atMs) * LEAST_LOST_SHARE);
  return isTogether && isLasting && isMany
    ? {
        engine: e,
        atMs: burst.atMs,
        aborted: sizeUntil(burst, moment.atMs),
        orphans: lately(e),
      }
    : undefined;
}

const lately = (e: EngineMoment): number => Math.min(...[0, 1, 2].map((k) => surplusAt(e, Math.max(0, e.index - k))));

export interface Leak extends Surplus {
  readonly stage: StageId;
}

/**
 * "A queue of decode never empties although requests flow through it, and nobody waits for what is in it": over minutes
 * decode holds on average as many more requests than clients have open.
 */
export function leak(moment: Moment): Leak | undefined {
  return serversOf(moment, 'decode').flatMap((e) => leakOf(e) ?? [])[0];
}

function leakOf(e: EngineMoment): Leak | undefined {
  const track = e.engine.stages.find((t) => (t.floor[e.index] ?? 0) > 0);
  const from = indexAt(e.engine.timesMs, e.lastSampleMs - LEAKED_MS);
  const count = track?.floor[e.index] ?? 0;
  if (e.state !== 'live' || !track || from < 0) {
    return undefined;
  }
  let first = e.index;
  while (first > 0 && (track.floor[first - 1] ?? 0) > 0) {
    first -= 1;
  }
  const sinceMs = e.engine.timesMs[first] ?? e.lastSampleMs;
  return meanSurplus(e, from) >= count * LEAKED_SHARE
    ? { engine: e, count, stage: track.flow.stage, sinceMs }
    : undefined;
}

function meanSurplus(e: EngineMoment, from: number): number {
  const surpluses = Array.from({ length: e.index - from + 1 }, (_, k) => surplusAt(e, from + k));
  return surpluses.reduce((a, b) => a + b, 0) / surpluses.length;
}

/** "Leaked transfers hold so many slots that requests wait for admission all the time." */
export const leakedSlots = (moment: Moment): Leak | undefined =>
  serversOf(moment, 'decode').flatMap((e) => leakedSlotsOf(e) ?? [])[0];

function leakedSlotsOf(e: EngineMoment): Leak | undefined {
  const from = indexAt(e.engine.timesMs, e.lastSampleMs - ZOMBIE_MS);
  if (e.state !== 'live' || from < 0) {
    return undefined;
  }
  const ofStage = (stage: StageId): StageTrack | undefined => e.engine.stages.find((t) => t.flow.stage === stage);
  const held = Math.max(0, ...(ofStage('decode.transfer')?.floor ?? []).slice(from, e.index + 1));
  const queues = (ofStage('decode.prealloc')?.balance ?? []).slice(from, e.index + 1);
  const isWaiting = queues.filter((n) => (n ?? 0) >= 1).length >= queues.length * WAITING_SHARE;
  return held >= MANY_SLOTS && isWaiting && meanSurplus(e, from) >= held * LEAKED_SHARE
    ? { engine: e, count: held, stage: 'decode.prealloc', sinceMs: e.engine.timesMs[from] ?? e.lastSampleMs }
    : undefined;
}

export interface Divergence {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
  readonly spread: number;
}

const SPREAD: AnySignalId = 'ranks.spread';

/**
 * "The ranks of one engine have counted different numbers of requests, and the difference does not close." Pipeline ranks
 * lag each other by a batch while they work, so a difference that falls again is no divergence.
 */
export function divergedRanks(moment: Moment): Divergence | undefined {
  return moment.engines.flatMap((e) => divergenceOf(e) ?? [])[0];
}

function divergenceOf(e: EngineMoment): Divergence | undefined {
  const spread = (i: number): number => e.engine.columns.get(SPREAD)?.[i] ?? 0;
  let first = e.index;
  while (first > 0 && spread(first - 1) > 0 && spread(first - 1) <= spread(first)) {
    first -= 1;
  }
  const firstMs = e.engine.timesMs[first] ?? e.lastSampleMs;
  const isStuck = e.readings.some((r) => r.state === 'stalled');
  const isLasting = e.index - first >= 2 && (isStuck || e.lastSampleMs - firstMs >= DIVERGED_MS);
  return e.state === 'live' && spread(e.index) > 0 && isLasting
    ? { engine: e, sinceMs: e.engine.timesMs[Math.max(0, first - 1)] ?? firstMs, spread: spread(e.index) }
    : undefined;
}
