import { processAt, type Fleet, type Pipeline, type TrackedEngine } from './fleet';
import { HOLE_INTERVALS } from './follower';
import type { EngineReading, Role, StageReading, StageState, VersionRange } from './model';
import { withPrefillWaits } from './handover';
import { countsStages, depthOf } from './occupancy';
import { metricName, type AnySignalId } from './profiles/sglang';
import { holds, wordRange } from './profiles/versions';
import { count, duration, STAGE_NAMES } from './sentences';
import { indexAt, lastCounted, quantile, sumAfter } from './series';
import { trackOf, type StageTrack } from './stalls';

/** Missing scrapes after which an engine counts as not seen. */
const MISSED_SCRAPES = 3;
/** A stage that handed something on within this time is drawn as flowing. */
export const FLOW_MEMORY_MS = 60_000;
/** Rates are taken over this trailing time. */
const RATE_MS = 60_000;

/** One engine at one instant. */
export interface EngineMoment {
  readonly engine: TrackedEngine;
  /** Newest scrape at or before the instant. */
  readonly index: number;
  readonly lastSampleMs: number;
  readonly state: EngineReading['state'];
  /** Last scrape in which any scheduler counter moved. */
  readonly lastMoveMs: number | undefined;
  readonly readings: readonly StageReading[];
}

export interface Moment {
  readonly atMs: number;
  readonly intervalMs: number;
  readonly pipeline: Pipeline;
  readonly engines: readonly EngineMoment[];
  /** Engines whose target is gone too, while others of their side go on: no part of the pipeline any more. */
  readonly removed: readonly EngineMoment[];
}

/** The engines of one side, or the routers. */
export const serversOf = (moment: Moment, role: Role): EngineMoment[] =>
  moment.engines.filter((e) => e.engine.role === role);

/** Looks at every engine of a pipeline as it was at one instant, each by itself. */
export function momentOf(usual: Pick<Fleet, 'intervalMs'>, pipeline: Pipeline, atMs: number): Moment {
  const present = pipeline.engines
    .map((engine) => ({ engine, index: indexAt(engine.timesMs, atMs) }))
    .filter(({ index }) => index >= 0);
  const late = present.map(({ engine, index }) => engine.intervalsMs[index]).filter((ms) => ms !== undefined);
  // Where targets are scraped at different intervals, what compares them waits for the slower ones.
  const intervalMs = quantile(late, 0.9) ?? usual.intervalMs;
  const ownMs = ({ engine, index }: { engine: TrackedEngine; index: number }): number =>
    Math.max(intervalMs, engine.intervalsMs[index] ?? 0);
  const lastMs = (p: { engine: TrackedEngine; index: number }): number => p.engine.timesMs[p.index] ?? 0;
  const isNew = (p: { engine: TrackedEngine; index: number }): boolean =>
    atMs - lastMs(p) <= MISSED_SCRAPES * ownMs(p) && failedScrapes(p.engine, lastMs(p), atMs) < MISSED_SCRAPES;
  // After a gap of Prometheus itself the targets come back one after the other.
  const othersReport = (p: { engine: TrackedEngine; index: number }): boolean =>
    present.some((q) => isNew(q) && q.index - indexAt(q.engine.timesMs, lastMs(p)) >= MISSED_SCRAPES);
  const isReplaced = (p: { engine: TrackedEngine; index: number }): boolean =>
    present.some((q) => q.engine.role === p.engine.role && (q.engine.timesMs[0] ?? 0) > lastMs(p) && isNew(q));
  const hasStandIn = (p: { engine: TrackedEngine }): boolean =>
    present.some((q) => q.engine.role === p.engine.role && isNew(q));
  const all = present.map((p) => {
    const state = isNew(p)
      ? 'live'
      : missingState(p.engine, atMs, ownMs(p), { othersReport: othersReport(p), isReplaced: isReplaced(p) });
    const shown = state === 'removed' ? 'lost' : state;
    const e = engineMoment(processAt(p.engine, p.index), p.index, shown, { atMs, intervalMs });
    return { e, isRemoved: state === 'removed' && hasStandIn(p) };
  });
  const each = all.filter(({ isRemoved }) => !isRemoved).map(({ e }) => e);
  const removed = all.filter(({ isRemoved }) => isRemoved).map(({ e }) => e);
  const engines = each.map((e) => (isProvenAlive(e, each, intervalMs) ? unseen(e) : e));
  return { atMs, intervalMs, pipeline, engines: withPrefillWaits(engines, intervalMs), removed };
}

