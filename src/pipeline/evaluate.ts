import { conclude } from './verdict';
import type { Conclusion } from './conclusions/speech';
import { knownDefectsOf } from './defects';
import { failsChecksSince } from './demand';
import { findingsOf } from './findings';
import type { Fleet, Pipeline } from './fleet';
import { hypothesesOf } from './hypotheses';
import { upstreamOf, withConsequences } from './links';
import { engineOf, momentOf, standsSinceMs, type EngineMoment, type Moment } from './moment';
import {
  STAGES,
  STAGE_STATES,
  type Depth,
  type EngineReading,
  type PipelineEvaluation,
  type StageId,
  type StagePart,
  type StageReading,
  type StageSummary,
  type Words,
} from './model';
import { failingCanary } from './rules/witnesses';
import { duration, UTC_WORDS } from './sentences';
import { sumKnown } from './series';
import { flowOf } from './stages';

/**
 * Judges every pipeline of a fleet as it was at one instant; pure, and blind to everything later than `atMs`.
 * Pipelines of which no engine had been seen by then are left out.
 */
export function evaluate(fleet: Fleet, atMs: number, words: Words = UTC_WORDS): PipelineEvaluation[] {
  return fleet.pipelines.flatMap((pipeline) => {
    const moment = momentOf(fleet, pipeline, atMs);
    return moment.engines.length > 0 ? [evaluatePipeline(pipeline, moment, words)] : [];
  });
}

/** The part of an evaluation that the timeline needs: verdict and stages. */
export function judge(moment: Moment, words: Words): { verdict: Conclusion; stages: StageSummary[] } {
  const verdict = conclude({ moment, words });
  const isFault = verdict.severity === 'critical' || verdict.severity === 'warning';
  const all = moment.engines.flatMap((e) => e.readings);
  const culprit = isFault && verdict.stage ? { stage: verdict.stage, engine: verdict.engine ?? '' } : undefined;
  const readings = culprit
    ? withConsequences(markStalled(all, verdict), {
        ...culprit,
        sinceMs: verdict.sinceMs ?? moment.atMs,
        slackMs: 1.5 * moment.intervalMs,
        isWhole: isWedge(verdict),
      })
    : all;
  return { verdict, stages: STAGES.map((stage) => summarize(stage, readings, culprit)) };
}

/** The loop of the whole engine stands, not a stage of it. */
const isWedge = ({ kind }: Conclusion): boolean => kind === 'decode-wedged' || kind === 'prefill-stalled';

/** A wedged engine is stalled at the named stage even where that stage by itself has no counter-backed demand, and so is a router. */
function markStalled(readings: readonly StageReading[], verdict: Conclusion): StageReading[] {
  const isMarked = isWedge(verdict) || verdict.kind === 'router-fault';
  return readings.map((r) =>
    isMarked && r.state !== 'stalled' && r.stage === verdict.stage && r.engine === verdict.engine
      ? { ...r, state: 'stalled', stalledSinceMs: verdict.sinceMs, reason: verdict.headline }
      : r
  );
}

function evaluatePipeline(pipeline: Pipeline, moment: Moment, words: Words): PipelineEvaluation {
  const { verdict, stages } = judge(moment, words);
  return {
    id: pipeline.id,
    atMs: moment.atMs,
    dataAsOfMs: newestSampleMs(moment),
    verdict: { ...verdict, knownDefects: knownDefectsOf(moment, verdict) },
    findings: findingsOf(
      { moment, words },
      verdict,
      stages.flatMap((s) => s.engines)
    ),
    hypotheses: hypothesesOf(moment, words, verdict),
    stages,
    engines: moment.engines.map((e) => engineReading(e, moment)),
    contradictions: contradictionsOf(moment, verdict, words),
    metrics: pipeline.metrics,
  };
}

/** Of the engines; of the router only where no engine is seen. */
function newestSampleMs(moment: Moment): number {
  const servers = moment.engines.filter((e) => e.engine.role !== 'router');
  return Math.max(...(servers.length > 0 ? servers : moment.engines).map((e) => e.lastSampleMs));
}

const severityOf = (r: StageReading): number => STAGE_STATES.indexOf(r.state);

