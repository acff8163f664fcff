import { type DeploymentConfig } from './config';
import { type HttpFront } from './httpFront';
import { LoopTime } from './loopTime';
import { type Random } from './random';
import { type Request } from './request';
import { type SchedulerMetrics } from './schedulerMetrics';
import { type Simulation } from './simulation';
import { type Troubles } from './troubles';

/** How a scheduler tells the rest of the deployment what became of a request. */
export interface SchedulerEvents {
  /** This engine has done its part: KV delivered (prefill) or last token out (decode). */
  readonly finished: (request: Request) => void;
  readonly firstToken: (request: Request) => void;
  /** The request failed here; nobody waits for it any more if its client had left. */
  readonly failed: (request: Request) => void;
}

export interface SchedulerContext {
  readonly simulation: Simulation;
  readonly config: DeploymentConfig;
  readonly metrics: SchedulerMetrics;
  readonly front: HttpFront;
  readonly random: Random;
  readonly events: SchedulerEvents;
  readonly troubles: Troubles;
  /** Another data-parallel rank is computing: this one then runs empty batches with it and is not idle. */
  readonly isSiblingBusy: () => boolean;
}

interface Message {
  readonly kind: 'request' | 'abort';
  readonly request: Request;
}

const IDLE_ROUND_MS = 1;
const BEAT_MS = 1_000;
const SIBLING_CHECK_MS = 1_000;

/**
 * The part that both event loops share: an inbox read once per round, one round at a time,
 * and the idle refresh (only when fully idle, and 30 s or more after the last push).
 */
export abstract class Scheduler {
  /** Set by a fault: the loop stands still for ever, the HTTP process does not. */
  isBlocked = false;
  protected isBusy = false;
  protected lastPushMs: number;
  private isStopped = false;
  private isWakePending = false;
  private isIdleTimerSet = false;
  private inbox: Message[] = [];
  private readonly loopTime?: LoopTime;

  constructor(protected readonly context: SchedulerContext) {
    this.lastPushMs = context.simulation.nowMs;
    if (context.config.profile.hasHeartbeat) {
      this.loopTime = new LoopTime(context);
      context.simulation.after(BEAT_MS, () => this.beat());
    }
    this.wake();
  }

  /** A forward pass is under way. */
  get isInPass(): boolean {
    return this.isBusy;
  }

  receive(kind: Message['kind'], request: Request): void {
    this.inbox.push({ kind, request });
    this.wake();
  }

  /** Something changed that the next round of an idle loop would notice. */
  wake(): void {
    if (!this.isBusy && !this.isWakePending) {
      this.isWakePending = true;
      this.context.simulation.after(IDLE_ROUND_MS, () => {
        this.isWakePending = false;
        this.runRound();
      });
    }
  }

  /** The process is gone: whatever was scheduled no longer happens. */
  stop(): void {
    this.isStopped = true;
  }

  protected runRound(): void {
    if (!this.canRun() || this.isBusy) {
      return;
    }
    const messages = this.inbox;
    this.inbox = [];
    for (const { kind, request } of messages) {
      if (kind === 'request') {
        this.acceptRequest(request);
      } else {
        this.abortRequest(request);
      }
      if (!this.canRun()) {
        return;
      }
    }
    this.round();
  }

  protected canRun(): boolean {
    return !this.isStopped && !this.isBlocked;
  }

  /** Ends a forward pass after `durationMs`; the loop does nothing else meanwhile. */
  protected runPass(durationMs: number, finish: () => void): void {
    this.isBusy = true;
    this.loopTime?.passBegins();
    this.context.simulation.after(durationMs, () => {
      if (this.canRun()) {
        this.isBusy = false;
        this.loopTime?.passEnds();
        finish();
        this.runRound();
      }
    });
  }

  protected onIdle(): void {
    const { simulation, config } = this.context;
    if (!this.isIdleEnough()) {
      return;
    }
    if (this.context.isSiblingBusy()) {
      simulation.after(SIBLING_CHECK_MS, () => this.wake());
      return;
    }
    if (simulation.nowMs - this.lastPushMs >= config.idleRefreshMs) {
      this.pushIdle();
      this.lastPushMs = simulation.nowMs;
    }
    if (!this.isIdleTimerSet) {
      this.isIdleTimerSet = true;
      simulation.at(this.lastPushMs + config.idleRefreshMs, () => {
        this.isIdleTimerSet = false;
        this.wake();
      });
    }
  }

  /** A living loop tells about every second where its time went; what is under way is told when it has ended. */
  private beat(): void {
    if (this.isStopped) {
      return;
    }
    if (this.canRun()) {
      this.loopTime?.publish(this.isAnythingParked());
    }
    this.context.simulation.after(BEAT_MS, () => this.beat());
  }

  protected pages(tokens: number): number {
    return Math.ceil(tokens / this.context.config.pageTokens);
  }

  protected abstract acceptRequest(request: Request): void;
  protected abstract abortRequest(request: Request): void;
  protected abstract round(): void;
  /** Nothing that this release's idle refresh would wait for. */
  protected abstract isIdleEnough(): boolean;
  protected abstract isAnythingParked(): boolean;
  protected abstract pushIdle(): void;
}
