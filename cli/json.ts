import {
  STAGES,
  type Hypothesis,
  type PipelineEvaluation,
  type PipelineEvent,
  type StageReading,
  type StageSummary,
  type Verdict,
} from '../src/pipeline';

/** One pipeline as it was judged, with what happened to it in the range. */
export interface Diagnosis {
  readonly evaluation: PipelineEvaluation;
  readonly events: readonly PipelineEvent[];
}

type Json = null | string | number | readonly Json[] | { readonly [key: string]: Json };

/** The diagnosis for machines: RFC 3339 in UTC, what is not known is null. */
export function renderJson(atMs: number, diagnoses: readonly Diagnosis[]): string {
  const value: Json = { at: instant(atMs), pipelines: diagnoses.map(encodePipeline) };
  return `${JSON.stringify(value, null, 2).replace(UNSAFE, escape)}\n`;
}

/** JSON lets these through as they are, and a terminal or a log viewer would obey them. */
const UNSAFE = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const escape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

function instant(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** Infinity and NaN would become null anyway; said here so that it is no accident. */
const number = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

function encodePipeline({ evaluation, events }: Diagnosis): Json {
  const { id, verdict, findings, hypotheses, stages, metrics } = evaluation;
  return {
    id,
    verdict: encodeVerdict(verdict),
    findings: findings.map(({ kind, stage, engine, sinceMs, headline }) => ({
      kind,
      stage: stage ?? null,
      engine: engine ?? null,
      since: instant(sinceMs),
      headline,
    })),
    hypotheses: hypotheses.map(encodeHypothesis),
    stages: perEngine(stages).map(encodeStage),
    events: events.map(encodeEvent),
    metrics: {
      seen: metrics.seen,
      missing: metrics.missing,
      notInRelease: metrics.notInRelease.map((m) => ({ ...m })),
    },
  };
}

function encodeVerdict(verdict: Verdict): Json {
  const { kind, stage, engine, sinceMs, completeness, headline, alternatives, trigger, remedy, recoverySign } = verdict;
  return {
    kind,
    stage: stage ?? null,
    engine: engine ?? null,
    since: instant(sinceMs),
    complete: number(completeness),
    headline,
    alternatives,
    trigger: trigger ? { kind: trigger.kind, at: instant(trigger.atMs), size: number(trigger.size) } : null,
    remedy: remedy ?? null,
    recoverySign: recoverySign ?? null,
    knownDefects: verdict.knownDefects.map(({ issue, text, fixedIn }) => ({ issue, text, fixedIn: fixedIn ?? null })),
  };
}

function encodeHypothesis({ kind, status, evidence }: Hypothesis): Json {
  return {
    kind,
    status,
    evidence: evidence.map(({ text, signal, engine, fromMs, toMs }) => ({
      text,
      signal,
      engine: engine ?? null,
      from: instant(fromMs),
      to: instant(toMs),
    })),
  };
}

/** In the order of flow, the worst engine of a stage first. */
function perEngine(summaries: readonly StageSummary[]): StageReading[] {
  return STAGES.flatMap((stage) => summaries.filter((s) => s.stage === stage).flatMap((s) => s.engines));
}

function encodeStage(reading: StageReading): Json {
  const { stage, engine, state, depth, arrivalsPerSec, departuresPerSec, parkedSinceMs, lastProgressMs } = reading;
  return {
    stage,
    engine,
    state,
    depth: number(depth.value),
    depthSource: depth.source,
    arrivalsPerSec: number(arrivalsPerSec),
    departuresPerSec: number(departuresPerSec),
    parkedSince: instant(parkedSinceMs),
    lastProgress: instant(lastProgressMs),
  };
}

function encodeEvent({ kind, atMs, engine, stage, size, text }: PipelineEvent): Json {
  return {
    kind,
    at: instant(atMs),
    engine: engine ?? null,
    stage: stage ?? null,
    size: number(size),
    text,
  };
}
