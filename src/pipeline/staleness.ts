import type { PipelineEvent, VerdictKind } from './model';
import { IDLE_REFRESH_MS } from './profiles/sglang';
import type { StaleGauge } from './rules/calm';
import { STAGE_NAMES } from './sentences';

/** Gauges that are pushed now and then, and contradict the counters again soon after, have been stale all along. */
const TRUE_AGAIN_MS = 120_000;

/** The gauges that contradicted the counters at one instant, widest gap first, and what was judged there. */
export interface StaleAt {
  readonly atMs: number;
  readonly stale: readonly StaleGauge[];
  readonly verdict: { readonly kind: VerdictKind };
}

/**
 * When the gauges of an engine went stale: at their last push, after which they contradict the counters for longer than
 * an idle engine would leave them. All gauges of an engine are pushed together, so the widest gap speaks for them. As
 * long as requests are served nobody is misled, and nothing is said.
 */
export function staleEvents(judged: readonly StaleAt[]): PipelineEvent[] {
  const lastSeenMs = new Map<string, number>();
  const toldMs = new Map<string, number>();
  return judged.flatMap(({ atMs, stale, verdict }) => {
    return (verdict.kind === 'healthy' ? [] : stale).flatMap((gauge): PipelineEvent[] => {
      const { trueAtMs, reading } = gauge;
      if (trueAtMs === undefined || atMs - trueAtMs <= IDLE_REFRESH_MS) {
        return [];
      }
      const { engine } = reading;
      const isNew = atMs - (lastSeenMs.get(engine) ?? -Infinity) > TRUE_AGAIN_MS && toldMs.get(engine) !== trueAtMs;
      lastSeenMs.set(engine, atMs);
      if (isNew) {
        toldMs.set(engine, trueAtMs);
      }
      return isNew ? [eventOf(gauge, trueAtMs)] : [];
    });
  });
}

function eventOf({ reading, gauge, implied }: StaleGauge, atMs: number): PipelineEvent {
  return {
    kind: 'gauge-stale',
    atMs,
    engine: reading.engine,
    stage: reading.stage,
    size: Math.abs(gauge - implied),
    text: `gauges of ${reading.engine} went stale: ${STAGE_NAMES[reading.stage]} reads ${gauge}, the counters say ${implied}`,
  };
}
