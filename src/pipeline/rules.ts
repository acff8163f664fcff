import { FLOW_MEMORY_MS, riseSince, type EngineMoment, type Moment } from './moment';
import type { StageReading } from './model';
import { countsStages } from './occupancy';
import type { AnySignalId } from './profiles/sglang';
import { indexAt } from './series';

/** Each rule is one sentence and one predicate over a moment. The order in which they are asked is in `verdict.ts`. */

const of = (moment: Moment, role: 'prefill' | 'decode' | 'router'): EngineMoment[] =>
  moment.engines.filter((e) => e.engine.role === role);

/** "No engine of the pipeline has been scraped lately." */
export const nothingScraped = (moment: Moment): boolean =>
  moment.engines.length > 0 && moment.engines.every((e) => e.engine.role === 'router' || e.state === 'unscraped');

/** "No server of either side is seen, at most a router." */
export const noEngines = (moment: Moment): boolean => moment.engines.every((e) => e.engine.role === 'router');

/** "Every engine of one side is gone, so nothing can be served." */
export function sideGone(moment: Moment): EngineMoment | undefined {
  for (const role of ['decode', 'prefill'] as const) {
    const pool = of(moment, role);
    if (pool.length > 0 && pool.every((e) => e.state === 'lost')) {
      return [...pool].sort((a, b) => a.lastSampleMs - b.lastSampleMs)[0];
    }
  }
  return undefined;
}

/** "Engines that are not seen now, although others are." */
export const missingEngines = (moment: Moment): EngineMoment[] =>
  moment.engines.filter((e) => e.engine.role !== 'router' && e.state !== 'live');

/**
 * "An engine vanished with requests inside, and the others feel it." A scrape that fails looks the same from within, but
 * then nobody else fails. One that had been drained before (a rolling restart, a smaller pool) is no fault.
 */
export const crashedEngine = (moment: Moment): EngineMoment | undefined =>
  missingEngines(moment).find((e) => e.state === 'lost' && heldRequests(e) && isMissed(e, moment));

function heldRequests({ engine, index }: EngineMoment): boolean {
  const isOpen = (id: AnySignalId): boolean => (engine.columns.get(id)?.[index] ?? 0) > 0;
  return engine.stages.some((t) => (t.balance[index] ?? 0) > 0) || isOpen('http.active') || isOpen('gauge.running');
}

/** Since the last sample requests have failed elsewhere without being aborted, or the router calls a worker unhealthy. */
function isMissed(lost: EngineMoment, moment: Moment): boolean {
  const sinceMs = lost.lastSampleMs - moment.intervalMs;
  return moment.engines.some(({ engine, index, state }) => {
    const rise = (id: AnySignalId): number => riseSince(engine, id, sinceMs, index) ?? 0;
    const health = engine.columns.get('router.health');
    const before = health?.[indexAt(engine.timesMs, sinceMs)];
    const isWorse = before !== undefined && (health?.[index] ?? before) < before;
    const failures = rise('transfer.failed') + rise('bootstrap.failed') - rise('requests.aborted');
    return state === 'live' && (isWorse || failures > 0);
  });
}

/** "An engine that had requests inside is not seen, and nothing tells whether it is down or only not scraped." */
export const unscrapedEngine = (moment: Moment): EngineMoment | undefined =>
  missingEngines(moment).find((e) => e.state === 'unscraped' || (e.state === 'lost' && heldRequests(e)));

/** "Only one side of the pair is seen." */
export function missingSide(moment: Moment): 'prefill' | 'decode' | undefined {
  const roles = new Set(moment.engines.map((e) => e.engine.role));
  return roles.has('prefill') === roles.has('decode') ? undefined : roles.has('prefill') ? 'decode' : 'prefill';
}

export interface Wedge {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
  /** Requests that reached the HTTP server and were never taken. */
  readonly untaken: number;
}

/**
 * "A decode engine answers scrapes and takes HTTP requests, but its scheduler counts nothing at all." The HTTP process
 * keeps counting while the scheduler's loop is blocked.
 */