/**
 * The only engine of its side is silent, but the other side still concludes KV transfers, which need both ends: its
 * scrape fails, not the engine.
 */
function isProvenAlive(e: EngineMoment, all: readonly EngineMoment[], intervalMs: number): boolean {
  const isOnly = all.filter((o) => o.engine.role === e.engine.role).length === 1;
  return e.state === 'lost' && isOnly && all.some((o) => o.state === 'live' && isServed(o, e, intervalMs));
}

/** Requests between two proofs that may fail to come by chance. */
const BY_CHANCE = 4;
/** The traffic before the silence is taken over this time. */
const BEFORE_MS = 300_000;

/**
 * The other side has been served since, and lately, at the pace that it was served at before. A first token on decode
 * needs prefill and is never a probe's; a transfer that prefill counts needs decode.
 */
function isServed({ engine, index, lastSampleMs }: EngineMoment, by: EngineMoment, intervalMs: number): boolean {
  const id = by.engine.role === 'decode' ? 'kv.transfers' : 'tokens.first';
  const track = trackOf(engine, by.engine.role === 'decode' ? 'prefill.inflight' : 'decode.transfer');
  const served = engine.rises.get(id) ?? track?.departures;
  const lastMs = engine.timesMs[lastCounted(served, index)] ?? -Infinity;
  const before = indexAt(engine.timesMs, by.lastSampleMs);
  const perMs = sumAfter(served, indexAt(engine.timesMs, by.lastSampleMs - BEFORE_MS), before) / BEFORE_MS;
  const patienceMs = Math.max(MISSED_SCRAPES * intervalMs, perMs > 0 ? BY_CHANCE / perMs : 0);
  return lastMs > by.lastSampleMs + 1.5 * intervalMs && lastSampleMs - lastMs <= patienceMs;
}

const unseen = (e: EngineMoment): EngineMoment => ({
  ...e,
  state: 'unscraped',
  readings: e.readings.map((r) => ({ ...r, state: 'unknown', reason: `${e.engine.id} is not scraped.` })),
});

/** Scrapes that Prometheus reports as failed since the last sample of an engine. */
const failedScrapes = ({ up }: TrackedEngine, lastSampleMs: number, atMs: number): number =>
  up?.values.slice(indexAt(up.timesMs, lastSampleMs) + 1, indexAt(up.timesMs, atMs) + 1).filter((v) => v === 0)
    .length ?? 0;

/** Why nothing has come from an engine for several scrapes. */
function missingState(
  engine: TrackedEngine,
  atMs: number,
  intervalMs: number,
  { othersReport, isReplaced }: { readonly othersReport: boolean; readonly isReplaced: boolean }
): 'lost' | 'unscraped' | 'removed' {
  const { up } = engine;
  if (!up) {
    return othersReport ? (isReplaced ? 'removed' : 'lost') : 'unscraped';
  }
  const at = indexAt(up.timesMs, atMs);
  const isRecent = atMs - (up.timesMs[at] ?? -Infinity) <= MISSED_SCRAPES * intervalMs;
  if (isRecent) {
    return up.values[at] === 0 ? 'lost' : 'unscraped';
  }
  return othersReport ? 'removed' : 'unscraped';
}

interface At {
  readonly atMs: number;
  readonly intervalMs: number;
}

function engineMoment(engine: TrackedEngine, index: number, state: EngineReading['state'], at: At): EngineMoment {
  const lastMoveMs = engine.lastMoveMs[index];
  return {
    engine,
    index,
    lastSampleMs: engine.timesMs[index] ?? at.atMs,
    state,
    lastMoveMs,
    readings: readStages(engine, index, state, at),
  };
}

