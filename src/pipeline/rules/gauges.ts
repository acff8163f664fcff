import { lastRiseMs, serversOf, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';

/** Rules for SGLang before 0.5.3, which counts no stages: gauges and finished requests are all there is. */

/** Twice SGLang's idle refresh: an engine that is idle has pushed zeros by then. */
const SILENT_MS = 60_000;

export interface Silence {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
  /** The gauge that stands above zero; absent where only clients giving up tell. */
  readonly gauge: { readonly id: AnySignalId; readonly value: number } | undefined;
  /** Prefill has worked meanwhile. */
  readonly isPrefillAlive: boolean;
}

const HELD = [
  'gauge.transfer',
  'gauge.prealloc',
  'gauge.waiting',
  'gauge.running',
] as const satisfies readonly AnySignalId[];

/**
 * "Decode's gauges have stood above zero for a minute and nothing finished": idle engines push zeros within half a
 * minute, so somebody is parked there. Or "clients give up again and again, and nothing has finished for a minute".
 */
export function silentDecode(moment: Moment): Silence | undefined {
  return serversOf(moment, 'decode').flatMap((e) => silenceOf(e, moment) ?? [])[0];
}

function silenceOf(e: EngineMoment, moment: Moment): Silence | undefined {
  const startMs = e.engine.timesMs[0] ?? 0;
  const lastMs = Math.max(
    ...(['requests.finished', 'tokens.streamed'] as const).map((id) => lastRiseMs(e.engine, id, e.index) ?? startMs)
  );
  const isLong = (fromMs: number): boolean => e.lastSampleMs - fromMs >= SILENT_MS;
  const gauge = isLong(Math.max(lastMs, lastPushMs(e) ?? startMs)) ? heldGauge(e) : undefined;
  const isGivenUp = isLong(lastMs) && gaveUpSince(e, lastMs) >= 2;
  return e.state === 'live' && (gauge !== undefined || isGivenUp)
    ? { engine: e, sinceMs: lastMs, gauge, isPrefillAlive: prefillAlive(moment, lastMs) }
    : undefined;
}

const heldGauge = ({ engine, index }: EngineMoment): Silence['gauge'] =>
  HELD.map((id) => ({ id, value: engine.columns.get(id)?.[index] ?? 0 })).find((g) => g.value > 0);

function lastPushMs({ engine, index }: EngineMoment): number | undefined {
  for (let i = index; i >= 0; i -= 1) {
    if (engine.pushed[i]) {
      return engine.timesMs[i];
    }
  }
  return undefined;
}

/** Scrapes since then in which clients gave up. */
function gaveUpSince({ engine, index }: EngineMoment, fromMs: number): number {
  const aborts = engine.rises.get('requests.aborted') ?? [];
  return engine.timesMs.filter((t, i) => i <= index && t > fromMs && (aborts[i] ?? 0) > 0).length;
}

const prefillAlive = (moment: Moment, fromMs: number): boolean =>
  serversOf(moment, 'prefill').some((e) => e.state === 'live' && (lastPushMs(e) ?? 0) > fromMs);
