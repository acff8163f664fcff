import { burstBefore, sizeUntil } from '../events';
import type { StageId } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { holds } from '../profiles/versions';
import { indexAt } from '../series';
import type { StageTrack } from '../stalls';
import { serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';

/** Rules about requests that nobody waits for, and about counts that do not come back. */

/** How long decode must step without a client before anybody is called a zombie. */
const ZOMBIE_MS = 60_000;
/** Tokens per decode step that reach no client, from which a zombie is believed. */
const ZOMBIE_PER_STEP = 0.7;
/** Open requests are sampled, so it takes minutes to compare them with the running ones. */
const BEYOND_MS = 180_000;
const CHANCE_SPREADS = 3;
/** Answers are streamed where nearly all tokens of some minutes before were heard one by one. */
const STREAMED_MS = 180_000;
const STREAMED_TOKENS = 500;
const STREAMED_SHARE = 0.97;
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
/** More than the ranks of a busy engine lie apart within one scrape. */
const LARGE_SPREAD = 20;

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

/**
 * "Decode makes tokens that reach no client", for a minute, at least as many as one request would. Where some requests are
 * not streamed, their tokens come all at once or, after an abort, never: there decode must also run more requests than
 * clients have open.
 */
export function zombies(moment: Moment): Zombies | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => zombiesOf(e) ?? [])
    .sort((a, b) => b.count - a.count)[0];
}

function zombiesOf(e: EngineMoment): Zombies | undefined {
  const from = indexAt(e.engine.timesMs, e.lastSampleMs - ZOMBIE_MS);
  if (e.state !== 'live' || from < 0 || unheardPerStep(e, from, e.index) < ZOMBIE_PER_STEP) {
    return undefined;
  }
  const first = firstUnheard(e);
  const sinceMs = e.engine.timesMs[first] ?? e.lastSampleMs;
  return e.lastSampleMs - sinceMs >= ZOMBIE_MS / 2 && (isStreamedBefore(e, first) || isBeyondOpen(e))
    ? {
        engine: e,
        count: Math.round(unheardPerStep(e, from, e.index)),
        sinceMs,
        tokens: riseOver(e, 'tokens.decode', from, e.index),
        streamed: heardOver(e, from, e.index),
      }
    : undefined;
}

/** Looking back, the first scrape from which on tokens have not been heard. */
function firstUnheard(e: EngineMoment): number {
  let first = e.index;
  while (first > 0 && unheardPerStep(e, Math.max(0, first - SMOOTH_SCRAPES), first) >= ZOMBIE_PER_STEP / 2) {
    first -= 1;
  }
  return first;
}

/** Before that, every token was heard: answers are streamed here. */
function isStreamedBefore(e: EngineMoment, first: number): boolean {
  const from = Math.max(0, indexAt(e.engine.timesMs, (e.engine.timesMs[first] ?? 0) - STREAMED_MS));
  const tokens = riseOver(e, 'tokens.decode', from, first);
  return tokens >= STREAMED_TOKENS && heardOver(e, from, first) >= tokens * STREAMED_SHARE;
}

/**
 * Nobody has a request open for a minute; or the mean of the running requests against the mean of the open ones is beyond
 * what chance makes of so few scrapes. Where open ones are not known, nothing is said.
 */
function isBeyondOpen(e: EngineMoment): boolean {
  const from = (ms: number): number => indexAt(e.engine.timesMs, e.lastSampleMs - ms);
  return knowsOpen(e) && (isNobodySince(e, from(ZOMBIE_MS)) || isBeyondSince(e, from(BEYOND_MS)));
}

const isNobodySince = (e: EngineMoment, from: number): boolean =>
  from >= 0 && (e.engine.columns.get('http.active') ?? []).slice(from, e.index + 1).every((n) => n === 0);

