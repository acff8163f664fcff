import type { Moment } from './moment';
import type { StageId, StageReading } from './model';
import { STAGE_NAMES } from './sentences';
import { flowOf, UPSTREAM_ORDER } from './stages';

/** The stages that wait, directly or through others, for `culprit` to take what they hand over. */
export function upstreamOf(culprit: StageId): ReadonlySet<StageId> {
  const waiting = new Set<StageId>();
  for (const stage of UPSTREAM_ORDER) {
    const { next } = flowOf(stage);
    if (next && (next === culprit || waiting.has(next))) {
      waiting.add(stage);
    }
  }
  return waiting;
}

/**
 * The culprit: walking from delivery upstream, the first stalled stage. What waits upstream of it is consequence. Among
 * engines of that stage the one that has been stalled longest.
 */
export function culpritOf(moment: Moment, isBroken: (r: StageReading) => boolean): StageReading | undefined {
  const broken = moment.engines.flatMap((e) => e.readings).filter(isBroken);
  for (const stage of UPSTREAM_ORDER) {
    const here = broken.filter((r) => r.stage === stage);
    const first = here.sort((a, b) => (a.lastProgressMs ?? 0) - (b.lastProgressMs ?? 0))[0];
    if (first) {
      return first;
    }
  }
  return undefined;
}

/**
 * Re-reads the stages around a culprit: upstream ones that hold requests and have handed nothing on since are blocked
 * by it, downstream ones of the same lane that get nothing are starved. Nothing else changes.
 */
export function withConsequences(
  readings: readonly StageReading[],
  culprit: { readonly stage: StageId; readonly engine: string; readonly sinceMs: number; readonly slackMs: number }
): StageReading[] {
  const upstream = upstreamOf(culprit.stage);
  const name = STAGE_NAMES[culprit.stage];
  return readings.map((r): StageReading => {
    if (r.state === 'lost' || r.state === 'unknown' || (r.stage === culprit.stage && r.engine === culprit.engine)) {
      return r;
    }
    const still = (r.lastProgressMs ?? -Infinity) <= culprit.sinceMs + culprit.slackMs;
    const holds = (r.depth.value ?? 0) > 0 || r.parkedSinceMs !== undefined;
    const asked = holds || (r.arrivalsPerSec ?? 0) > 0;
    if (upstream.has(r.stage) && (r.state === 'stalled' || (asked && still))) {
      return { ...r, state: 'blocked', waitingOn: culprit.stage, reason: `Waiting on ${name}.` };
    }
    const isDownstream = upstreamOf(r.stage).has(culprit.stage);
    if (isDownstream && r.state !== 'stalled' && still && !holds) {
      return { ...r, state: 'starved', reason: `Gets nothing from ${name}.` };
    }
    return r;
  });
}
