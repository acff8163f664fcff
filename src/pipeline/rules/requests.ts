import type { AnySignalId } from '../profiles/sglang';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import { indexAt } from '../series';

/** Rules about requests that nobody waits for, and about counts that do not come back. */

/** How long decode must step without a client before anybody is called a zombie. */
const ZOMBIE_MS = 60_000;
/** Decoded tokens of which less than this share reaches a client. */
const STREAMED_SHARE = 0.7;
/** Aborts are absorbed within seconds; after this long the rest was lost. */
const ABSORBED_MS = 15_000;
/** A depth that has stood this long, undercut by nobody while requests flow, is leaked. */
const LEAKED_MS = 300_000;
/** Ranks that have not come together for this long run apart. */
const DIVERGED_MS = 30_000;

export interface Zombies {
  readonly engine: EngineMoment;
  readonly count: number;
  readonly sinceMs: number;
  readonly tokens: number;
}

/**
 * "Decode makes tokens for requests that nobody waits for": more requests run than the HTTP server has open, for a
 * minute of fresh gauges, while tokens are decoded that no client gets.
 */
export function zombies(moment: Moment): Zombies | undefined {
  return serversOf(moment, 'decode')
    .flatMap((e) => zombiesOf(e) ?? [])
    .sort((a, b) => b.count - a.count)[0];
}

function zombiesOf(e: EngineMoment): Zombies | undefined {
  const fromMs = e.lastSampleMs - ZOMBIE_MS;
  const tokens = riseSince(e.engine, 'tokens.decode', fromMs, e.index) ?? 0;
  const streamed = riseSince(e.engine, 'tokens.streamed', fromMs, e.index) ?? tokens;
  const isUnheard = e.state === 'live' && tokens > 0 && streamed < tokens * STREAMED_SHARE;
  const surplus = isUnheard ? lastingSurplus(e) : undefined;
  return surplus && surplus.sinceMs <= fromMs ? { engine: e, tokens, ...surplus } : undefined;
}

/** The smallest surplus up to now, and since when there has been one. */
function lastingSurplus(e: EngineMoment): { readonly count: number; readonly sinceMs: number } | undefined {
  const surplus = surplusOf(e);
  let first = e.index;
  let count = Infinity;
  while (first > 0 && surplus(first) > 0) {
    count = Math.min(count, surplus(first));
    first -= 1;
  }
  const sinceMs = e.engine.timesMs[first];
  return first < e.index && sinceMs !== undefined ? { count, sinceMs } : undefined;
}

/** Running requests beyond the ones that have a client, per scrape; none where either is not known. */
function surplusOf({ engine }: EngineMoment): (i: number) => number {
  const running = engine.columns.get('gauge.running');
  const open = engine.columns.get('http.active');
  return (i) => {
    const [run, active] = [running?.[i], open?.[i]];
    return run === undefined || active === undefined ? 0 : Math.max(0, run - active);
  };
}

export interface LostAborts {
  readonly engine: EngineMoment;
  readonly atMs: number;
  readonly aborted: number;
  /** Requests that the scheduler still holds without a client. */
  readonly orphans: number;
}

/**
 * "A burst of aborts was counted and the scheduler still holds the requests": its queues hold more requests than the HTTP
 * server has open, seconds after the clients have gone.
 */
export function lostAborts(moment: Moment): LostAborts | undefined {
  const bursts = moment.pipeline.bursts.filter((b) => b.knownMs <= moment.atMs - ABSORBED_MS);
  const burst = bursts[bursts.length - 1];
  if (!burst) {
    return undefined;
  }
  return serversOf(moment, 'decode')
    .flatMap((e): LostAborts[] => {
      const first = indexAt(e.engine.timesMs, burst.knownMs + ABSORBED_MS);
      const since = Array.from({ length: Math.max(0, e.index - first + 1) }, (_, k) => orphansAt(e, first + k));
      const orphans = since.length > 0 ? Math.min(...since) : 0;
      return e.state === 'live' && orphans >= 2 ? [{ engine: e, atMs: burst.atMs, aborted: burst.size, orphans }] : [];
    })
    .sort((a, b) => b.orphans - a.orphans)[0];
}

function orphansAt({ engine }: EngineMoment, i: number): number {
  const open = engine.columns.get('http.active')?.[i];
  const held = engine.stages.reduce((sum, t) => sum + (t.balance[i] ?? 0), 0);
  return open === undefined ? 0 : Math.max(0, held - open);
}

export interface Leak {
  readonly engine: EngineMoment;
  readonly stage: 'decode.prealloc' | 'decode.transfer' | 'prefill.inflight';
  readonly count: number;
  readonly sinceMs: number;
}

/** "A stage never empties although requests flow through it": its bookkeeping has leaked. */
export function leak(moment: Moment): Leak | undefined {
  const found = moment.engines.flatMap((e) =>
    (['decode.transfer', 'decode.prealloc', 'prefill.inflight'] as const).flatMap((stage): Leak[] => {
      const floors = e.engine.stages.find((t) => t.flow.stage === stage)?.floor ?? [];
      const count = floors[e.index] ?? 0;
      let first = e.index;
      while (first > 0 && (floors[first - 1] ?? 0) > 0) {
        first -= 1;
      }
      const sinceMs = e.engine.timesMs[first] ?? moment.atMs;
      return count > 0 && moment.atMs - sinceMs >= LEAKED_MS ? [{ engine: e, stage, count, sinceMs }] : [];
    })
  );
  return found[0];
}

export interface Divergence {
  readonly engine: EngineMoment;
  readonly sinceMs: number;
  readonly spread: number;
}

const SPREAD: AnySignalId = 'ranks.spread';

/**
 * "The ranks of one engine have counted different numbers of requests, and the difference does not close." Pipeline ranks
 * lag each other by a batch while they work, so a difference that falls again is no divergence.
 */
export function divergedRanks(moment: Moment): Divergence | undefined {
  return moment.engines.flatMap((e) => divergenceOf(e) ?? [])[0];
}

function divergenceOf(e: EngineMoment): Divergence | undefined {
  const spread = (i: number): number => e.engine.columns.get(SPREAD)?.[i] ?? 0;
  let first = e.index;
  while (first > 0 && spread(first - 1) > 0 && spread(first - 1) <= spread(first)) {
    first -= 1;
  }
  const firstMs = e.engine.timesMs[first] ?? e.lastSampleMs;
  const isLasting = e.index - first >= 2 && e.lastSampleMs - firstMs >= DIVERGED_MS;
  return e.state === 'live' && spread(e.index) > 0 && isLasting
    ? { engine: e, sinceMs: e.engine.timesMs[Math.max(0, first - 1)] ?? firstMs, spread: spread(e.index) }
    : undefined;
}
