import type { Engine } from './columns';
import type { Concluded } from './departures';
import { Follower, type Outage } from './follower';
import type { StageId } from './model';
import { isCounted } from './occupancy';
import { indexAt, spacingMs, sumAfter, type Column } from './series';
import { shownInLives } from './shown';
import type { StageFlow } from './stages';

/** The two ends of the handshake and of the KV transfer. */
const SHARED_STAGES: ReadonlySet<StageId> = new Set([
  'prefill.bootstrap',
  'prefill.inflight',
  'decode.prealloc',
  'decode.transfer',
]);

/** One stage of one engine over the whole range, judged causally: scrape `i` knows nothing of later ones. */
export interface StageTrack {
  readonly flow: StageFlow;
  /** Both ends are counted. */
  readonly isCounted: boolean;
  /** Requests inside, at least. */
  readonly balance: Column;
  /** Requests inside, at most: larger where aborts leave the stage uncounted. */
  readonly atMost: Column;
  /** Requests that entered since the previous scrape. */
  readonly arrivals: readonly number[];
  /** Requests that really left since the previous scrape, health probes taken out. */
  readonly departures: readonly number[];
  /** Something seems to have left in this scrape; the next one of the other side will tell. */
  readonly doubtful: readonly boolean[];
  /** Last scrape that showed a departure or a unit of work. */
  readonly lastProgressMs: ReadonlyArray<number | undefined>;
  /** Since when requests have been inside without any progress. */
  readonly parkedSinceMs: ReadonlyArray<number | undefined>;
  /** Set while the stage is stalled: the instant from which nothing has got through. */
  readonly stalledSinceMs: ReadonlyArray<number | undefined>;
  readonly windowMs: readonly number[];
  /** Depth that is always there and holds nobody up: leaked bookkeeping. */
  readonly floor: readonly number[];
  readonly outages: readonly Outage[];
}

/** One stage of an engine, or of one rank of it. */
export const trackOf = (
  { stages }: { readonly stages: readonly StageTrack[] },
  stage: StageId | undefined
): StageTrack | undefined => stages.find((t) => t.flow.stage === stage);

/** Real requests that have left a stage of an engine since an instant, up to a scrape; 0 where it has no such stage. */
export const leftSince = ({ engine, index }: AtScrape, stage: StageId, sinceMs: number): number =>
  sumAfter(trackOf(engine, stage)?.departures, indexAt(engine.timesMs, sinceMs), index);

interface AtScrape {
  readonly engine: { readonly timesMs: readonly number[]; readonly stages: readonly StageTrack[] };
  readonly index: number;
}

export interface StallOptions {
  /** The scrape interval, per scrape. */
  readonly intervalsMs: readonly number[];
  /** Replaces the window that a stage's own rhythm asks for. */
  readonly windowMs?: number;
  /** Whether the samples of an instant are known to be new, not old values repeated by Prometheus. */
  readonly isVerified: (atMs: number) => boolean;
  readonly concluded: Concluded;
  /** When the only engine of the other side restarted: what the two do together begins anew then. */
  readonly peerRestartsMs: readonly number[];
}

/** Follows one stage through its scrapes. */
export function trackStage(engine: Engine, known: StageFlow, options: StallOptions): StageTrack {
  const { unproven, failed, worked, leastMs, ...shown } = shownInLives(engine, known, options.concluded);
  const follower = new Follower(options.windowMs);
  const restarts = new Set([...engine.restarts, ...peerRestarts(engine, shown.flow, options)]);
  const steps = engine.timesMs.map((atMs, i) =>
    follower.step({
      atMs,
      intervalMs: options.intervalsMs[i] ?? 0,
      holeMs: atMs - (engine.timesMs[i - 1] ?? atMs),
      depth: shown.balance[i],
      isEmpty: shown.atMost[i] === 0,
      entered: shown.arrivals[i] ?? 0,
      left: shown.departures[i] ?? 0,
      worked: worked[i] ?? false,
      failed: failed[i] ?? 0,
      doubtful: shown.doubtful[i] ?? false,
      unproven: unproven[i] ?? 0,
      restarted: restarts.has(i),
      verified: options.isVerified(atMs),
      leastWindowMs: leastMs[i] ?? 0,
    })
  );
  return {
    ...shown,
    isCounted: isCounted(engine, shown.flow),
    lastProgressMs: steps.map((s) => s.lastProgressMs),
    parkedSinceMs: steps.map((s) => s.parkedSinceMs),
    stalledSinceMs: steps.map((s) => s.stalledSinceMs),
    windowMs: steps.map((s) => s.windowMs),
    floor: steps.map((s) => s.floor),
    outages: follower.outages,
  };
}

/** The scrapes that first saw the other side's new process, for the stages that need both sides. */
const peerRestarts = ({ timesMs }: Engine, { stage }: StageFlow, { peerRestartsMs }: StallOptions): number[] =>
  SHARED_STAGES.has(stage) ? peerRestartsMs.map((atMs) => timesMs.findIndex((t) => t >= atMs)) : [];

/** The scrape interval of an engine, from the spacing of its samples. */
export const intervalOf = (engine: Engine): number | undefined => spacingMs(engine.timesMs);
