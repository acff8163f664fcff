import type { TrackedEngine } from './fleet';
import { serversOf, type EngineMoment, type Moment } from './moment';
import type { StageId } from './model';
import type { AnySignalId } from './profiles/sglang';
import { trackOf, type StageTrack } from './stalls';

/** A prefill/decode router sends every request to both sides at once: its two legs. */
export type Side = 'prefill' | 'decode';

export const otherSide = (side: Side): Side => (side === 'prefill' ? 'decode' : 'prefill');

/** Where a leg waits until the other one has come. */
export const DOOR: Readonly<Record<Side, StageId>> = { prefill: 'prefill.bootstrap', decode: 'decode.prealloc' };
/** The last stage in which it may still wait for it. */
const LAST: Readonly<Record<Side, StageId>> = { prefill: 'prefill.bootstrap', decode: 'decode.transfer' };
const FAILED = { prefill: ['bootstrap.failed'], decode: ['bootstrap.failed', 'transfer.failed'] } as const;
const TAKEN = { prefill: 'prefill.entered', decode: 'decode.received' } as const;

/** What counts the legs of a side: its HTTP servers (SGLang 0.5.7), or before that what its schedulers take. */
export type LegSource = 'http' | 'scheduler';

export interface Legs {
  readonly side: Side;
  readonly source: LegSource;
}

export function legSource(moment: Moment, side: Side): LegSource | undefined {
  const engines = serversOf(moment, side).map((e) => e.engine);
  if (engines.some((e) => e.rises.has('http.requests'))) {
    return 'http';
  }
  return engines.some((e) => e.rises.has(TAKEN[side])) ? 'scheduler' : undefined;
}

/** Legs per scrape, health probes left out as far as they are known. */
export const legsOn = (engine: TrackedEngine, { side, source }: Legs): readonly number[] =>
  (source === 'http' ? engine.rises.get('http.requests') : doorOf(engine, side)?.arrivals) ?? [];

/** The same at most: of schedulers that work a probe is not told from a request. */
export function mostLegsOn({ engine, index }: EngineMoment, legs: Legs): readonly number[] {
  if (legs.source === 'http') {
    return legsOn(engine, legs);
  }
  const rise = (id: AnySignalId, i: number): number => engine.rises.get(id)?.[i] ?? 0;
  const isServing = (i: number): boolean => [i, i + 1, i + 2].some((k) => k > index || rise('tokens.first', k) > 0);
  const counted = engine.rises.get(TAKEN[legs.side]) ?? [];
  return legs.side === 'prefill'
    ? counted
    : counted.map((n, i) => (isServing(i) ? n : Math.max(0, n - rise('decode.transferred', i))));
}

/** The stage in which a leg waits for the other one. */
export const doorOf = (engine: TrackedEngine, side: Side): StageTrack | undefined => trackOf(engine, DOOR[side]);

/** Per scrape: what has come to wait for the other leg, what has got it, and what failed before. */
interface Waiting {
  readonly came: readonly number[];
  readonly left: readonly number[];
  readonly failed: readonly number[];
}

/**
 * Where schedulers count, probes are among them, which do both. Decode sends its metadata to a prefill that may not have
 * got its leg, and waits for the transfer then.
 */
export function waitingOn(engine: TrackedEngine, { side, source }: Legs): Waiting {
  const risesOf = (id: AnySignalId | undefined): readonly number[] => (id && engine.rises.get(id)) ?? [];
  const failed = engine.timesMs.map((_, i) => FAILED[side].reduce((n, id) => n + (risesOf(id)[i] ?? 0), 0));
  return source === 'http'
    ? { came: risesOf('http.requests'), left: trackOf(engine, LAST[side])?.departures ?? [], failed }
    : { came: risesOf(TAKEN[side]), left: risesOf(doorOf(engine, side)?.flow.exit), failed };
}
