import type { Engine } from './columns';
import {
  hidesPrefillWork,
  realDecodeWork,
  realDepartures,
  realEntries,
  realPrefillWork,
  type Concluded,
} from './departures';
import { engineByLife, joinLives, within } from './lives';
import { balanceOf, isCounted } from './occupancy';
import type { StageId } from './model';
import { indexAt, spacingMs, sumAfter, type Column } from './series';
import type { StageFlow } from './stages';

/** Departures that prove that a stalled stage works again. */
const DELIVERIES_TO_LEAVE = 2;
/** A stage is named after three scrapes in a row with the same count. */
const SCRAPES = 3;
/** A pause longer than this many windows was an outage, not the stage's own rhythm. */
const OUTAGE_WINDOWS = 4;
const LONGEST_WINDOW_MS = 300_000;
/** Where work does not show, one long prompt may take this long. */
const HIDDEN_WORK_MS = 90_000;
/** Departures after which a stage's own rhythm counts as known, and the window until then. */
const RHYTHM_KNOWN = 5;
const UNKNOWN_RHYTHM_MS = 30_000;
/** So few may be long ones as well. */
const FEW = 2;
const UNKNOWN_FEW_MS = 60_000;
/** Whoever gives up so soon has not waited for the stage. */
const BRIEF_MS = 3000;
/** Progresses that tell the rhythm of late. */
const RECENT = 8;
/** Progressing scrapes over which a standing depth is taken for leaked bookkeeping. */
const FLOOR_SCRAPES = 12;
/** The two ends of the handshake and of the KV transfer. */
const SHARED_STAGES: ReadonlySet<StageId> = new Set([
  'prefill.bootstrap',
  'prefill.inflight',
  'decode.prealloc',
  'decode.transfer',
]);
/** Two scrapes further apart than this leave a hole in which nothing was seen. */
export const HOLE_INTERVALS = 2.5;

/** A time in which a stage was stalled and after which it provably worked again. */
export interface Outage {
  readonly sinceMs: number;
  /** First departure after the stall. */
  readonly endMs: number;
  /** When that was certain. */
  readonly knownMs: number;
}

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
  readonly windowMs?: number;
  /** Whether the samples of an instant are known to be new, not old values repeated by Prometheus. */
  readonly isVerified: (atMs: number) => boolean;
  readonly concluded: Concluded;
  /** When the only engine of the other side restarted: what the two do together begins anew then. */
  readonly peerRestartsMs: readonly number[];
}

/** What one process shows of a stage, per scrape. */
interface Shown {
  readonly flow: StageFlow;
  readonly balance: Column;
  readonly atMost: Column;
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
  readonly doubtful: readonly boolean[];
  readonly unproven: readonly number[];
  readonly failed: readonly number[];
  readonly worked: readonly boolean[];
  /** The shortest window that its signals allow, in milliseconds. */
  readonly leastMs: readonly number[];
}

function shownBy(engine: Engine, known: StageFlow, { concluded }: StallOptions): Shown {
  const flow = flowOn(engine, known);
  const { left: departures, unconfirmed, unproven } = realDepartures(engine, flow, concluded);
  const { atLeast: balance, atMost } = balanceOf(engine, flow, departures);
  const failed = (flow.failed && engine.rises.get(flow.failed)) ?? [];
  const leastMs = flow.units === 'prefill' && hidesPrefillWork(engine) ? HIDDEN_WORK_MS : 0;
  const worked = workOf(engine, flow);
  return {
    flow,
    balance,
    atMost,
    arrivals: realEntries(engine, flow),
    departures,
    // Depth that fell by more than the failures: a probe enters and leaves, and a request that failed did not get through.
    doubtful: unconfirmed.map((n, i) => n > 0 && (balance[i] ?? 0) + (failed[i] ?? 0) < (balance[i - 1] ?? 0)),
    unproven: engine.timesMs.map((_, i) => unproven[i] ?? 0),
    failed: engine.timesMs.map((_, i) => failed[i] ?? 0),
    worked: engine.timesMs.map((_, i) => worked[i] ?? false),
    leastMs: engine.timesMs.map(() => leastMs),
  };
}

/** How a stage is read on an engine, by what it counts. */
function flowOn({ columns }: Engine, { counted, entryElse, ...flow }: StageFlow): StageFlow {
  if (counted && columns.has(counted.entry)) {
    return { ...flow, ...counted };
  }
  return entryElse && flow.entry && !columns.has(flow.entry) ? { ...flow, entry: entryElse } : flow;
}

