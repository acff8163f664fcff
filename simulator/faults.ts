import { type Engine } from './engine';
import { DecodeScheduler } from './decodeScheduler';
import { type Router } from './router';
import { type Simulation } from './simulation';
import { type Truth } from './truth';

const RESTART_DOWN_MS = 3_000;

/** Everything that can be done to the deployment. A fault acts on loops and requests, never on a metric's value. */
export class Faults {
  private readonly gaps: Array<{ readonly fromMs: number; readonly untilMs: number }> = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly router: Router,
    private readonly truth: Truth,
    private readonly onServiceBack: () => void
  ) {}

  /** KV still lands, but decode never concludes a transfer again. Its loop lives on. */
  killReceiver(engine: Engine): void {
    if (engine.scheduler instanceof DecodeScheduler) {
      engine.scheduler.isReceiverDead = true;
      this.truth.note({ kind: 'receiver-dead', atMs: this.simulation.nowMs, engine: engine.instance });
    }
  }

  /** The scheduler does nothing at all any more; its HTTP process lives on. */
  blockLoop(engine: Engine): void {
    engine.scheduler.isBlocked = true;
    this.truth.note({ kind: 'loop-blocked', atMs: this.simulation.nowMs, engine: engine.instance });
  }

  /** A new process after a few seconds: its counters and gauges start from nothing, its requests are lost. Nothing happens while it is already down. */
  restart(engine: Engine): void {
    const { simulation, router, truth } = this;
    if (!engine.isUp) {
      return;
    }
    truth.note({ kind: 'restart', atMs: simulation.nowMs, engine: engine.instance, downMs: RESTART_DOWN_MS });
    router.lost(engine, engine.restart(RESTART_DOWN_MS));
    simulation.after(RESTART_DOWN_MS, this.onServiceBack);
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

  /** The faults that are on now, for people to read. */
  describe(engines: readonly Engine[]): readonly string[] {
    return engines.flatMap((engine) => [
      ...(engine.isUp ? [] : [`${engine.instance} is down`]),
      ...(engine.isScrapeStopped ? [`${engine.instance} scrape stopped`] : []),
      ...(engine.scheduler.isBlocked ? [`${engine.instance} loop blocked`] : []),
      ...(isReceiverDead(engine) ? [`${engine.instance} receiver dead`] : []),
    ]);
  }
}

function isReceiverDead(engine: Engine): boolean {
  return engine.scheduler instanceof DecodeScheduler && engine.scheduler.isReceiverDead;
}
