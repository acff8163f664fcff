import type { TrackedEngine } from './fleet';
import type { StageReading } from './model';
import type { EngineMoment } from './moment';
import { indexAt } from './series';

/**
 * Decode counts a request into its transfer stage when it has sent the metadata, before prefill computes it. So a
 * request may stand there for a minute of chunked prefill and nothing is wrong with the transfer. A stall of the
 * transfer is believed when prefill itself holds computed requests of which none concludes, or when, twice in a row
 * since it began, decode held more requests than all of prefill's stages before that could account for; where
 * prefill is not seen, it is believed as it is.
 */
export function withPrefillWaits(engines: readonly EngineMoment[]): EngineMoment[] {
  const prefill = engines.filter((e) => e.engine.role === 'prefill' && e.state === 'live');
  return engines.map((e) => ({ ...e, readings: e.readings.map((r) => settle(r, e, prefill)) }));
}

function settle(r: StageReading, decode: EngineMoment, prefill: readonly EngineMoment[]): StageReading {
  if (r.stage !== 'decode.transfer' || r.state !== 'stalled' || r.stalledSinceMs === undefined) {
    return r;
  }
  const isKnown = prefill.length > 0 && prefill.every((p) => notYetComputed(p.engine, p.index) !== undefined);
  const isSeenByPrefill = prefill.some((p) =>
    p.readings.some((own) => own.stage === 'prefill.inflight' && own.state === 'stalled')
  );
  return !isKnown || isSeenByPrefill || holdsComputed(decode, r.stalledSinceMs, prefill)
    ? r
    : { ...r, state: 'flowing', reason: 'Waits for prefill to compute.' };
}

/** Two scrapes in a row in which decode held more than prefill had still to compute. */
function holdsComputed({ engine, index }: EngineMoment, sinceMs: number, prefill: readonly EngineMoment[]): boolean {
  const held = engine.stages.find((t) => t.flow.stage === 'decode.transfer')?.balance ?? [];
  let inRow = 0;
  for (let i = index; i >= 0 && (engine.timesMs[i] ?? 0) >= sinceMs; i -= 1) {
    const atMs = engine.timesMs[i] ?? 0;
    const pending = prefill.reduce((sum, p) => sum + pendingAround(p.engine, atMs), 0);
    inRow = (held[i] ?? 0) > pending ? inRow + 1 : 0;
    if (inRow === 2) {
      return true;
    }
  }
  return false;
}

/** The two sides are scraped at different instants: the larger of the two scrapes around counts. */
function pendingAround(engine: TrackedEngine, atMs: number): number {
  const i = indexAt(engine.timesMs, atMs);
  return Math.max(notYetComputed(engine, i) ?? 0, notYetComputed(engine, i - 1) ?? 0);
}

/**
 * Requests of a prefill engine that wait for compute or are in it. Decode's metadata may have come for one that still
 * stands in the bootstrap queue, because prefill looks there between two chunks only.
 */
function notYetComputed(engine: TrackedEngine, index: number): number | undefined {
  const depths = engine.stages.filter((t) => t.flow.stage !== 'prefill.inflight').map((t) => t.atMost[index]);
  return depths.some((d) => d !== undefined) ? depths.reduce<number>((sum, d) => sum + (d ?? 0), 0) : undefined;
}