/** What the processes of an engine show of a stage, one after the other. */
function shownInLives(engine: Engine, known: StageFlow, options: StallOptions): Shown {
  const lives = engineByLife(engine);
  const each = lives.map((life) => shownBy(within(life.engine, life), known, options));
  const join = <V>(pick: (shown: Shown) => readonly V[]): V[] => joinLives(lives, each.map(pick));
  return {
    flow: each[each.length - 1]?.flow ?? known,
    balance: join((s) => s.balance),
    atMost: join((s) => s.atMost),
    arrivals: join((s) => s.arrivals),
    departures: join((s) => s.departures),
    doubtful: join((s) => s.doubtful),
    unproven: join((s) => s.unproven),
    failed: join((s) => s.failed),
    worked: join((s) => s.worked),
    leastMs: join((s) => s.leastMs),
  };
}

/** Follows one stage through its scrapes. */
export function trackStage(engine: Engine, known: StageFlow, options: StallOptions): StageTrack {
  const shown = shownInLives(engine, known, options);
  const { flow, balance, atMost, arrivals, departures, doubtful, unproven, failed, worked, leastMs } = shown;
  const follower = new Follower(options);
  const restarts = new Set([...engine.restarts, ...peerRestarts(engine, flow, options)]);
  const steps = engine.timesMs.map((atMs, i) =>
    follower.step({
      atMs,
      intervalMs: options.intervalsMs[i] ?? 0,
      holeMs: atMs - (engine.timesMs[i - 1] ?? atMs),
      depth: balance[i],
      isEmpty: atMost[i] === 0,
      entered: arrivals[i] ?? 0,
      left: departures[i] ?? 0,
      worked: worked[i] ?? false,
      failed: failed[i] ?? 0,
      doubtful: doubtful[i] ?? false,
      unproven: unproven[i] ?? 0,
      restarted: restarts.has(i),
      verified: options.isVerified(atMs),
      leastWindowMs: leastMs[i] ?? 0,
    })
  );
  return {
    flow,
    isCounted: isCounted(engine, flow),
    balance,
    atMost,
    arrivals,
    departures,
    doubtful,
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

function workOf(engine: Engine, flow: StageFlow): readonly boolean[] {
  switch (flow.units) {
    case 'prefill':
      return realPrefillWork(engine);
    case 'decode':
      return realDecodeWork(engine);
    case 'none':
      return [];
  }
}

interface Scrape {
  readonly atMs: number;
  readonly intervalMs: number;
  readonly holeMs: number;
  readonly depth: number | undefined;
  /** Nothing can be inside, also where aborts make the depth a lower bound. */
  readonly isEmpty: boolean;
  readonly entered: number;
  readonly left: number;
  readonly worked: boolean;
  /** Requests that failed inside. */
  readonly failed: number;
  /** Something seems to have left, and the next scrape will tell. */
  readonly doubtful: boolean;
  /** Of those that left so many may be health probes. */
  readonly unproven: number;
  readonly leastWindowMs: number;
  readonly restarted: boolean;
  readonly verified: boolean;
}

interface Step {
  readonly lastProgressMs: number | undefined;
  readonly parkedSinceMs: number | undefined;
  readonly stalledSinceMs: number | undefined;
  readonly windowMs: number;
  readonly floor: number;
}

interface Stall {
  readonly sinceMs: number;
  deliveries: number;
  deliveringScrapes: number;
  firstDeliveryMs: number | undefined;
  lastDeliveryMs: number | undefined;
  deepest: number;
  lastDepth: number;
}

/** The memory of one stage between scrapes. Enters a stall slowly and leaves it only on proof. */
class Follower {
  private lastProgressMs: number | undefined;
  private verifiedSinceProgress = 0;
  private demandSinceMs: number | undefined;
  private firstDemandMs: number | undefined;
  /** Time with requests inside since the last progress; clients that give up in between do not start it anew. */
  private waitedMs = 0;
  /** Who entered since the last progress, and the time that all of them together have been inside. */
  private entered = 0;
  private stayedMs = 0;
  private stall: Stall | undefined;
  /** A stall whose process was restarted: over, but not yet proven to be. */
  private restarted: Stall | undefined;
  readonly outages: Outage[] = [];
  /** How long requests had waited at each progress, ascending: the stage's own rhythm. */
  private readonly waitsMs: number[] = [];
  /** The latest of them, in their order: a stage that has become slow has a new rhythm. */
  private readonly recentMs: number[] = [];
  private readonly floor = new Floor();

  constructor(private readonly options: StallOptions) {}

  step(scrape: Scrape): Step {
    if (scrape.restarted) {
      this.forget();
    }
    const windowMs = this.windowMs(scrape);
    this.verifiedSinceProgress += scrape.verified ? 1 : 0;
    const floor = this.floor.value();
    this.demand(scrape, floor);
    // Work on nothing is a probe; where the depth is not known, work speaks for itself.
    if (scrape.left > 0 || (scrape.worked && !scrape.isEmpty)) {
      this.progress(scrape, windowMs);
    }
    const parkedSinceMs =
      this.demandSinceMs === undefined ? undefined : Math.max(this.demandSinceMs, this.lastProgressMs ?? -Infinity);
    this.judge(scrape, windowMs);
    return {
      lastProgressMs: this.lastProgressMs,
      parkedSinceMs,
      stalledSinceMs: this.stall?.sinceMs,
      windowMs,
      floor,
    };
  }

  private forget(): void {
    this.restarted = this.stall ?? this.restarted;
    this.stall = undefined;
    this.demandSinceMs = undefined;
    this.firstDemandMs = undefined;
    this.startWaiting();
    this.floor.forget();
  }

  private startWaiting(): void {
    this.waitedMs = 0;
    this.entered = 0;
    this.stayedMs = 0;
  }

  private demand(scrape: Scrape, floor: number): void {
    const wasInside = this.demandSinceMs !== undefined;
    const isInside = scrape.depth !== undefined && scrape.depth > floor;
    this.demandSinceMs = isInside ? (this.demandSinceMs ?? scrape.atMs) : undefined;
    if (isInside) {
      this.firstDemandMs ??= scrape.atMs;
      this.waitedMs += wasInside ? scrape.holeMs : 0;
      this.stayedMs += wasInside ? scrape.holeMs * ((scrape.depth ?? 0) - floor) : 0;
    }
    this.entered += wasInside ? scrape.entered : 0;
  }

  private progress(scrape: Scrape, windowMs: number): void {
    if (this.waitedMs <= windowMs * OUTAGE_WINDOWS && this.isSeen(scrape)) {
      this.waitsMs.splice(indexAt(this.waitsMs, this.waitedMs) + 1, 0, this.waitedMs);
      this.recentMs.push(this.waitedMs);
      this.recentMs.splice(0, this.recentMs.length - RECENT);
    }
    this.lastProgressMs = scrape.atMs;
    this.verifiedSinceProgress = 0;
    this.startWaiting();
    this.firstDemandMs = this.demandSinceMs === undefined ? undefined : scrape.atMs;
    if (scrape.depth !== undefined) {
      this.floor.see(scrape.depth);
    }
  }

  private isSeen(scrape: Scrape): boolean {
    return scrape.holeMs <= scrape.intervalMs * HOLE_INTERVALS;
  }

  private judge(scrape: Scrape, windowMs: number): void {
    if (this.stall) {
      this.leave(this.stall, scrape, windowMs);
      return;
    }
    if (this.restarted && scrape.left > 0) {
      this.outages.push({ sinceMs: this.restarted.sinceMs, endMs: scrape.atMs, knownMs: scrape.atMs });
      this.restarted = undefined;
    }
    if (this.demandSinceMs !== undefined && this.hasWaitedLong(scrape, windowMs)) {
      this.stall = {
        sinceMs: this.restarted?.sinceMs ?? this.sinceMs(this.demandSinceMs, scrape),
        deliveries: 0,
        deliveringScrapes: 0,
        firstDeliveryMs: undefined,
        lastDeliveryMs: undefined,
        deepest: scrape.depth ?? 0,
        lastDepth: scrape.depth ?? 0,
      };
      this.restarted = undefined;
    }
  }

  /** The window is counted in scrapes: three that show the same span two intervals. */
  private hasWaitedLong(scrape: Scrape, windowMs: number): boolean {
    const isLong = !scrape.doubtful && this.waitedMs > 0 && this.waitedMs >= windowMs - scrape.intervalMs * 1.05;
    const isBrief = this.stayedMs < BRIEF_MS * this.entered;
    return isLong && !isBrief && this.isSeen(scrape) && this.verifiedSinceProgress >= SCRAPES - 1;
  }

  /** Two departures and a falling depth, departures again and again beside a standing backlog, or all who waited served. */
  private leave(stall: Stall, scrape: Scrape, windowMs: number): void {
    const depth = scrape.depth ?? 0;
    deliver(stall, { atMs: scrape.atMs, left: provenToLeave(stall, scrape) }, windowMs);
    const isFalling = depth < stall.deepest || depth === 0;
    stall.deepest = Math.max(stall.deepest, depth);
    const isOver = isServed(stall, scrape) || isMoving(stall, isFalling);
    // Who has left unconfirmed is still waited for.
    stall.lastDepth = scrape.doubtful ? stall.lastDepth : depth;
    if (isOver) {
      this.outages.push({ sinceMs: stall.sinceMs, endMs: stall.firstDeliveryMs ?? scrape.atMs, knownMs: scrape.atMs });
      this.stall = undefined;
    }
  }

  /** Nothing has got through since the last progress; where nobody had asked for long, since the first who did. */
  private sinceMs(parkedSinceMs: number, { intervalMs }: Scrape): number {
    const first = this.firstDemandMs ?? parkedSinceMs;
    const last = this.lastProgressMs;
    return last !== undefined && first - last <= intervalMs * 1.5 ? last : first;
  }

  /** Three scrapes, or twice the stage's own longest usual or latest wait; longer as long as its rhythm is not known. */
  private windowMs({ leastWindowMs, intervalMs, depth = 0 }: Scrape): number {
    const known = this.waitsMs.length;
    const unknownMs = depth > FEW ? UNKNOWN_RHYTHM_MS : UNKNOWN_FEW_MS;
    const own = Math.max(this.waitsMs[Math.ceil(known * 0.99) - 1] ?? 0, ...this.recentMs);
    const least = Math.max(SCRAPES * intervalMs, leastWindowMs, known < RHYTHM_KNOWN ? unknownMs : 0);
    return this.options.windowMs ?? Math.min(LONGEST_WINDOW_MS, Math.max(least, 2 * own));
  }
}

/** Counts what has left since the stall began; after a window without any it stood again, and the count begins anew. */
function deliver(stall: Stall, { atMs, left }: Pick<Scrape, 'atMs' | 'left'>, windowMs: number): void {
  if (left === 0) {
    return;
  }
  if (atMs - (stall.lastDeliveryMs ?? atMs) > windowMs) {
    stall.deliveries = 0;
    stall.deliveringScrapes = 0;
    stall.firstDeliveryMs = undefined;
  }
  stall.deliveries += left;
  stall.deliveringScrapes += 1;
  stall.firstDeliveryMs ??= atMs;
  stall.lastDeliveryMs = atMs;
}

/** A depth that falls by more than the failures is proof; a probe comes and goes. */
const provenToLeave = ({ lastDepth }: Stall, { depth = 0, left, unproven, failed }: Scrape): number =>
  Math.min(left, Math.max(0, left - unproven, lastDepth - depth - failed));

/** The last who waited have left in this scrape, and none of them by giving up. */
const isServed = ({ lastDepth }: Stall, { depth = 0, left, failed }: Scrape): boolean =>
  lastDepth > 0 && depth === 0 && left > 0 && failed === 0;

const isMoving = ({ deliveries, deliveringScrapes }: Stall, isFalling: boolean): boolean =>
  deliveries >= DELIVERIES_TO_LEAVE && (isFalling || deliveringScrapes >= SCRAPES);

/** Learns the depth that a stage does not fall below although requests flow through it. */
class Floor {
  private readonly recent: number[] = [];

  see(depth: number): void {
    this.recent.push(depth);
    if (this.recent.length > FLOOR_SCRAPES) {
      this.recent.shift();
    }
  }

  forget(): void {
    this.recent.length = 0;
  }

  /** A leak stands still, so the lowest depth is also a frequent one; a busy queue touches its lowest depth rarely. */
  value(): number {
    const lowest = Math.min(...this.recent);
    const often = this.recent.filter((d) => d === lowest).length;
    return this.recent.length >= FLOOR_SCRAPES && often >= FLOOR_SCRAPES / 4 ? Math.max(0, lowest) : 0;
  }
}
