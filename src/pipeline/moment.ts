import { processAt, type Fleet, type Pipeline, type TrackedEngine } from './fleet';
import type { EngineReading, Role, StageId, StageReading } from './model';
import { withPrefillWaits } from './handover';
import type { AnySignalId } from './profiles/sglang';
import { readStages, type At, type EngineScrape } from './readings';
import { indexAt, lastCounted, quantile, sumAfter } from './series';
import { trackOf } from './stalls';

/** Missing scrapes after which an engine counts as not seen. */
const MISSED_SCRAPES = 3;

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

/** The engine of an id, as a verdict or a reading names it. */
export const engineOf = (moment: Moment, id: string | undefined): EngineMoment | undefined =>
  moment.engines.find((e) => e.engine.id === id);

/** A stage of an engine, where it has that stage. */
export const readingOf = ({ readings }: EngineMoment, stage: StageId): StageReading | undefined =>
  readings.find((r) => r.stage === stage);

/** An engine, and its newest scrape at or before an instant. */
interface Seen {
  readonly engine: TrackedEngine;
  readonly index: number;
}

/** Looks at every engine of a pipeline as it was at one instant, each by itself. */
export function momentOf(usual: Pick<Fleet, 'intervalMs'>, pipeline: Pipeline, atMs: number): Moment {
  const present = pipeline.engines
    .map((engine) => ({ engine, index: indexAt(engine.timesMs, atMs) }))
    .filter(({ index }) => index >= 0);
  const late = present.map(({ engine, index }) => engine.intervalsMs[index]).filter((ms) => ms !== undefined);
  // Where targets are scraped at different intervals, what compares them waits for the slower ones.
  const intervalMs = quantile(late, 0.9) ?? usual.intervalMs;
  const ownMs = ({ engine, index }: Seen): number => Math.max(intervalMs, engine.intervalsMs[index] ?? 0);
  const lastMs = (p: Seen): number => p.engine.timesMs[p.index] ?? 0;
  const isNew = (p: Seen): boolean =>
    atMs - lastMs(p) <= MISSED_SCRAPES * ownMs(p) && failedScrapes(p.engine, lastMs(p), atMs) < MISSED_SCRAPES;
  // After a gap of Prometheus itself the targets come back one after the other.
  const othersReport = (p: Seen): boolean =>
    present.some((q) => isNew(q) && q.index - indexAt(q.engine.timesMs, lastMs(p)) >= MISSED_SCRAPES);
  const isReplaced = (p: Seen): boolean =>
    present.some((q) => q.engine.role === p.engine.role && (q.engine.timesMs[0] ?? 0) > lastMs(p) && isNew(q));
  const hasStandIn = (p: Seen): boolean => present.some((q) => q.engine.role === p.engine.role && isNew(q));
  const all = present.map((p) => {
    const state = isNew(p)
      ? 'live'
      : missingState(
          p.engine,
          { atMs, intervalMs: ownMs(p) },
          { othersReport: othersReport(p), isReplaced: isReplaced(p) }
        );
    const engine = processAt(p.engine, p.index);
    const e = engineMoment(
      { engine, index: p.index, state: state === 'removed' ? 'lost' : state },
      { atMs, intervalMs }
    );
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
  { up }: TrackedEngine,
  { atMs, intervalMs }: At,
  { othersReport, isReplaced }: { readonly othersReport: boolean; readonly isReplaced: boolean }
): 'lost' | 'unscraped' | 'removed' {
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

function engineMoment(scrape: EngineScrape, at: At): EngineMoment {
  const { engine, index } = scrape;
  return {
    ...scrape,
    lastSampleMs: engine.timesMs[index] ?? at.atMs,
    lastMoveMs: engine.lastMoveMs[index],
    readings: readStages(scrape, at),
  };
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
