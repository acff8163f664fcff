import { type Clients } from './clients';
import { type DecodeScheduler } from './decodeScheduler';
import { type Request, type RequestSpec } from './request';
import { type Simulation } from './simulation';
import { type Truth } from './truth';

const ABORT_SPACING_MS = 30;
const WATCH_MS = 5;
const LONGEST_CASCADE_MS = 2_000;

/** One user's program that asks many things at once, and whose user may press stop. */
export class BigAgent {
  private requests: Request[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly clients: Clients,
    private readonly truth: Truth
  ) {}

  get isUnderWay(): boolean {
    return this.open().length > 0;
  }

  send(spec: RequestSpec): Request {
    const request = this.clients.send(spec);
    this.requests.push(request);
    return request;
  }

  /**
   * Its connections close one after the other: those still waiting for a first byte, then those being answered.
   * With `decode` given, the last two go so that they end in the very step that decode reports:
   * that report, the last one ever if nothing follows, still counts them as running.
   * Returns how many requests are cancelled.
   */
  cancel(decode?: DecodeScheduler): number {
    const open = this.open();
    const inOrder = [...open].sort((a, b) => Number(isAnswered(a)) - Number(isAnswered(b)));
    const count = inOrder.length;
    this.truth.note({ kind: 'abort-cascade', atMs: this.simulation.nowMs, count });
    const last = decode === undefined ? [] : inOrder.splice(-2);
    inOrder.forEach((request, index) =>
      this.simulation.after(index * ABORT_SPACING_MS, () => this.clients.cancel(request))
    );
    if (decode !== undefined) {
      const untilMs = this.simulation.nowMs + LONGEST_CASCADE_MS;
      this.simulation.after(count * ABORT_SPACING_MS, () => this.cancelBeforeReport(decode, last, untilMs));
    }
    this.requests = [];
    return count;
  }

  /** An abort read before a step ends its request with that step. */
  private cancelBeforeReport(decode: DecodeScheduler, last: readonly Request[], untilMs: number): void {
    if (decode.stepsUntilReport === 2 || this.simulation.nowMs >= untilMs) {
      last.forEach((request) => this.clients.cancel(request));
    } else {
      this.simulation.after(WATCH_MS, () => this.cancelBeforeReport(decode, last, untilMs));
    }
  }

  private open(): Request[] {
    return this.requests.filter((request) => request.outcome === undefined);
  }
}

function isAnswered(request: Request): boolean {
  return request.firstByteAtMs !== undefined;
}