function isBeyondSince(e: EngineMoment, from: number): boolean {
  const active = e.engine.columns.get('http.active') ?? [];
  const open = active.slice(from + 1, e.index + 1).map((n) => n ?? 0);
  const mean = open.reduce((a, b) => a + b, 0) / open.length;
  const spread = Math.sqrt(open.reduce((sum, n) => sum + (n - mean) ** 2, 0) / open.length);
  const byChance = (CHANCE_SPREADS * spread) / Math.sqrt(open.length);
  return from >= 0 && meanRunning(e, from) - mean >= Math.max(ZOMBIE_PER_STEP, byChance);
}

/** Requests that ran on average: tokens, each as long as the shortest step, so that pauses between steps do not count. */
function meanRunning(e: EngineMoment, from: number): number {
  const { timesMs } = e.engine;
  const spanMs = (a: number, b: number): number => (timesMs[b] ?? 0) - (timesMs[a] ?? 0);
  const stepsMs = Array.from({ length: e.index }, (_, i) => spanMs(i, i + 1) / riseOver(e, 'passes.decode', i, i + 1));
  return (riseOver(e, 'tokens.decode', from, e.index) * Math.min(...stepsMs)) / spanMs(from, e.index);
}

/** Every decode step makes a token for each running request; what is not heard belongs to requests without a client. */
function unheardPerStep(e: EngineMoment, from: number, to: number): number {
  const steps = riseOver(e, 'passes.decode', from, to);
  const isHeard = e.engine.rises.has('tokens.streamed');
  return steps > 0 && isHeard ? (riseOver(e, 'tokens.decode', from, to) - heardOver(e, from, to)) / steps : 0;
}

/** The first token of a request is not counted among those that follow. */
const heardOver = (e: EngineMoment, from: number, to: number): number =>
  riseOver(e, 'tokens.streamed', from, to) + riseOver(e, 'tokens.first', from, to);

const riseOver = ({ engine }: EngineMoment, id: AnySignalId, from: number, to: number): number =>
  (engine.rises.get(id) ?? []).slice(from + 1, to + 1).reduce((a, b) => a + b, 0);

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
const knowsOpen = ({ engine, index }: EngineMoment): boolean =>
  holds(engine.releases[index], 'httpOpenUntilStreamEnds') === true &&
  (['http.active', 'gauge.running'] as const).every((id) => engine.columns.has(id));

function surplusAt(e: EngineMoment, i: number): number {
  const { engine } = e;
  const running = engine.columns.get('gauge.running')?.[i] ?? 0;
  const steps = engine.rises.get('tokens.decode')?.[i] ?? 0;
  const held = engine.stages.reduce((sum, t) => sum + (t.balance[i] ?? 0), 0);
  const open = engine.columns.get('http.active')?.[i];
  return knowsOpen(e) && open !== undefined ? held + (steps > 0 ? running : 0) - open : 0;
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

/** Requests without a client that decode has held at every scrape of the range: their aborts were lost before it. */
export function lostBefore(e: EngineMoment): number {
  const surplus = surplusOf(e);
  return surplus !== undefined && surplus.sinceMs === e.engine.timesMs[0] && surplus.count >= LEAST_LOST
    ? surplus.count
    : 0;
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
 * "The ranks of one engine have counted different numbers of requests, and none of them counts on." While they work, a
 * scrape reads one rank after the other and pipeline ranks lag by a batch: such differences fall again, so a moving
 * engine has diverged only where the difference is large and grows.
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
  const isApart = e.state === 'live' && spread(e.index) > 0;
  return isApart && (isStandingSince(e, first) || isGrowingSince(e, first, spread(e.index)))
    ? { engine: e, sinceMs: e.engine.timesMs[Math.max(0, first - 1)] ?? firstMs, spread: spread(e.index) }
    : undefined;
}

const isStandingSince = (e: EngineMoment, first: number): boolean =>
  e.index - first >= 2 && standsSinceMs(e) <= (e.engine.timesMs[first] ?? 0);

const isGrowingSince = (e: EngineMoment, first: number, spread: number): boolean =>
  spread >= LARGE_SPREAD && e.lastSampleMs - (e.engine.timesMs[first] ?? Infinity) >= DIVERGED_MS;
