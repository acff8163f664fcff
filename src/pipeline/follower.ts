import { Floor } from './floor';
import { Rhythm, SCRAPES } from './rhythm';

/** Departures that prove that a stalled stage works again. */
const DELIVERIES_TO_LEAVE = 2;
/** Whoever gives up so soon has not waited for the stage. */
const BRIEF_MS = 3000;
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

/** One scrape of a stage. */
export interface Scrape {
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

/** What is known after it. */
export interface Step {
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
export class Follower {
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
  private readonly rhythm = new Rhythm();
  private readonly floor = new Floor();

  constructor(private readonly ownWindowMs: number | undefined) {}

  step(scrape: Scrape): Step {
    if (scrape.restarted) {
      this.forget();
    }
    const windowMs = this.ownWindowMs ?? this.rhythm.windowMs(scrape);
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
    if (this.isSeen(scrape)) {
      this.rhythm.see(this.waitedMs, windowMs);
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
