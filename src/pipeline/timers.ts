import { burstsOf, type AbortBurst } from './events';
import type { TrackedEngine } from './fleet';
import type { PipelineEvent } from './model';
import type { AnySignalId } from './profiles/sglang';
import { count } from './sentences';
import { indexAt, lastWhere, spacingMs } from './series';

/** What stands in SGLang, in its routers and collectives, and what operators set instead. */
const TIMERS_MS = [120, 300, 600, 1200, 1800, 3600, 7200].map((seconds) => seconds * 1000);
/** A client that leaves is counted as an abort and as a failure: at most this share may be clients. */
const CLIENTS_SHARE = 0.5;
/** An engine that is replaced around failures is their cause. */
const REPLACED_SCRAPES = 4;

const FAILURES = ['bootstrap.failed', 'transfer.failed'] as const satisfies readonly AnySignalId[];

/** Failures of one kind on one engine, far more than usual. */
interface Failures {
  readonly engine: TrackedEngine;
  readonly id: (typeof FAILURES)[number];
  readonly burst: AbortBurst;
}

/** What may have started a timer, known to one scrape. */
interface Cause {
  readonly atMs: number;
  readonly words: string;
}

interface Expiry extends Failures {
  readonly timerMs: number;
  readonly cause: Cause;
}

/**
 * Requests that fail together exactly as long after something happened as a known timer takes: the failures are the end
 * of a stall and not its beginning. Each request has a timer of its own, so the first failure counts.
 */
export function timerExpiries(engines: readonly TrackedEngine[], bursts: readonly AbortBurst[]): PipelineEvent[] {
  const failures = engines
    .flatMap((engine) => FAILURES.flatMap((id) => failuresOf(engine, id)))
    .filter((f) => !isReplaced(f, engines))
    .sort((a, b) => a.burst.atMs - b.burst.atMs);
  const earlier: Cause[] = [
    ...stallsOf(engines),
    ...bursts.map(({ atMs }) => ({ atMs, words: 'a burst of aborts' })),
    ...failures.map(({ burst }) => ({ atMs: burst.atMs, words: 'earlier failures' })),
  ];
  return largest(failures.flatMap((f) => expiryOf(f, [...earlier, ...filledSince(f)]) ?? [])).map(eventOf);
}

function failuresOf(engine: TrackedEngine, id: Failures['id']): Failures[] {
  const per = (signal: AnySignalId): AbortBurst['aborts'] =>
    engine.timesMs.map((atMs, i) => ({ atMs, n: engine.rises.get(signal)?.[i] ?? 0 }));
  const aborts = per('requests.aborted');
  const intervalMs = spacingMs(engine.timesMs) ?? 0;
  return burstsOf(per(id))
    .filter(({ atMs, endMs, size }) => {
      // An abort may be counted one scrape before the failure that it makes.
      const around = aborts.filter((a) => a.atMs >= atMs - intervalMs / 2 && a.atMs <= endMs);
      return around.reduce((sum, a) => sum + a.n, 0) <= size * CLIENTS_SHARE;
    })
    .map((burst) => ({ engine, id, burst }));
}

/** Some engine restarted around the first failure, or had stopped reporting by then. */
function isReplaced({ engine, burst }: Failures, engines: readonly TrackedEngine[]): boolean {
  const nearMs = REPLACED_SCRAPES * (spacingMs(engine.timesMs) ?? 0);
  const isNear = (t: number | undefined): boolean => t !== undefined && Math.abs(t - burst.knownMs) <= nearMs;
  return engines.some((e) => e.restarts.some((r) => isNear(e.timesMs[r])) || !e.timesMs.some(isNear));
}

/** The beginnings of the stalls of all stages. */
function stallsOf(engines: readonly TrackedEngine[]): Cause[] {
  const since = engines.flatMap((e) => e.stages.flatMap((track) => track.stalledSinceMs));
  const known = [...new Set(since)].filter((t) => t !== undefined);
  return known.map((atMs) => ({ atMs, words: 'the stall began' }));
}

/** The first scrape with requests inside, of those without a break up to the failures: nobody has waited longer. */
function filledSince({ engine, id, burst }: Failures): Cause[] {
  const balance = engine.stages.find((t) => t.flow.failed === id)?.balance ?? [];
  const last = indexAt(engine.timesMs, burst.atMs);
  const empty = lastWhere(balance, last, (n) => n === 0);
  const atMs = empty >= 0 && empty < last ? engine.timesMs[empty + 1] : undefined;
  return atMs === undefined ? [] : [{ atMs, words: 'the first of them came' }];
}

/** Both ends are known to one scrape, and the first request that waited may have come one scrape after the cause. */
function expiryOf(failures: Failures, causes: readonly Cause[]): Expiry | undefined {
  const intervalMs = spacingMs(failures.engine.timesMs) ?? 0;
  const { atMs } = failures.burst;
  const expiresAt = ({ cause, timerMs }: Expiry): number => cause.atMs + timerMs;
  return causes
    .flatMap((cause) => TIMERS_MS.map((timerMs): Expiry => ({ ...failures, timerMs, cause })))
    .filter((e) => expiresAt(e) >= atMs - 2 * intervalMs && expiresAt(e) <= atMs + intervalMs)
    .sort((a, b) => a.timerMs - b.timerMs)[0];
}

/** What fails at one end of a pair fails at the other a moment later: the side where more failed speaks. */
function largest(expiries: readonly Expiry[]): Expiry[] {
  const isTogether = (a: Expiry, b: Expiry): boolean =>
    a.timerMs === b.timerMs && a.engine.role !== b.engine.role && Math.abs(a.burst.atMs - b.burst.atMs) <= NEAR_MS;
  return expiries.filter((e) => !expiries.some((other) => isTogether(e, other) && other.burst.size > e.burst.size));
}
const NEAR_MS = 30_000;

function eventOf({ engine, id, burst, timerMs, cause }: Expiry): PipelineEvent {
  const seconds = timerMs / 1000;
  const failed = `${count(burst.size, 'request')} failed on ${engine.id}`;
  return {
    kind: 'timer-expiry',
    atMs: burst.atMs,
    engine: engine.id,
    stage: engine.stages.find((t) => t.flow.failed === id)?.flow.stage,
    size: burst.size,
    text: `${timerName(timerMs, id)} of ${seconds} s: ${failed}, ${seconds} s after ${cause.words}`,
  };
}

/** Bootstrap and waiting timers are set by the operator, 300 s by default (120 s in SGLang 0.4.9). */
function timerName(timerMs: number, id: Failures['id']): string {
  switch (timerMs) {
    case 1_800_000:
      return 'router timer';
    case 3_600_000:
      return 'NCCL timer';
    case 7_200_000:
      return 'gloo timer';
    default:
      return id === 'bootstrap.failed' ? 'bootstrap timer' : 'waiting timer';
  }
}
