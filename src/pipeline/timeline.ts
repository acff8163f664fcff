import { judge } from './evaluate';
import type { Fleet, Pipeline } from './fleet';
import type { Outage } from './follower';
import { momentOf, type Moment } from './moment';
import {
  STAGES,
  type PipelineEvent,
  type StageId,
  type StageSummary,
  type StateSpan,
  type Timeline,
  type VerdictSpan,
  type Words,
} from './model';
import { duration, UTC_WORDS } from './sentences';
import { SUBJECT, type Conclusion } from './conclusions/speech';
import { staleGauges } from './rules/calm';
import { staleEvents, type StaleAt } from './staleness';
import { recentOutage } from './verdict';

/** More instants than a strip has pixels tell nothing more. */
const MOST_INSTANTS = 720;

/**
 * The same judgement at every scrape of a range: spans of equal state per stage, spans of equal verdict, and events.
 * Each instant is judged by `evaluate`'s own code, so the strip can never contradict the picture above it.
 */
export function timeline(
  fleet: Fleet,
  pipelineId: string,
  range: { readonly fromMs: number; readonly toMs: number },
  words: Words = UTC_WORDS
): Timeline {
  const pipeline = fleet.pipelines.find((p) => p.id === pipelineId);
  if (!pipeline) {
    return { ...range, verdicts: [], stages: STAGES.map((stage) => ({ stage, spans: [] })), events: [] };
  }
  const instants = instantsOf(fleet, pipeline, range);
  const judged = instants.map((atMs): Judged => {
    const moment = momentOf(fleet, pipeline, atMs);
    const found = { outage: recentOutage(moment), lost: lostIn(moment), stale: staleGauges(moment) };
    return { atMs, ...judge(moment, words), ...found };
  });
  const endMs = range.toMs;
  return {
    ...range,
    verdicts: verdictSpans(judged, endMs),
    stages: STAGES.map((stage) => ({ stage, spans: stageSpans(judged, stage, endMs) })),
    events: eventsOf(pipeline, judged, range),
  };
}

const lostIn = (moment: Moment): ReadonlySet<string> =>
  new Set(moment.engines.filter((e) => e.state === 'lost').map((e) => e.engine.id));

interface Judged extends StaleAt {
  readonly verdict: Conclusion;
  readonly stages: readonly StageSummary[];
  readonly outage: Outage | undefined;
  readonly lost: ReadonlySet<string>;
}

/** The scrapes of the pipeline's busiest engine, continued at the same pace where they stop, thinned to a bound. */
function instantsOf(fleet: Fleet, pipeline: Pipeline, { fromMs, toMs }: { fromMs: number; toMs: number }): number[] {
  const starts = pipeline.engines.map((e) => e.timesMs[0]).filter((t) => t !== undefined);
  const firstMs = Math.max(fromMs, Math.min(...starts));
  const stepMs = Math.max(fleet.intervalMs, (toMs - firstMs) / MOST_INSTANTS);
  const steps = Math.floor((toMs - firstMs) / stepMs);
  return steps >= 0 ? Array.from({ length: steps + 1 }, (_, i) => firstMs + i * stepMs) : [];
}

function verdictSpans(judged: readonly Judged[], endMs: number): VerdictSpan[] {
  const isFault = (s: VerdictSpan): boolean => s.severity === 'critical';
  return backdated(judged, isFault, verdictsSaid(judged, endMs));
}

function verdictsSaid(judged: readonly Judged[], endMs: number): VerdictSpan[] {
  return spans(judged, endMs, ({ verdict }) => ({
    kind: verdict.kind,
    severity: verdict.severity,
    stage: verdict.stage,
  }));
}

function stageSpans(judged: readonly Judged[], stage: StageId, endMs: number): StateSpan[] {
  const at = STAGES.indexOf(stage);
  const said = spans(judged, endMs, ({ stages }) => ({
    state: stages[at]?.state ?? 'unknown',
    part: stages[at]?.part ?? 'none',
  }));
  return backdated(judged, (s: StateSpan) => s.part === 'culprit', said);
}

