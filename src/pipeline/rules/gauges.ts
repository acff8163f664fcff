import { isReport } from '../departures';
import { lastRiseMs, serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageId } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { countsFailures, givenUpOn, givenUpSince, isPersistent, takenOut, type GivenUp } from './givenUp';
import { lastCounted, lastIndex } from '../series';
import { trackOf } from '../stalls';

/**
 * Rules for SGLang before 0.5.3, which counts no stages: gauges, finished requests, and those that were given up are all
 * there is.
 */

/** Twice SGLang's idle refresh: an engine that is idle has pushed zeros by then. */
const SILENT_MS = 60_000;
/** The idle refresh: a living engine has shown a sign within this time, as far as the refresh changes anything. */
const REFRESH_MS = 30_000;
/** Aborts are absorbed within seconds. */
const ABSORBED_MS = 15_000;

export interface Silence {
  readonly engine: EngineMoment;
  /** When it last delivered anything. */
  readonly sinceMs: number;
  /** From when on signs count: the same, or the restart of the only prefill engine, with which everything began anew. */
  readonly fromMs: number;
  /** Its gauges still show the report of a running batch: it is not idle, or its loop stands. */
  readonly isFrozen: boolean;
}

/**
 * "Nothing has been delivered for a minute, although decode's gauges still show a running batch (an idle engine pushes
 * zeros within half a minute), or clients give up again and again." First the one that takes none of them out, then the
 * one on which most gave up.
 */
export function silentDecode(moment: Moment): Silence | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => silenceOf(e, moment) ?? [])
    .map((silence) => ({
      silence,
      isDeaf: countsFailures(moment) && isUnheeded(silence.engine, silence.fromMs, moment),
      asked: demandSince(silence.engine, silence.fromMs, moment).aborted,
    }))
    .sort((a, b) => Number(b.isDeaf) - Number(a.isDeaf) || b.asked - a.asked)[0]?.silence;
}

const HEARD = ['tokens.streamed', 'tokens.first'] as const satisfies readonly AnySignalId[];

/** When a client last got anything; requests that failed are counted as finished, too, and do not count here. */
export const lastHeardMs = (e: EngineMoment): number =>
  Math.max(lastSignMs(e, HEARD), lastDepartureMs(e, 'decode.running'));

function silenceOf(e: EngineMoment, moment: Moment): Silence | undefined {
  const sinceMs = lastHeardMs(e);
  const [prefill, ...more] = serversOf(moment, 'prefill');
  const fromMs = Math.max(sinceMs, prefill && more.length === 0 ? lastRestartMs(prefill) : 0);
  if (e.state !== 'live' || e.lastSampleMs - fromMs < SILENT_MS) {
    return undefined;
  }
  const isFrozen = e.lastSampleMs - lastPushMs(e) >= SILENT_MS && isReport(e.engine, e.index);
  const isStanding = isFrozen || isPersistent(demandSince(e, fromMs, moment));
  return isStanding ? { engine: e, sinceMs, fromMs, isFrozen } : undefined;
}

/** Clients that gave up on it; on the only decode engine whoever gave up on prefill waited for it as well. */
function demandSince(e: EngineMoment, fromMs: number, moment: Moment): GivenUp {
  const own = givenUpSince(e, fromMs);
  return own.aborted > 0 || serversOf(moment, 'decode').length > 1 ? own : givenUpOn(moment, 'prefill', fromMs);
}

/** Last rise of one of these counters; where none was seen, when the process was new or the range began. */
const lastSignMs = (e: EngineMoment, ids: readonly AnySignalId[]): number =>
  Math.max(lastRestartMs(e), ...ids.map((id) => lastRiseMs(e.engine, id, e.index) ?? 0));

const lastDepartureMs = ({ engine, index }: EngineMoment, stage: StageId): number =>
  engine.timesMs[lastCounted(trackOf(engine, stage)?.departures, index)] ?? 0;

const lastRestartMs = ({ engine, index }: EngineMoment): number =>
  engine.timesMs[Math.max(0, ...engine.restarts.filter((r) => r <= index))] ?? 0;

/** When a gauge last changed; the beginning of the range where none did. */
const lastPushMs = ({ engine, index }: EngineMoment): number =>
  engine.timesMs[lastIndex(index, (i) => i === 0 || engine.pushed[i] === true)] ?? 0;

const TAKEN_OUT = ['bootstrap.failed', 'transfer.failed'] as const;

/** Last sign of life of a prefill engine: a batch or an idle refresh, a transfer, a request that was taken out. */
const prefillSignMs = (e: EngineMoment): number =>
  Math.max(lastSignMs(e, TAKEN_OUT), lastDepartureMs(e, 'prefill.inflight'), lastPushMs(e));

/** "A prefill engine has just shown a sign of life, or has taken out all who gave up on it since." */
export function isPrefillAlive(e: EngineMoment, fromMs: number, { intervalMs }: Moment): boolean {
  const isNew = e.lastSampleMs - prefillSignMs(e) < Math.max(REFRESH_MS, 2 * intervalMs);
  const lastMs = (...ids: AnySignalId[]): number =>
    Math.max(...ids.map((id) => lastRiseMs(e.engine, id, e.index) ?? 0));
  const takenMs = lastMs(...TAKEN_OUT);
  return isNew || (takenMs > fromMs && takenMs >= lastMs('requests.aborted'));
}

export interface Deaf {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
}

/** "Clients give up on a prefill engine again and again, and for a minute it neither takes their requests out nor does anything else." */
export function deafPrefill(moment: Moment): Deaf | undefined {
  return serversOf(moment, 'prefill')
    .flatMap((e) => deafOf(e, moment) ?? [])
    .sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

function deafOf(e: EngineMoment, moment: Moment): Deaf | undefined {
  const sinceMs = prefillSignMs(e);
  const isLong = e.lastSampleMs - sinceMs >= SILENT_MS;
  return e.state === 'live' && isLong && countsFailures(moment) && isUnheeded(e, sinceMs, moment)
    ? { engine: e, sinceMs }
    : undefined;
}

/** Clients have given up again and again since then, the first of them long enough ago, and none of their requests was taken out. */
export function isUnheeded(e: EngineMoment, sinceMs: number, { intervalMs }: Moment): boolean {
  const fromMs = sinceMs + 1.5 * intervalMs;
  const givenUp = givenUpSince(e, fromMs);
  const aborts = e.engine.rises.get('requests.aborted') ?? [];
  const firstMs = e.engine.timesMs.find((t, i) => t > fromMs && (aborts[i] ?? 0) > 0) ?? Infinity;
  return isPersistent(givenUp) && takenOut(givenUp) === 0 && e.lastSampleMs - firstMs >= ABSORBED_MS;
}
