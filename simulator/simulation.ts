interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Virtual clock and event queue. Times are milliseconds since the Unix epoch.
 * Events of the same instant run in the order in which they were scheduled, so a run is reproducible.
 */
export class Simulation {
  private readonly heap: Event[] = [];
  private scheduled = 0;

  constructor(private clockMs: number) {}

  get nowMs(): number {
    return this.clockMs;
  }

  /** Schedules an event; an instant in the past runs at once, as the next event. */
  at(atMs: number, run: () => void): void {
    this.scheduled += 1;
    this.push({ atMs: Math.max(atMs, this.clockMs), order: this.scheduled, run });
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.clockMs + delayMs, run);
  }

  /** Runs every event up to and including `untilMs`, then leaves the clock there. */
  runUntil(untilMs: number): void {
    let event = this.heap[0];
    while (event !== undefined && event.atMs <= untilMs) {
      this.pop();
      this.clockMs = event.atMs;
      event.run();
      event = this.heap[0];
    }
    this.clockMs = Math.max(this.clockMs, untilMs);
  }

  private push(event: Event): void {
    let index = this.heap.length;
    this.heap.push(event);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.heap[parentIndex];
      if (parent === undefined || !isBefore(event, parent)) {
        break;
      }
      this.heap[index] = parent;
      index = parentIndex;
    }
    this.heap[index] = event;
  }

  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) {
      return;
    }
    let index = 0;
    for (;;) {
      const childIndex = this.earlierChild(index);
      const child = this.heap[childIndex];
      if (child === undefined || !isBefore(child, last)) {
        break;
      }
      this.heap[index] = child;
      index = childIndex;
    }
    this.heap[index] = last;
  }

  private earlierChild(index: number): number {
    const left = this.heap[2 * index + 1];
    const right = this.heap[2 * index + 2];
    return left !== undefined && right !== undefined && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