/** Every stage of an engine; one that stands on a single data-parallel rank says so, and keeps the depth of all ranks. */
function readStages(engine: TrackedEngine, index: number, state: EngineReading['state'], at: At): StageReading[] {
  const frame = { engine, index, state, at, lastMoveMs: engine.lastMoveMs[index], quiet: isQuiet(engine, index) };
  const ofRanks = engine.ranks.flatMap((rank) =>
    readStages(rank, index, state, at)
      .filter((r) => r.state === 'stalled')
      .map((r) => ({ ...r, rank: rank.id }))
  );
  return engine.stages.map((track) => {
    const whole = readStage(frame, track);
    const standing = ofRanks
      .filter((r) => r.stage === whole.stage && whole.state !== 'stalled')
      .sort((a, b) => (a.stalledSinceMs ?? 0) - (b.stalledSinceMs ?? 0))[0];
    const { depth, arrivalsPerSec, departuresPerSec } = whole;
    return standing
      ? {
          ...standing,
          engine: engine.id,
          depth,
          arrivalsPerSec,
          departuresPerSec,
          reason: `dp_rank ${standing.rank}: ${standing.reason}`,
        }
      : whole;
  });
}

/** Since when the scheduler may have stood: its last move, or the beginning of the range where it has made none. */
export const standsSinceMs = ({ lastMoveMs, engine, lastSampleMs }: EngineMoment): number =>
  lastMoveMs ?? engine.timesMs[0] ?? lastSampleMs;

/** Last scrape at or before `index` in which a counter rose. */
export const lastRiseMs = (engine: TrackedEngine, id: AnySignalId, index: number): number | undefined =>
  engine.timesMs[lastCounted(engine.rises.get(id), index)];

/** Increase of a counter after `fromMs` (exclusive) up to scrape `index`; `undefined` when it was never seen. */
export function riseSince(engine: TrackedEngine, id: AnySignalId, fromMs: number, index: number): number | undefined {
  const rises = engine.rises.get(id);
  return rises && sumAfter(rises, indexAt(engine.timesMs, fromMs), index);
}

interface StageFrame {
  readonly engine: TrackedEngine;
  readonly index: number;
  readonly state: EngineReading['state'];
  readonly at: At;
  readonly lastMoveMs: number | undefined;
  readonly quiet: boolean;
}

/** No counter speaks of a request in any stage, and the HTTP server has none open. */
const isQuiet = (engine: TrackedEngine, index: number): boolean =>
  engine.stages.every((t) => (t.balance[index] ?? 0) === 0) && (engine.columns.get('http.active')?.[index] ?? 0) === 0;

function readStage(frame: StageFrame, track: StageTrack): StageReading {
  const { engine, index, at } = frame;
  const windowMs = track.windowMs[index] ?? 0;
  const lastProgressMs = track.lastProgressMs[index];
  const lastSampleMs = engine.timesMs[index] ?? at.atMs;
  const loopAlive = frame.lastMoveMs !== undefined && lastSampleMs - frame.lastMoveMs <= FLOW_MEMORY_MS;
  const resting = lastProgressMs === undefined || lastSampleMs - lastProgressMs > HOLE_INTERVALS * at.intervalMs;
  const isNone = track.flow.balance === 'none';
  const depth = depthOf({
    engine,
    flow: track.flow,
    index,
    balance: track.balance[index],
    gaugesTrueAtMs: engine.gaugesTrueAtMs[index],
    provablyEmpty: isNone && loopAlive && resting,
    quiet: frame.quiet,
  });
  const base = {
    stage: track.flow.stage,
    engine: engine.id,
    depth: frame.state === 'live' ? depth : { ...depth, source: 'none' as const, value: undefined },
    arrivalsPerSec: ratePerSec(engine, track.arrivals, index),
    departuresPerSec: ratePerSec(engine, track.departures, index),
    parkedSinceMs: track.parkedSinceMs[index],
    stalledSinceMs: track.stalledSinceMs[index],
    lastProgressMs,
    windowMs,
    completeness: completeness(engine, index, at, windowMs),
  };
  return { ...base, ...stateOf(frame, track, base) };
}

