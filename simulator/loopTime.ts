import { type SchedulerMetrics } from './schedulerMetrics';
import { type Simulation } from './simulation';

/** Where the time of a round without a batch goes: while nothing waits, and while requests are parked. */
const IDLE_SHARES = {
  recv_requests: 0.2,
  process_queue: 0.1,
  sanity_check_cache: 0.1,
  idle: 0.55,
  other: 0.05,
} as const;
const PARKED_SHARES = { recv_requests: 0.2, process_queue: 0.7, get_next_batch_to_run: 0.05, other: 0.05 } as const;
const PASS_SHARES = { run_batch: 0.9, process_batch_result: 0.06, get_next_batch_to_run: 0.04 } as const;
const CATEGORIES = [
  'recv_requests',
  'process_input_requests',
  'process_queue',
  'get_next_batch_to_run',
  'run_batch',
  'process_batch_result',
  'sanity_check_cache',
  'idle',
  'other',
] as const;

/** The time budget of a scheduler loop. Its categories exclude each other and add up to the wall time of a living loop. */
export class LoopTime {
  private bookedUntilMs: number;
  private passBeganMs?: number;
  private passesMs = 0;

  constructor(private readonly context: { readonly simulation: Simulation; readonly metrics: SchedulerMetrics }) {
    this.bookedUntilMs = context.simulation.nowMs;
    context.metrics.beat(Object.fromEntries(CATEGORIES.map((category) => [category, 0])), 0);
  }

  passBegins(): void {
    this.passBeganMs = this.context.simulation.nowMs;
  }

  passEnds(): void {
    const { nowMs } = this.context.simulation;
    this.passesMs += nowMs - Math.max(this.passBeganMs ?? nowMs, this.bookedUntilMs);
    this.passBeganMs = undefined;
  }

  /** Books everything that has ended since the last time. */
  publish(isAnythingParked: boolean): void {
    const untilMs = this.passBeganMs ?? this.context.simulation.nowMs;
    const spentMs = untilMs - this.bookedUntilMs;
    if (spentMs <= 0) {
      return;
    }
    const betweenMs = Math.max(0, spentMs - this.passesMs);
    const spent: Record<string, number> = {};
    add(spent, PASS_SHARES, this.passesMs / 1000);
    add(spent, isAnythingParked ? PARKED_SHARES : IDLE_SHARES, betweenMs / 1000);
    this.context.metrics.beat(spent, spent.idle ?? 0);
    this.bookedUntilMs = untilMs;
    this.passesMs = 0;
  }
}

function add(to: Record<string, number>, shares: Readonly<Record<string, number>>, seconds: number): void {
  for (const [category, share] of Object.entries(shares)) {
    to[category] = (to[category] ?? 0) + share * seconds;
  }
}
