import { type Clients } from './clients';
import { type Random } from './random';
import { type RequestSpec } from './request';
import { type Simulation } from './simulation';

/** How many ask, and what; whatever is left out is as usual. */
export interface Demand {
  readonly perSecond: number;
  readonly spec: (random: Random) => RequestSpec;
  /** Share of the clients that leave by themselves after a few seconds. */
  readonly cancelShare: number;
}

const USUAL_PER_SECOND = 3.5;
const BURST_FACTOR = 2.2;
const BURST_MS = 4_000;
const CANCEL_SHARE = 0.015;

/** Ordinary users. When the service is broken they stop, but for a retry now and then. */
export class Traffic {
  /** Changing it makes every arrival that is already scheduled void. */
  private epoch = 0;
  private hasUsers = false;
  private nextBurstMs = 0;
  private demand: Demand = { perSecond: USUAL_PER_SECOND, spec: usualSpec, cancelShare: CANCEL_SHARE };

  constructor(
    private readonly simulation: Simulation,
    private readonly clients: Clients,
    private readonly random: Random
  ) {}

  /** Steady traffic with mild bursts: mixed and 3.5 per second unless something else is asked for. */
  start(demand: Partial<Demand> = {}): void {
    this.demand = { ...this.demand, ...demand };
    this.hasUsers = true;
    this.nextBurstMs = this.simulation.nowMs + this.random.between(20_000, 90_000);
    this.switchTo(
      () => this.usualGapMs(),
      true,
      () => this.sendUsual()
    );
  }

  /** Nobody asks anything, until `start`, `retry` or `resume`. */
  pause(): void {
    this.epoch += 1;
  }

  /** One hopeful try every 8 to 12 seconds, the first after `firstAfterMs`. */
  retry(firstAfterMs?: number): void {
    this.switchTo(
      () => this.random.between(8_000, 12_000),
      false,
      () => this.sendRetry(),
      firstAfterMs
    );
  }

  /** The service is back: whoever used it before the fault uses it again. */
  resume(): void {
    if (this.hasUsers) {
      this.start();
    } else {
      this.pause();
    }
  }

  private switchTo(gapMs: () => number, isGapFirst: boolean, send: () => void, firstAfterMs?: number): void {
    this.epoch += 1;
    const { epoch } = this;
    const arrive = (): void => {
      if (epoch === this.epoch) {
        send();
        this.simulation.after(gapMs(), arrive);
      }
    };
    this.simulation.after(firstAfterMs ?? (isGapFirst ? gapMs() : 0), arrive);
  }

  private usualGapMs(): number {
    const { nowMs } = this.simulation;
    if (nowMs > this.nextBurstMs + BURST_MS) {
      this.nextBurstMs = nowMs + this.random.between(40_000, 120_000);
    }
    const factor = nowMs >= this.nextBurstMs ? BURST_FACTOR : 1;
    return this.random.exponential(1000 / (this.demand.perSecond * factor));
  }

  private sendUsual(): void {
    const request = this.clients.send(this.demand.spec(this.random));
    if (this.random.next() < this.demand.cancelShare) {
      this.simulation.after(this.random.between(100, 5_000), () => this.clients.cancel(request));
    }
  }

  private sendRetry(): void {
    this.clients.sendTry({ promptTokens: 256, outputTokens: this.random.integer(16, 128) });
  }
}

/** Mostly short prompts, some long, half of them partly cached. */
export function usualSpec(random: Random): RequestSpec {
  const kind = random.next();
  const [low, high] = kind < 0.6 ? [120, 600] : kind < 0.9 ? [600, 1_500] : [1_500, 4_000];
  const promptTokens = random.integer(low ?? 120, high ?? 600);
  const cachedTokens = Math.floor(promptTokens * random.between(0, 0.6));
  return { promptTokens, cachedTokens, outputTokens: random.integer(50, 400) };
}