function stateOf(
  frame: StageFrame,
  track: StageTrack,
  base: Omit<StageReading, 'state' | 'reason'>
): { state: StageState; reason: string } {
  const { engine, index, at, state } = frame;
  if (state !== 'live') {
    const ago = duration(at.atMs - (engine.timesMs[index] ?? at.atMs));
    return state === 'lost'
      ? { state: 'lost', reason: `${engine.id} has not reported for ${ago}.` }
      : { state: 'unknown', reason: `No scrape of ${engine.id} for ${ago}.` };
  }
  const missing = missingProof(engine, track, index);
  if (missing) {
    return { state: 'unknown', reason: missing };
  }
  const stalledSince = track.stalledSinceMs[index];
  if (stalledSince !== undefined) {
    return { state: 'stalled', reason: `Nothing has left for ${duration(at.atMs - stalledSince)}.` };
  }
  const recent = base.lastProgressMs !== undefined && at.atMs - base.lastProgressMs <= FLOW_MEMORY_MS;
  if (recent) {
    return { state: 'flowing', reason: `Last progress ${duration(at.atMs - (base.lastProgressMs ?? at.atMs))} ago.` };
  }
  if (base.parkedSinceMs !== undefined) {
    return { state: 'flowing', reason: `A request has waited ${duration(at.atMs - base.parkedSinceMs)}.` };
  }
  return stateAtRest(base);
}

/** Of a router its open connections are known: they wait. */
function stateAtRest({ stage, depth }: Pick<StageReading, 'stage' | 'depth'>): { state: StageState; reason: string } {
  const open = stage === 'router' ? (depth.value ?? 0) : 0;
  return open > 0
    ? { state: 'flowing', reason: `${count(open, 'request')} open, none answered lately.` }
    : { state: 'idle', reason: `Nothing is in ${STAGE_NAMES[stage]}.` };
}

/** Names the metric without which this stage cannot be judged. */
function missingProof(engine: TrackedEngine, track: StageTrack, index: number): string | undefined {
  const { flow } = track;
  if (flow.role === 'router') {
    return engine.columns.size > 0 ? undefined : 'The router exports no request counters.';
  }
  if (countsStages(engine) && !track.isCounted) {
    return `No proof of progress: ${metricName(flow.exit)} or ${metricName(flow.entry ?? flow.exit)} was never seen, although later stages are counted.`;
  }
  if (engine.columns.has(flow.exit) || countsStages(engine)) {
    return undefined;
  }
  return `No proof of progress: sglang:per_stage_req_latency_seconds_count was never seen (${whoCounts(engine.releases[index])}).`;
}

/** Which release counts stages, and what is known of this one. */
function whoCounts(range: VersionRange | undefined): string {
  const own = wordRange(range ?? {});
  switch (holds(range, 'stageCounters')) {
    case true:
      return `this SGLang, ${own}, counts it with its first request`;
    case false:
      return `SGLang 0.5.3 or newer counts it, this one is ${own}`;
    case undefined:
      return 'SGLang 0.5.3 or newer counts it';
  }
}

function ratePerSec(engine: TrackedEngine, rises: readonly number[], index: number): number | undefined {
  const nowMs = engine.timesMs[index] ?? 0;
  const from = Math.max(0, indexAt(engine.timesMs, nowMs - RATE_MS));
  const spanMs = nowMs - (engine.timesMs[from] ?? nowMs);
  return spanMs > 0 ? (sumAfter(rises, from, index) * 1000) / spanMs : undefined;
}

function completeness(engine: TrackedEngine, index: number, at: At, windowMs: number): number {
  const expected = Math.max(1, Math.round(windowMs / at.intervalMs));
  const from = indexAt(engine.timesMs, at.atMs - windowMs - at.intervalMs / 2);
  return Math.min(1, (index - from) / expected);
}