export function wedgedDecode(moment: Moment): Wedge | undefined {
  const wedges = of(moment, 'decode').flatMap((e) => wedgeOf(e, moment.intervalMs) ?? []);
  return wedges.sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

function wedgeOf(e: EngineMoment, intervalMs: number): Wedge | undefined {
  const { engine, lastMoveMs } = e;
  const firstMs = lastMoveMs === undefined ? undefined : firstRequestAfter(e, lastMoveMs);
  const isUntaken = firstMs !== undefined && e.lastSampleMs - firstMs >= 2 * intervalMs * 0.95;
  if (e.state !== 'live' || lastMoveMs === undefined || !isUntaken || !countsStages(engine)) {
    return undefined;
  }
  const isHeld = e.readings.some((r) => r.parkedSinceMs !== undefined && r.parkedSinceMs <= lastMoveMs + intervalMs);
  const sinceMs = isHeld || firstMs - lastMoveMs <= 3 * intervalMs ? lastMoveMs : firstMs;
  return { engine: e, sinceMs, untaken: riseSince(engine, 'http.requests', lastMoveMs, e.index) ?? 0 };
}

/** The first scrape after `afterMs`, up to the moment, in which an HTTP request arrived. */
function firstRequestAfter({ engine, index }: EngineMoment, afterMs: number): number | undefined {
  const requests = engine.rises.get('http.requests') ?? [];
  const at = engine.timesMs.findIndex((t, i) => t > afterMs && (requests[i] ?? 0) > 0);
  return at >= 0 && at <= index ? engine.timesMs[at] : undefined;
}

/** "The loop still works: something moved after the stall began." Settles transfer-stalled against decode-wedged. */
export const loopMovedSince = (engine: EngineMoment | undefined, sinceMs: number, slackMs: number): boolean =>
  engine?.lastMoveMs !== undefined && engine.lastMoveMs > sinceMs + slackMs;

/** "A stage holds requests and hands none on." */
export const isStalled = (r: StageReading): boolean => r.state === 'stalled';

/** "Requests were delivered within the last minute": requests per second, or `undefined` when none was. */
export function deliveredPerSec(moment: Moment): number | undefined {
  const delivered = readingsOf(moment, 'decode.running').filter(
    (r) => (r.departuresPerSec ?? 0) > 0 && r.state !== 'unknown' && r.state !== 'lost'
  );
  return delivered.length > 0 ? delivered.reduce((sum, r) => sum + (r.departuresPerSec ?? 0), 0) : undefined;
}

export const readingsOf = (moment: Moment, stage: StageReading['stage']): StageReading[] =>
  moment.engines.flatMap((e) => e.readings.filter((r) => r.stage === stage));

/** "Some stage of an engine works on requests, or holds some." */
export const underWay = (moment: Moment): StageReading[] =>
  moment.engines.flatMap((e) => e.readings).filter((r) => r.stage !== 'router' && r.state === 'flowing');

const DEMAND: readonly AnySignalId[] = ['http.requests', 'router.requests'];

/** "Nobody asks for anything": verified by a demand counter that stands still and by queues known to be empty. */
export function verifiedIdle(moment: Moment): boolean {
  const witnesses = moment.engines.filter((e) => e.state === 'live');
  const canSeeDemand = witnesses.some(
    (e) =>
      DEMAND.some((id) => e.engine.columns.has(id)) || e.engine.columns.has('http.active') || countsStages(e.engine)
  );
  const asked = witnesses.some((e) =>
    DEMAND.some((id) => (riseSince(e.engine, id, e.lastSampleMs - FLOW_MEMORY_MS, e.index) ?? 0) > 0)
  );
  const open = witnesses.some((e) => (e.engine.columns.get('http.active')?.[e.index] ?? 0) > 0);
  return canSeeDemand && !asked && !open && underWay(moment).length === 0;
}

/** "A gauge says something that the counters contradict." */
export interface StaleGauge {
  readonly reading: StageReading;
  readonly gauge: number;
  readonly implied: number;
  readonly trueAtMs: number | undefined;
}

export function staleGauges(moment: Moment): StaleGauge[] {
  const all = moment.engines
    .filter((e) => e.state === 'live')
    .flatMap((e) => e.readings)
    .flatMap((reading): StaleGauge[] => {
      const { gauge, value, source } = reading.depth;
      const isContradiction =
        reading.stage !== 'router' &&
        !isReportArtefact(reading) &&
        gauge !== undefined &&
        !gauge.fresh &&
        source === 'balance' &&
        value !== undefined &&
        Math.abs(gauge.value - value) >= 1;
      return isContradiction ? [{ reading, gauge: gauge.value, implied: value, trueAtMs: gauge.trueAtMs }] : [];
    });
  return all.sort((a, b) => gap(b) - gap(a));
}

/** The prefill report counts its own batch as inflight, and that stands until the next report: no contradiction. */
const isReportArtefact = ({ stage, depth }: StageReading): boolean =>
  stage === 'prefill.inflight' && (depth.gauge?.value ?? 0) > (depth.value ?? 0);

/** Decode gauges mislead most: they come first, then the widest gap. */
const gap = (g: StaleGauge): number => Math.abs(g.gauge - g.implied) + (g.reading.stage.startsWith('decode') ? 1e6 : 0);
