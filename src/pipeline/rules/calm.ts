import type { EngineMoment, Moment } from '../moment';
import type { StageReading } from '../model';
import { countsStages } from '../occupancy';
import { once } from '../once';
import type { AnySignalId } from '../profiles/sglang';
import { FLOW_MEMORY_MS } from '../readings';
import { sumAfter } from '../series';
import { trackOf } from '../stalls';

/** Rules about pipelines in which nothing is stuck. */

/** "Requests were delivered within the last minute": requests per second, or `undefined` when none was. */
export const deliveredPerSec = once((moment: Moment): number | undefined => {
  const delivered = moment.engines
    .filter((e) => e.state === 'live')
    .flatMap((e) => e.readings)
    .filter((r) => r.stage === 'decode.running' && (r.departuresPerSec ?? 0) > 0);
  return delivered.length > 0 ? delivered.reduce((sum, r) => sum + (r.departuresPerSec ?? 0), 0) : undefined;
});

export const readingsOf = (moment: Moment, stage: StageReading['stage']): StageReading[] =>
  moment.engines.flatMap((e) => e.readings.filter((r) => r.stage === stage));

/** "Some stage of an engine works on requests, or holds some." */
export const underWay = (moment: Moment): StageReading[] =>
  moment.engines.flatMap((e) => e.readings).filter((r) => r.stage !== 'router' && r.state === 'flowing');

/**
 * "A stage held requests when the range began and has handed none on since; some are still there, or have failed; nothing
 * was delivered lately": nothing proves that it works, and it is too early to call that a stall.
 */
export const unprovenStage = (moment: Moment): StageReading | undefined =>
  deliveredPerSec(moment) === undefined
    ? moment.engines.flatMap((e) => e.readings.filter((r) => e.state === 'live' && isUnproven(r, e)))[0]
    : undefined;

function isUnproven({ stage, lastProgressMs, depth }: StageReading, { engine, index }: EngineMoment): boolean {
  const track = trackOf(engine, stage);
  const failed = track?.flow.failed && sumAfter(engine.rises.get(track.flow.failed), 0, index);
  const isLeft = (depth.value ?? 0) > 0 || (failed ?? 0) > 0;
  return lastProgressMs === undefined && isLeft && (track?.balance[0] ?? 0) > 0;
}

/** Scrapes after which a request that stays where it is begins to tell something. */
const FEW_SCRAPES = 3;

/** "Requests come, no engine has handed one on yet, and there are two or three scrapes": nothing proves that it will. */
export function isUntried(moment: Moment): boolean {
  const servers = moment.engines.filter((e) => e.engine.role !== 'router');
  const isStill = servers.every((e) => e.readings.every((r) => r.lastProgressMs === undefined));
  return isStill && servers.every((e) => e.index < FEW_SCRAPES) && (underWay(moment).length > 0 || justAsked(moment));
}

/** "No request is in any stage, none is open, and decode has made no step for three scrapes." */
export function isResting(moment: Moment): boolean {
  return moment.engines.every((e) => {
    const isMoving = e.readings.some(
      (r) => r.lastProgressMs !== undefined && moment.atMs - r.lastProgressMs < 3 * moment.intervalMs
    );
    const isOpen = (e.engine.columns.get('http.active')?.[e.index] ?? 0) > 0;
    const isHolding = e.readings.some(
      (r) => r.stage !== 'router' && r.stage !== 'decode.running' && (r.depth.value ?? 0) > 0
    );
    return !isMoving && !isOpen && !isHolding;
  });
}

const DEMAND: readonly AnySignalId[] = ['http.requests', 'router.requests'];

/** "Nobody asks for anything": verified by a demand counter that stands still and by queues known to be empty. */
export function verifiedIdle(moment: Moment): boolean {
  const witnesses = moment.engines.filter((e) => e.state === 'live');
  const canSeeDemand = witnesses.some(
    (e) =>
      DEMAND.some((id) => e.engine.columns.has(id)) || e.engine.columns.has('http.active') || countsStages(e.engine)
  );
  const open = witnesses.some((e) => (e.engine.columns.get('http.active')?.[e.index] ?? 0) > 0);
  return canSeeDemand && askedSinceMs(moment) === undefined && !open && underWay(moment).length === 0;
}

/**
 * The first request of the last minute that came after all that the stages have handed on. The targets are scraped at
 * different instants: what one shows within a scrape of the last progress of another had come before it.
 */
function askedSinceMs(moment: Moment): number | undefined {
  const served = moment.engines.flatMap((e) => (e.engine.role === 'router' ? [] : e.readings));
  const servedMs = Math.max(...served.map((r) => r.lastProgressMs ?? -Infinity));
  const times = moment.engines
    .filter((e) => e.state === 'live')
    .flatMap(({ engine, index, lastSampleMs }) => {
      const fromMs = Math.max(lastSampleMs - FLOW_MEMORY_MS, servedMs + moment.intervalMs);
      const at = engine.timesMs.findIndex(
        (t, i) => t > fromMs && DEMAND.some((id) => (engine.rises.get(id)?.[i] ?? 0) > 0)
      );
      return at >= 0 && at <= index ? [engine.timesMs[at] ?? 0] : [];
    });
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** "The first request came just now": the next scrapes will show it in a stage. */
export function justAsked(moment: Moment): boolean {
  const sinceMs = askedSinceMs(moment);
  return sinceMs !== undefined && moment.atMs - sinceMs <= 2 * moment.intervalMs;
}

/** "A gauge says something that the counters contradict." */
export interface StaleGauge {
  readonly reading: StageReading;
  readonly gauge: number;
  readonly implied: number;
  readonly trueAtMs: number | undefined;
}

export const staleGauges = once((moment: Moment): readonly StaleGauge[] => {
  const all = moment.engines
    .filter((e) => e.state === 'live')
    .flatMap((e) => e.readings)
    .flatMap((reading): StaleGauge[] => {
      const { gauge, value, source } = reading.depth;
      const isContradiction =
        reading.stage !== 'router' &&
        !isReportArtefact(reading) &&
        !isMoreThanCounted(reading) &&
        gauge !== undefined &&
        !gauge.fresh &&
        source === 'balance' &&
        value !== undefined &&
        Math.abs(gauge.value - value) >= 1;
      return isContradiction ? [{ reading, gauge: gauge.value, implied: value, trueAtMs: gauge.trueAtMs }] : [];
    });
  return all.sort((a, b) => gap(b) - gap(a));
});

/** The prefill report counts its own batch as inflight, and that stands until the next report: no contradiction. */
const isReportArtefact = ({ stage, depth }: StageReading): boolean =>
  stage === 'prefill.inflight' && (depth.gauge?.value ?? 0) > (depth.value ?? 0);

/** Of the bootstrap queue only those are counted that came since the last one left: a gauge that says more may be right. */
const isMoreThanCounted = ({ stage, depth }: StageReading): boolean =>
  stage === 'prefill.bootstrap' && (depth.gauge?.value ?? 0) > (depth.value ?? 0);

/** Decode gauges mislead most: they come first, then the widest gap. */
const gap = (g: StaleGauge): number => Math.abs(g.gauge - g.implied) + (g.reading.stage.startsWith('decode') ? 1e6 : 0);
