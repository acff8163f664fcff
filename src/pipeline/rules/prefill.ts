import { prefillProbes } from '../departures';
import { readingOf, riseSince, serversOf, standsSinceMs, type EngineMoment, type Moment } from '../moment';
import type { TrackedEngine } from '../fleet';
import { countsStages } from '../occupancy';
import { once } from '../once';
import { holds } from '../profiles/versions';
import { indexAt } from '../series';
import type { StageId } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { askedSince, demandOn, firstAskedAfter } from '../demand';
import { loopMovedSince, type Wedge } from './decode';
import { leftSince, trackOf } from '../stalls';

/** So many probes tell their rhythm. */
const PROBES = 6;
/** Aborts that no loop heard; fewer may be those of requests that were just refused. */
const FEW_ABORTS = 3;
/** Requests that prefill dropped this lately may still stand on decode's side. */
const DROPPED_MS = 300_000;

/**
 * "A prefill engine takes HTTP requests, has been given something to compute, and its scheduler counts nothing at all,
 * while decode's loop lives": its loop stands. Without anything to compute it would be as silent, waiting for metadata.
 */
export const wedgedPrefill = once(
  (moment: Moment): Wedge | undefined =>
    serversOf(moment, 'prefill')
      .flatMap((e) => wedgeOf(e, moment) ?? [])
      .sort((a, b) => a.sinceMs - b.sinceMs)[0]
);

function wedgeOf(e: EngineMoment, moment: Moment): Wedge | undefined {
  const lastMoveMs = standsSinceMs(e);
  const isSure = e.state === 'live' && countsStages(e.engine) ? isStanding(e, lastMoveMs, moment) : undefined;
  return isSure === undefined
    ? undefined
    : {
        engine: e,
        sinceMs: lastMoveMs,
        untaken: askedSince(e, demandOn(e, moment), lastMoveMs),
        demand: demandOn(e, moment).source,
        isSure,
      };
}

/** A stage is called stalled after three scrapes. */
const SCRAPES = 3;
const FEW_COMPUTED = 2;

/**
 * It computed on for three scrapes and more while no transfer concluded, and holds what it has computed: then that fills its
 * KV room, and there is nothing that it could do. Only a heartbeat (SGLang 0.5.20) tells such a loop from one that stands.
 */
export function isFullOfTransfers({ engine: e, sinceMs }: Wedge, { engines, intervalMs }: Moment): boolean {
  const stalledMs = Math.min(
    ...engines.map((d) => readingOf(d, 'decode.transfer')?.stalledSinceMs ?? Infinity),
    readingOf(e, 'prefill.inflight')?.stalledSinceMs ?? Infinity
  );
  const holds = trackOf(e.engine, 'prefill.inflight')?.balance[e.index] ?? 0;
  return (
    !e.engine.columns.has('heartbeat') &&
    holds >= FEW_COMPUTED &&
    sinceMs - stalledMs >= SCRAPES * intervalMs &&
    leftSince(e, 'prefill.forward', stalledMs) >= FEW_COMPUTED
  );
}

/** Its loop stands: for sure, or what it counts may be lost before it; `undefined` where nothing shows that it does. */
function isStanding(e: EngineMoment, lastMoveMs: number, moment: Moment): boolean | undefined {
  // A request that came since also shows that the counters at rest are no old ones, repeated.
  const firstMs = firstAskedAfter(e, demandOn(e, moment), lastMoveMs);
  if (firstMs === undefined || !isLong(e, lastMoveMs, moment)) {
    return undefined;
  }
  if (e.engine.columns.has('heartbeat') && e.lastSampleMs - firstMs >= 2 * moment.intervalMs * 0.95) {
    return true;
  }
  if (!isDecodeAlive(moment, lastMoveMs)) {
    return undefined;
  }
  const isSure = isHolding(e, lastMoveMs) || isUnpolled(e, moment);
  const isLikely = isUnprobed(e, lastMoveMs) || isDeaf(e, lastMoveMs) || isOwedByAll(e, lastMoveMs, moment);
  return isSure || isLikely ? isSure : undefined;
}

const isDecodeAlive = (moment: Moment, sinceMs: number): boolean =>
  serversOf(moment, 'decode').some((d) => loopMovedSince(d, sinceMs, moment.intervalMs));

/** For longer than this engine usually takes for a batch. */
function isLong(e: EngineMoment, lastMoveMs: number, { intervalMs }: Moment): boolean {
  const windowMs = readingOf(e, 'prefill.forward')?.windowMs ?? Infinity;
  return e.lastSampleMs - lastMoveMs >= windowMs - 1.05 * intervalMs;
}

/** It held what only its own loop can take further: to compute, or to conclude. */
function isHolding(e: EngineMoment, lastMoveMs: number): boolean {
  const at = indexAt(e.engine.timesMs, lastMoveMs);
  return e.engine.stages.some((t) => t.flow.stage !== 'prefill.bootstrap' && (t.balance[at] ?? 0) > (t.floor[at] ?? 0));
}

/** Health probes had passed it all the time, and now none does. */
function isUnprobed(e: EngineMoment, lastMoveMs: number): boolean {
  const { engine, index } = e;
  const at = indexAt(engine.timesMs, lastMoveMs);
  const probed = prefillProbes(engine)
    .slice(0, at + 1)
    .flatMap((n, i) => (n > 0 ? [engine.timesMs[i] ?? 0] : []));
  const gapsMs = probed.slice(-PROBES).map((t, i, list) => t - (list[i - 1] ?? Infinity));
  return probed.length >= PROBES && (engine.timesMs[index] ?? 0) - lastMoveMs > 2 * Math.max(...gapsMs.slice(1));
}

