import { decodeSteps } from '../departures';
import { serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';
import { openToTheEnd } from '../occupancy';
import type { AnySignalId } from '../profiles/sglang';
import { indexAt, lastIndex, sum, sumAfter } from '../series';
import { trackOf } from '../stalls';
import { knowsOpen } from './aborts';

/** Rules about requests that decode for nobody, and about ranks that do not come together. */

/** How long decode must step without a client before anybody is called a zombie. */
const ZOMBIE_MS = 60_000;
/** Tokens per decode step that reach no client, from which a zombie is believed. */
const ZOMBIE_PER_STEP = 0.7;
/** Open requests are sampled, so it takes minutes to compare them with the running ones. */
const BEYOND_MS = 180_000;
const CHANCE_SPREADS = 3;
/** Answers are streamed where nearly all tokens of some minutes before were heard in the scrape that counts them. */
const STREAMED_MS = 180_000;
const STREAMED_TOKENS = 500;
const STREAMED_SHARE = 0.97;
/** Of their mean, so far apart on average what is not heard in each scrape is. */
const STEADY = 0.15;
/** An answer that is not streamed leaves decode in pieces of so many tokens, and all of the first count as one. */
const PIECE_TOKENS = 50;
/** Clients leave "as before" up to so many a minute, and up to so many times their usual number. */
const FEW_ABORTS = 3;
const OFTEN = 3;
/** Scrapes over which single steps are smoothed when looking for the beginning. */
const SMOOTH_SCRAPES = 4;
/** Ranks that have not come together for this long run apart. */
const DIVERGED_MS = 30_000;
/** More than the ranks of a busy engine lie apart within one scrape. */
const LARGE_SPREAD = 20;

/** Where a request that a client has open does not run yet. */
const WAITING = ['decode.prealloc', 'decode.transfer', 'decode.waiting'] as const;

export interface Zombies {
  readonly engine: EngineMoment;
  /** Requests that decode for nobody. */
  readonly count: number;
  readonly sinceMs: number;
  /** Tokens decoded in the last minute, and how many of them reached a client; `undefined` where that is not counted. */
  readonly heard: { readonly tokens: number; readonly streamed: number } | undefined;
}

/**
 * "Decode makes tokens that reach no client", for a minute, at least as many as one request would. Where some requests are
 * not streamed, or more clients leave than before, tokens come in pieces or, after an abort, never: there decode must also
 * run more requests than clients have open, and keep back more than such pieces. Where it is not counted what is heard,
 * nobody may have one open at all.
 */
export function zombies(moment: Moment): Zombies | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => (countsHeard(e) ? zombiesOf(e) : unattendedOf(e)) ?? [])
    .sort((a, b) => b.count - a.count)[0];
}

function zombiesOf(e: EngineMoment): Zombies | undefined {
  const from = indexAt(e.engine.timesMs, e.lastSampleMs - ZOMBIE_MS);
  if (e.state !== 'live' || from < 0 || unheardPerStep(e, from, e.index) < ZOMBIE_PER_STEP) {
    return undefined;
  }
  const first = firstUnheard(e);
  const sinceMs = e.engine.timesMs[first] ?? e.lastSampleMs;
  const isStreamed = isStreamedBefore(e, first) && leaveAsBefore(e, first) && !isRunForClients(e, first);
  return e.lastSampleMs - sinceMs >= ZOMBIE_MS / 2 && (isStreamed || (isBeyondOpen(e) && isBeyondPieces(e, from)))
    ? {
        engine: e,
        count: Math.round(unheardPerStep(e, from, e.index)),
        sinceMs,
        heard: { tokens: riseOver(e, 'tokens.decode', from, e.index), streamed: heardOver(e, from, e.index) },
      }
    : undefined;
}

const countsHeard = ({ engine }: EngineMoment): boolean =>
  (['tokens.decode', 'passes.decode', 'tokens.streamed'] as const).every((id) => engine.rises.has(id));

/** Steps in every scrape of a minute in which nobody has had a request open. */
function unattendedOf(e: EngineMoment): Zombies | undefined {
  const { engine, index } = e;
  const steps = decodeSteps(engine);
  const open = engine.columns.get('http.active');
  const isUnattended = (i: number): boolean => (steps[i] ?? 0) > 0 && openToTheEnd(engine, i) === 0;
  const first = lastIndex(index, (i) => i === 0 || !isUnattended(i) || open?.[i - 1] !== 0);
  const sinceMs = engine.timesMs[first] ?? e.lastSampleMs;
  return e.state === 'live' && e.lastSampleMs - sinceMs >= ZOMBIE_MS
    ? {
        engine: e,
        count: Math.max(1, engine.columns.get('gauge.running')?.[index] ?? 0),
        sinceMs,
        heard: undefined,
      }
    : undefined;
}

