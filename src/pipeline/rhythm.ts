import { indexAt } from './series';

/** A stage is named after three scrapes in a row with the same count. */
export const SCRAPES = 3;
/** A pause longer than this many windows was an outage, not the stage's own rhythm. */
const OUTAGE_WINDOWS = 4;
const LONGEST_WINDOW_MS = 300_000;
/** Departures after which a stage's own rhythm counts as known, and the window until then. */
const RHYTHM_KNOWN = 5;
const UNKNOWN_RHYTHM_MS = 30_000;
/** So few may be long ones as well. */
const FEW = 2;
const UNKNOWN_FEW_MS = 60_000;
/** Progresses that tell the rhythm of late. */
const RECENT = 8;

/** Learns how long a stage usually pauses, and tells how long it may before it counts as stalled. */
export class Rhythm {
  /** How long requests had waited at each progress, ascending. */
  private readonly waitsMs: number[] = [];
  /** The latest of them, in their order: a stage that has become slow has a new rhythm. */
  private readonly recentMs: number[] = [];

  /** At a progress: how long the requests had waited, and the window that they had. */
  see(waitedMs: number, windowMs: number): void {
    if (waitedMs > windowMs * OUTAGE_WINDOWS) {
      return;
    }
    this.waitsMs.splice(indexAt(this.waitsMs, waitedMs) + 1, 0, waitedMs);
    this.recentMs.push(waitedMs);
    this.recentMs.splice(0, this.recentMs.length - RECENT);
  }

  /** Three scrapes, or twice the stage's own longest usual or latest wait; longer as long as its rhythm is not known. */
  windowMs({ leastWindowMs, intervalMs, depth = 0 }: Pausing): number {
    const known = this.waitsMs.length;
    const unknownMs = depth > FEW ? UNKNOWN_RHYTHM_MS : UNKNOWN_FEW_MS;
    const own = Math.max(this.waitsMs[Math.ceil(known * 0.99) - 1] ?? 0, ...this.recentMs);
    const least = Math.max(SCRAPES * intervalMs, leastWindowMs, known < RHYTHM_KNOWN ? unknownMs : 0);
    return Math.min(LONGEST_WINDOW_MS, Math.max(least, 2 * own));
  }
}

/** A scrape at which a stage may pause. */
interface Pausing {
  readonly leastWindowMs: number;
  readonly intervalMs: number;
  readonly depth: number | undefined;
}