/**
 * Clients have given up, more than can have been in or before compute: the others stood in the bootstrap queue, where a
 * loop that turns counts them as failed within a second.
 */
function isDeaf(e: EngineMoment, lastMoveMs: number): boolean {
  const at = indexAt(e.engine.timesMs, lastMoveMs);
  const uncounted = atMost(e, 'prefill.waiting', at) + atMost(e, 'prefill.forward', at);
  const aborted = riseSince(e.engine, 'requests.aborted', lastMoveMs, e.index - 1) ?? 0;
  return aborted - uncounted >= FEW_ABORTS;
}

/** Computed requests stand there of which the only decode engine holds fewer: it has concluded the others. */
function isUnpolled(e: EngineMoment, moment: Moment): boolean {
  const [decode, ...more] = serversOf(moment, 'decode');
  const inflight = trackOf(e.engine, 'prefill.inflight')?.balance[e.index] ?? 0;
  return decode !== undefined && more.length === 0 && atMost(decode, 'decode.transfer', decode.index) < inflight;
}

/**
 * Decode has sent metadata that this engine, the only one of its side, has not acted on. The two are scraped at different
 * instants, so at two scrapes decode must hold more than prefill has in flight and has dropped without decode's knowing.
 * Where prefill has concluded transfers that decode has not, it is decode that does not see them.
 */
function isOwedByAll(e: EngineMoment, lastMoveMs: number, moment: Moment): boolean {
  const { engine, index } = e;
  const decode = serversOf(moment, 'decode').filter((d) => d.state === 'live');
  if (serversOf(moment, 'prefill').length > 1 || decode.length === 0) {
    return false;
  }
  const settledMs = lastMoveMs + moment.intervalMs;
  const sent = decode.reduce((n, d) => n + leftSince(d, 'decode.prealloc', settledMs), 0);
  const from = indexAt(engine.timesMs, settledMs);
  const concluded = riseSince(engine, 'prefill.transferred', takenMs(decode) + moment.intervalMs / 2, index) ?? 0;
  const isOwed = (i: number): boolean => {
    const atMs = engine.timesMs[i] ?? 0;
    const held = decode.reduce((n, d) => n + atMost(d, 'decode.transfer', indexAt(d.engine.timesMs, atMs)), 0);
    return held > atMost(e, 'prefill.inflight', i) + droppedUnknown(e, decode, atMs);
  };
  return sent > 0 || (concluded === 0 && from <= index && [from - 1, from].every(isOwed));
}

/** Requests that prefill has dropped lately and decode has not. */
function droppedUnknown({ engine }: EngineMoment, decode: readonly EngineMoment[], atMs: number): number {
  const lately = (of: TrackedEngine, id: AnySignalId): number =>
    riseSince(of, id, atMs - DROPPED_MS, indexAt(of.timesMs, atMs)) ?? 0;
  const known = decode.reduce(
    (n, d) => n + lately(d.engine, 'transfer.failed') + lately(d.engine, 'bootstrap.failed'),
    0
  );
  return Math.max(0, lately(engine, 'requests.aborted') - known);
}

/** When decode last concluded a transfer: what prefill has concluded since may still stand there. */
const takenMs = (decode: readonly EngineMoment[]): number =>
  Math.min(...decode.map((d) => readingOf(d, 'decode.transfer')?.lastProgressMs ?? -Infinity));

const atMost = ({ engine }: EngineMoment, stage: StageId, index: number): number =>
  trackOf(engine, stage)?.atMost[index] ?? 0;

/**
 * "Prefill has as many requests before its compute as decode holds, beside those that wait at decode's door": decode has sent
 * its metadata, and prefill has not got it. Where a receiver is dead they were computed, so that they stand in flight, or
 * prefill is done with them. Requests in between are counted at most, or at least.
 */
export function waitsForMetadata(held: number, moment: Moment, inside: Bound): boolean {
  const prefill = serversOf(moment, 'prefill').filter((p) => p.state === 'live');
  const waiting = (back: number): number =>
    prefill.reduce((n, p) => n + (beforeCompute(p, Math.max(0, p.index - back), inside) ?? 0), 0);
  const atDoor = (back: number): number =>
    serversOf(moment, 'decode').reduce((n, d) => n + atMost(d, 'decode.prealloc', Math.max(0, d.index - back)), 0);
  return (
    prefill.length > 0 &&
    prefill.every((p) => beforeCompute(p, p.index, inside) !== undefined) &&
    held > 0 &&
    [0, 1].every((back) => waiting(back) - atDoor(back) >= held * MOST)
  );
}

type Bound = 'atMost' | 'balance';

/**
 * Requests in the bootstrap queue: counted up to 0.5.9, from 0.5.10 on what clients have open and no later stage holds;
 * `undefined` where neither tells.
 */
function beforeCompute({ engine, index }: EngineMoment, i: number, inside: Bound): number | undefined {
  const bootstrap = trackOf(engine, 'prefill.bootstrap');
  if (bootstrap?.flow.balance === 'absolute') {
    return bootstrap.balance[i];
  }
  const after = engine.stages.filter((t) => AFTER_BOOTSTRAP.has(t.flow.stage));
  const known = after.reduce((n, t) => n + (t[inside][i] ?? 0), 0);
  const open = holds(engine.releases[index], 'httpOpenUntilStreamEnds') === true && engine.columns.get('http.active');
  return open ? Math.max(0, (open[i] ?? 0) - known) : undefined;
}

const AFTER_BOOTSTRAP: ReadonlySet<StageId> = new Set(['prefill.waiting', 'prefill.forward', 'prefill.inflight']);
/** The two sides are scraped at different instants. */
const MOST = 0.8;