function summarize(
  stage: StageId,
  readings: readonly StageReading[],
  culprit: { stage: StageId; engine: string } | undefined
): StageSummary {
  const engines = readings.filter((r) => r.stage === stage).sort((a, b) => severityOf(a) - severityOf(b));
  const [worst] = engines;
  const part = partOf(stage, engines, culprit);
  if (!worst) {
    const { role } = flowOf(stage);
    const reason = `No ${role} series in this time range.`;
    return {
      stage,
      engine: '',
      state: 'unknown',
      reason,
      depth: { source: 'none' },
      windowMs: 0,
      completeness: 0,
      part,
      engines,
    };
  }
  const telling = worst.state === 'stalled' ? [worst] : engines;
  return {
    ...worst,
    engine: '',
    depth: sumDepth(engines.map((r) => r.depth)),
    arrivalsPerSec: sumKnown(engines.map((r) => r.arrivalsPerSec)),
    departuresPerSec: sumKnown(engines.map((r) => r.departuresPerSec)),
    parkedSinceMs: extreme(
      Math.min,
      telling.map((r) => r.parkedSinceMs)
    ),
    lastProgressMs: extreme(
      Math.max,
      telling.map((r) => r.lastProgressMs)
    ),
    completeness: Math.min(...engines.map((r) => r.completeness)),
    part,
    engines,
  };
}

function partOf(
  stage: StageId,
  engines: readonly StageReading[],
  culprit: { stage: StageId; engine: string } | undefined
): StagePart {
  if (!culprit) {
    return 'none';
  }
  if (stage === culprit.stage) {
    return 'culprit';
  }
  const isAffected = engines.some((r) => r.state === 'blocked' || r.state === 'starved');
  return isAffected || (upstreamOf(culprit.stage).has(stage) && engines.some((r) => r.state === 'stalled'))
    ? 'consequence'
    : 'none';
}

function sumDepth(depths: readonly Depth[]): Depth {
  const gauges = depths.map((d) => d.gauge).filter((g) => g !== undefined);
  const gauge =
    gauges.length === 0
      ? undefined
      : {
          value: gauges.reduce((n, g) => n + g.value, 0),
          fresh: gauges.every((g) => g.fresh),
          trueAtMs: extreme(
            Math.min,
            gauges.map((g) => g.trueAtMs)
          ),
        };
  const value = sumKnown(depths.map((d) => d.value));
  const source = depths.some((d) => d.source === 'balance') ? 'balance' : value === undefined ? 'none' : 'gauge';
  return { source, value, gauge };
}

const known = (values: ReadonlyArray<number | undefined>): number[] => values.filter((v) => v !== undefined);

function extreme(pick: (...n: number[]) => number, values: ReadonlyArray<number | undefined>): number | undefined {
  const numbers = known(values);
  return numbers.length > 0 ? pick(...numbers) : undefined;
}

function engineReading(e: EngineMoment, moment: Moment): EngineReading {
  return {
    id: e.engine.id,
    role: e.engine.role ?? 'unified',
    state: e.state,
    lastSampleMs: e.lastSampleMs,
    lastProgressMs: e.lastMoveMs,
    healthy: healthOf(e, moment),
    releases: e.engine.releases[e.index],
  };
}

/** Its own health checks, the router's opinion of its workers where it tells, else whether the scrape succeeds. */
function healthOf(e: EngineMoment, moment: Moment): boolean | undefined {
  if (e.state !== 'live') {
    return e.state === 'lost' ? false : undefined;
  }
  if (failsChecksSince(e, standsSinceMs(e))) {
    return false;
  }
  const router = moment.engines.find((r) => r.engine.role === 'router' && r.state === 'live');
  const workers = router?.engine.columns.get('router.health')?.[router.index];
  return workers === undefined ? true : workers > 0;
}

/** Alive is not working: what says "fine" beside what says "no progress". */
function contradictionsOf(moment: Moment, verdict: Conclusion, words: Words): string[] {
  const asked = moment.engines.some((e) => e.engine.columns.has('router.health'));
  const fine = asked ? 'health ok' : 'target up';
  const engine = engineOf(moment, verdict.engine);
  const isStuck = verdict.severity === 'critical' && engine !== undefined && healthOf(engine, moment);
  const failing = failingCanary(moment);
  const isUp = moment.engines.every((e) => e.engine.role === 'router' || healthOf(e, moment));
  return [
    ...(isStuck && verdict.sinceMs !== undefined
      ? [`${fine}, yet no progress for ${duration(moment.atMs - verdict.sinceMs)}`]
      : []),
    ...(failing && isUp ? [`${fine}, yet the canary fails since ${words.time(failing.sinceMs)}`] : []),
  ];
}
