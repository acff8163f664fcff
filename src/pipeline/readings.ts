import type { TrackedEngine } from './fleet';
import { HOLE_INTERVALS } from './follower';
import type { EngineReading, StageReading, StageState, VersionRange } from './model';
import { countsStages, depthOf } from './occupancy';
import { metricName } from './profiles/sglang';
import { holds, wordRange } from './profiles/versions';
import { count, duration, STAGE_NAMES } from './sentences';
import { indexAt, sumAfter } from './series';
import { trackOf, type StageTrack } from './stalls';

/** A stage that handed something on within this time is drawn as flowing. */
export const FLOW_MEMORY_MS = 60_000;
/** Rates are taken over this trailing time. */
const RATE_MS = 60_000;

/** An instant, and how often engines are scraped then. */
export interface At {
  readonly atMs: number;
  readonly intervalMs: number;
}

/** An engine at one of its scrapes, and whether it is still seen. */
export interface EngineScrape {
  readonly engine: TrackedEngine;
  readonly index: number;
  readonly state: EngineReading['state'];
}

/** What a reading was read from: its engine, or one rank of it. */
export const unitOf = (engine: TrackedEngine, { rank }: StageReading): TrackedEngine =>
  engine.ranks.find((one) => one.id === rank) ?? engine;

export const readFrom = ({ engine }: Pick<EngineScrape, 'engine'>, reading: StageReading): StageTrack | undefined =>
  trackOf(unitOf(engine, reading), reading.stage);

/** Every stage of an engine; one that stands on a single data-parallel rank says so, and keeps the depth of all ranks. */
export function readStages(scrape: EngineScrape, at: At): StageReading[] {
  const { engine, index } = scrape;
  const frame = { ...scrape, at, lastMoveMs: engine.lastMoveMs[index], quiet: isQuiet(engine, index) };
  const ofRanks = engine.ranks.flatMap((rank) =>
    readStages({ ...scrape, engine: rank }, at)
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

interface StageFrame extends EngineScrape {
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
