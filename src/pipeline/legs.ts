import type { TrackedEngine } from './fleet';
import { serversOf, type EngineMoment, type Moment } from './moment';
import type { StageId } from './model';
import type { AnySignalId } from './profiles/sglang';
import { indexAt, without } from './series';
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

/** Which legs an engine got, per scrape. */
export type LegCount = (e: EngineMoment, legs: Legs) => readonly number[];

/** Legs at most: of schedulers a probe is not always told from a request. */
export const mostLegsOn: LegCount = (e, legs) => without(legsTakenOn(e, legs), probesAmong(e, legs).certain);

/** The same, where what may be a probe is taken for one as long as there are no more of them than the engine has had. */
export const likelyLegsOn: LegCount = (e, legs) => {
  const { certain, possible } = probesAmong(e, legs);
  const usual = Math.max(0, ...certain);
  return without(
    legsTakenOn(e, legs),
    certain.map((n, i) => n + Math.min(usual, possible[i] ?? 0))
  );
};

/** Legs at least: what may be a probe is taken for one. */
export const fewestLegsOn: LegCount = (e, legs) => {
  const { certain, possible } = probesAmong(e, legs);
  const taken = without(
    legsTakenOn(e, legs),
    certain.map((n, i) => n + (possible[i] ?? 0))
  );
  return legsOn(e.engine, legs).map((n, i) => Math.min(n, taken[i] ?? n));
};

const legsTakenOn = ({ engine }: EngineMoment, legs: Legs): readonly number[] =>
  legs.source === 'http' ? legsOn(engine, legs) : (engine.rises.get(TAKEN[legs.side]) ?? []);

/** A request that has its KV gives its client a first token this soon, also where answers are sent in pieces of 50 tokens. */
export const FIRST_TOKEN_MS = 10_000;

/** Health probes per scrape. */
interface Probes {
  readonly certain: readonly number[];
  /** They may be requests as well. */
  readonly possible: readonly number[];
}

const NO_PROBES: Probes = { certain: [], possible: [] };

/**
 * Where decode's scheduler counts: what left its transfer without any first token for it; each token is taken for one
 * request. What left lately may still have one.
 */
function probesAmong({ engine: { rises, timesMs }, index }: EngineMoment, { side, source }: Legs): Probes {
  const unclaimed = [...(rises.get('tokens.first') ?? [])];
  if (source === 'http' || side === 'prefill' || unclaimed.length === 0) {
    return NO_PROBES;
  }
  const tokenless = (rises.get('decode.transferred') ?? []).map((n, i) => {
    const latest = indexAt(timesMs, (timesMs[i] ?? 0) + FIRST_TOKEN_MS - 1) + 1;
    let open = n;
    for (let k = i; k <= Math.min(latest, index) && open > 0; k++) {
      const claimed = Math.min(open, unclaimed[k] ?? 0);
      unclaimed[k] = (unclaimed[k] ?? 0) - claimed;
      open -= claimed;
    }
    return { open, isLate: latest > index };
  });
  return {
    certain: tokenless.map(({ open, isLate }) => (isLate ? 0 : open)),
    possible: tokenless.map(({ open, isLate }) => (isLate ? open : 0)),
  };
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
    : { came: risesOf(TAKEN[side]), left: risesOf(trackOf(engine, LAST[side])?.flow.exit), failed };
}