/** Looking back, the last scrape up to which tokens were heard: smoothed, then scrape by scrape. */
function firstUnheard(e: EngineMoment): number {
  const isUnheard = (from: number, to: number): boolean => unheardPerStep(e, from, to) >= ZOMBIE_PER_STEP / 2;
  const smoothed = lastIndex(e.index, (i) => i === 0 || !isUnheard(Math.max(0, i - SMOOTH_SCRAPES), i));
  return lastIndex(smoothed, (i) => i === 0 || !isUnheard(i - 1, i));
}

/** Before that, tokens were heard as they were made, scrape by scrape: answers are streamed here. */
function isStreamedBefore(e: EngineMoment, first: number): boolean {
  const from = Math.max(0, indexAt(e.engine.timesMs, (e.engine.timesMs[first] ?? 0) - STREAMED_MS));
  const tokens = riseOver(e, 'tokens.decode', from, first);
  const apart = Array.from({ length: first - from }, (_, k) =>
    Math.abs(riseOver(e, 'tokens.decode', from + k, from + k + 1) - heardOver(e, from + k, from + k + 1))
  );
  return tokens >= STREAMED_TOKENS && sum(apart) <= tokens * (1 - STREAMED_SHARE);
}

/**
 * Clients leave about as often as before. The tokens of an answer that is not streamed are lost with its client, so where
 * more of them leave, tokens that nobody hears prove nothing.
 */
function leaveAsBefore(e: EngineMoment, first: number): boolean {
  const indexAgo = (ms: number, at: number): number =>
    Math.max(0, indexAt(e.engine.timesMs, (e.engine.timesMs[at] ?? 0) - ms));
  const before = riseOver(e, 'requests.aborted', indexAgo(STREAMED_MS, first), first);
  const lately = riseOver(e, 'requests.aborted', indexAgo(ZOMBIE_MS, e.index), e.index);
  return lately <= FEW_ABORTS + (OFTEN * before * ZOMBIE_MS) / STREAMED_MS;
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
  const usual = mean(open);
  const spread = Math.sqrt(mean(open.map((n) => (n - usual) ** 2)));
  const byChance = (CHANCE_SPREADS * spread) / Math.sqrt(open.length);
  return from >= 0 && meanRunning(e, from) - usual >= Math.max(ZOMBIE_PER_STEP, byChance);
}

/** Requests that ran on average: tokens, each as long as the shortest step, so that pauses between steps do not count. */
function meanRunning(e: EngineMoment, from: number): number {
  const { timesMs } = e.engine;
  const spanMs = (a: number, b: number): number => (timesMs[b] ?? 0) - (timesMs[a] ?? 0);
  const stepsMs = Array.from({ length: e.index }, (_, i) => spanMs(i, i + 1) / riseOver(e, 'passes.decode', i, i + 1));
  return (riseOver(e, 'tokens.decode', from, e.index) * Math.min(...stepsMs)) / spanMs(from, e.index);
}

/**
 * As many requests run as clients have open beyond the queues, and what these do not hear yet comes in pieces. Zombies
 * make a token each with every step.
 */
function isRunForClients(e: EngineMoment, first: number): boolean {
  const since = Array.from({ length: e.index - first }, (_, k) => first + 1 + k);
  const unheard = since.map((i) => unheardPerStep(e, i - 1, i));
  const usual = mean(unheard);
  const isSteady = mean(unheard.map((n) => Math.abs(n - usual))) <= usual * STEADY;
  return knowsOpen(e) && !isSteady && mean(since.map((i) => runBeyondOpen(e, i))) < usual / 2;
}

function runBeyondOpen({ engine }: EngineMoment, i: number): number {
  const waiting = sum(WAITING.map((stage) => trackOf(engine, stage)?.balance[i] ?? 0));
  const at = (id: AnySignalId): number => engine.columns.get(id)?.[i] ?? 0;
  return at('gauge.running') - Math.max(0, at('http.active') - waiting);
}

const mean = (list: readonly number[]): number => sum(list) / list.length;

/** More is not heard than answers that are not streamed may keep back, of clients that have come, left, or wait. */
function isBeyondPieces(e: EngineMoment, from: number): boolean {
  const latest = (id: AnySignalId): number => e.engine.columns.get(id)?.[e.index] ?? 0;
  const waiting = Math.max(latest('gauge.running'), latest('http.active'));
  const kept = riseOver(e, 'tokens.first', from, e.index) + riseOver(e, 'requests.aborted', from, e.index) + waiting;
  const unheard = riseOver(e, 'tokens.decode', from, e.index) - heardOver(e, from, e.index);
  return unheard - kept * PIECE_TOKENS >= ZOMBIE_PER_STEP * riseOver(e, 'passes.decode', from, e.index);
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
  sumAfter(engine.rises.get(id), from, to);

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
  const first = lastIndex(e.index, (i) => i === 0 || spread(i - 1) === 0 || spread(i - 1) > spread(i));
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
