import { DecodeScheduler } from './decodeScheduler';
import { type Deployment } from './deployment';
import { type Engine } from './engine';
import { type Router } from './router';
import { type Simulation } from './simulation';
import { type Troubles } from './troubles';
import { type Truth } from './truth';
import { type VersionProfile } from './versionProfile';

const RESTART_DOWN_MS = 3_000;
const LOOK_EVERY_MS = 500;

/** Everything that can be done to the deployment. A fault acts on loops and requests, never on a metric's value. */
export class Faults {
  private readonly gaps: Array<{ readonly fromMs: number; readonly untilMs: number }> = [];
  private clockStep = { untilMs: -Infinity, byMs: 0 };

  constructor(
    private readonly simulation: Simulation,
    private readonly router: Router,
    private readonly truth: Truth,
    private readonly onServiceBack: () => void
  ) {}

  /** Something goes wrong inside an engine process; `what` is how the diary calls it. */
  trouble(engine: Engine, what: string, change: (troubles: Troubles) => void): void {
    change(engine.troubles);
    this.truth.note({ kind: 'fault', atMs: this.simulation.nowMs, engine: engine.instance, what });
  }

  cure(engine: Engine, what: string, change: (troubles: Troubles) => void): void {
    change(engine.troubles);
    engine.wake();
    this.truth.note({ kind: 'cured', atMs: this.simulation.nowMs, engine: engine.instance, what });
  }

  /** KV still lands, but decode (or one of its data-parallel ranks) never concludes a transfer again. Its loop lives on. */
  killReceiver(engine: Engine, dpRank?: number): void {
    for (const [rank, scheduler] of engine.schedulers.entries()) {
      if (scheduler instanceof DecodeScheduler && (dpRank ?? rank) === rank) {
        scheduler.isReceiverDead = true;
      }
    }
    if (engine.role === 'decode') {
      this.truth.note({ kind: 'receiver-dead', atMs: this.simulation.nowMs, engine: engine.instance });
    }
  }

  /** The scheduler (or that of one data-parallel rank) does nothing at all any more; its HTTP process lives on. */
  blockLoop(engine: Engine, dpRank?: number): void {
    for (const [rank, scheduler] of engine.schedulers.entries()) {
      scheduler.isBlocked ||= (dpRank ?? rank) === rank;
    }
    this.truth.note({ kind: 'loop-blocked', atMs: this.simulation.nowMs, engine: engine.instance });
  }

  /** The process is gone; nobody starts it again. */
  crash(engine: Engine): void {
    if (engine.isUp) {
      this.truth.note({ kind: 'crash', atMs: this.simulation.nowMs, engine: engine.instance });
      this.router.lost(engine, engine.stop());
    }
  }

  /**
   * A new process after a few seconds, of another release where one is given: its counters and gauges start from
   * nothing, its requests are lost. Nothing happens while it is already down.
   */
  restart(engine: Engine, downMs = RESTART_DOWN_MS, profile?: VersionProfile): void {
    const { simulation, router, truth } = this;
    if (!engine.isUp) {
      return;
    }
    truth.note({ kind: 'restart', atMs: simulation.nowMs, engine: engine.instance, downMs });
    router.lost(engine, engine.stop());
    simulation.after(downMs, () => engine.start(profile));
    simulation.after(downMs, this.onServiceBack);
  }

  /**
   * As a deployment does: no new requests, wait for those that are here, replace the process (by one of another release
   * where one is given), take it back into use.
   */
  redeploy(engine: Engine, downMs: number, then: () => void, profile?: VersionProfile): void {
    const { simulation, router, truth } = this;
    truth.note({ kind: 'drain', atMs: simulation.nowMs, engine: engine.instance });
    router.workers.remove(engine);
    this.whenEmpty(engine, () => {
      truth.note({ kind: 'restart', atMs: simulation.nowMs, engine: engine.instance, downMs });
      router.lost(engine, engine.stop());
      simulation.after(downMs, () => {
        engine.start(profile);
        router.workers.add(engine);
        then();
      });
    });
  }

  /** The engine finishes what it has; then its process ends and its target leaves the scrape list. */
  remove(deployment: Deployment, engine: Engine): void {
    this.truth.note({ kind: 'drain', atMs: this.simulation.nowMs, engine: engine.instance });
    this.router.workers.remove(engine);
    this.whenEmpty(engine, () => {
      this.truth.note({ kind: 'removed', atMs: this.simulation.nowMs, engine: engine.instance });
      deployment.removeEngine(engine);
    });
  }

  /** Runs `then` as soon as the engine has no request left. */
  whenEmpty(engine: Engine, then: () => void): void {
    if (engine.requests().length === 0) {
      then();
    } else {
      this.simulation.after(LOOK_EVERY_MS, () => this.whenEmpty(engine, then));
    }
  }

  stopScrape(engine: Engine): void {
    engine.isScrapeStopped = true;
    this.truth.note({ kind: 'scrape-stopped', atMs: this.simulation.nowMs, engine: engine.instance });
  }

  resumeScrape(engine: Engine): void {
    engine.isScrapeStopped = false;
    this.truth.note({ kind: 'scrape-resumed', atMs: this.simulation.nowMs, engine: engine.instance });
  }

  /** Prometheus itself is away in [fromMs, untilMs): no sample of anything, not even `up`. */
  prometheusGap(fromMs: number, untilMs: number): void {
    this.gaps.push({ fromMs, untilMs });
    this.truth.note({ kind: 'prometheus-gap', atMs: fromMs, untilMs });
  }

  isPrometheusAway(atMs: number): boolean {
    return this.gaps.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs < untilMs);
  }

  /** Until `atMs` the clock of Prometheus was `byMs` slow; then it is set right, and sample times jump ahead. */
  stepSampleClock(atMs: number, byMs: number): void {
    this.clockStep = { untilMs: atMs, byMs };
    this.truth.note({ kind: 'clock-step', atMs, stepMs: byMs });
  }

  /** The time that Prometheus writes to a sample taken at `atMs`. */
  stamp(atMs: number): number {
    return atMs < this.clockStep.untilMs ? atMs - this.clockStep.byMs : atMs;
  }

  /** The faults that are on now, for people to read. */
  describe(engines: readonly Engine[]): readonly string[] {
    return engines.flatMap((engine) => [
      ...(engine.isUp ? [] : [`${engine.instance} is down`]),
      ...(engine.isScrapeStopped ? [`${engine.instance} scrape stopped`] : []),
      ...(engine.scheduler.isBlocked ? [`${engine.instance} loop blocked`] : []),
      ...(isReceiverDead(engine) ? [`${engine.instance} receiver dead`] : []),
      ...engine.troubles.names().map((name) => `${engine.instance} ${name}`),
    ]);
  }
}

function isReceiverDead(engine: Engine): boolean {
  return engine.scheduler instanceof DecodeScheduler && engine.scheduler.isReceiverDead;
}