/** Since when the fault has been that is named at `atMs`; `undefined` where another one was named just before. */
function beganMs(judged: readonly Judged[], atMs: number): number | undefined {
  const at = judged.findIndex((j) => j.atMs === atMs);
  return judged[at - 1]?.verdict.severity === 'critical' ? undefined : judged[at]?.verdict.sinceMs;
}

/** A fault is named some scrapes after it began; looking back, it is drawn from the instant since which nothing moved. */
function backdated<T extends { readonly fromMs: number; readonly toMs: number }>(
  judged: readonly Judged[],
  isFault: (span: T) => boolean,
  said: readonly T[]
): T[] {
  const drawn: T[] = [];
  for (const span of said) {
    const before = drawn[drawn.length - 1];
    const sinceMs = isFault(span) && before && !isFault(before) ? beganMs(judged, span.fromMs) : undefined;
    if (sinceMs === undefined || sinceMs >= span.fromMs) {
      drawn.push(span);
      continue;
    }
    const kept = drawn.filter((d) => d.fromMs < sinceMs).map((d) => ({ ...d, toMs: Math.min(d.toMs, sinceMs) }));
    drawn.splice(0, drawn.length, ...kept, { ...span, fromMs: Math.max(sinceMs, judged[0]?.atMs ?? sinceMs) });
  }
  return drawn;
}

/** Joins neighbouring instants that say the same. */
function spans<T extends object>(
  judged: readonly Judged[],
  endMs: number,
  say: (j: Judged) => T
): Array<T & { fromMs: number; toMs: number }> {
  const joined: Array<T & { fromMs: number; toMs: number }> = [];
  judged.forEach((j, i) => {
    const said = say(j);
    const toMs = judged[i + 1]?.atMs ?? endMs;
    const last = joined[joined.length - 1];
    if (last && JSON.stringify(said) === JSON.stringify(say(judged[i - 1] ?? j))) {
      last.toMs = toMs;
    } else {
      joined.push({ ...said, fromMs: j.atMs, toMs });
    }
  });
  return joined;
}

function eventsOf(
  pipeline: Pipeline,
  judged: readonly Judged[],
  range: { fromMs: number; toMs: number }
): PipelineEvent[] {
  const inRange = (atMs: number): boolean => atMs >= range.fromMs && atMs <= range.toMs;
  const seen = [...stallStarts(judged), ...recoveries(judged), ...losses(pipeline, judged), ...staleEvents(judged)];
  return [...pipeline.events, ...seen].filter((e) => inRange(e.atMs)).sort((a, b) => a.atMs - b.atMs);
}

function stallStarts(judged: readonly Judged[]): PipelineEvent[] {
  const starts = judged.filter(
    ({ verdict }, i) => verdict.severity === 'critical' && judged[i - 1]?.verdict.severity !== 'critical'
  );
  return starts.map(({ verdict, atMs }) => ({
    kind: 'stall-start',
    atMs: verdict.sinceMs ?? atMs,
    engine: verdict.engine,
    stage: verdict.stage,
    text: SUBJECT[verdict.kind] ?? verdict.kind,
  }));
}

/** A fault ended in calm: the outage is the one that the calm verdict speaks of. */
function recoveries(judged: readonly Judged[]): PipelineEvent[] {
  const told = new Set<number>();
  return judged.flatMap(({ verdict, outage }): PipelineEvent[] => {
    if (!outage || verdict.severity === 'critical' || told.has(outage.endMs)) {
      return [];
    }
    told.add(outage.endMs);
    const size = outage.endMs - outage.sinceMs;
    return [{ kind: 'recovery', atMs: outage.endMs, size, text: `recovered after ${duration(size)}` }];
  });
}

/** Instants at which an engine stopped reporting, and at which it reported again. */
function losses(pipeline: Pipeline, judged: readonly Judged[]): PipelineEvent[] {
  let before: ReadonlySet<string> = new Set();
  return judged.flatMap(({ atMs, lost }) => {
    const changed = pipeline.engines.filter(({ id }) => lost.has(id) !== before.has(id));
    before = lost;
    return changed.map(({ id }): PipelineEvent => {
      const isLost = lost.has(id);
      return { kind: isLost ? 'lost' : 'back', atMs, engine: id, text: `${id} ${isLost ? 'lost' : 'is back'}` };
    });
  });
}
