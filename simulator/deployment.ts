import { Clients } from './clients';
import { type DeploymentConfig } from './config';
import { Engine } from './engine';
import { type Random } from './random';
import { Router } from './router';
import { type Role } from './schedulerMetrics';
import { type Simulation } from './simulation';
import { type Truth } from './truth';

const PORTS: Readonly<Record<Role, number>> = { prefill: 30000, decode: 30002 };

/** Router, engines and clients of one model, wired together. */
export class Deployment {
  readonly router: Router;
  readonly clients: Clients;
  readonly engines: readonly Engine[];

  constructor(
    private readonly simulation: Simulation,
    private readonly config: DeploymentConfig,
    random: Random,
    truth: Truth
  ) {
    this.router = new Router('router-0:30001', config.modelName, (delayMs, run) => simulation.after(delayMs, run));
    this.engines = [
      ...this.createEngines('prefill', config.prefillCount, random),
      ...this.createEngines('decode', config.decodeCount, random),
    ];
    this.engines.forEach((engine) => this.router.addWorker(engine));
    this.clients = new Clients(simulation, config, this.router, truth);
    this.scheduleHealthCheck();
  }

  /** Everything that Prometheus scrapes. */
  get targets(): ReadonlyArray<Engine | Router> {
    return [this.router, ...this.engines];
  }

  private createEngines(role: Role, count: number, random: Random): Engine[] {
    const { simulation, config, router } = this;
    return Array.from({ length: count }, (_, index) => {
      const instance = `${role}-${index}:${PORTS[role]}`;
      return new Engine({
        instance,
        role,
        simulation,
        config,
        random: random.fork(instance),
        listener: {
          legFinished: (request, finishedRole) => router.legFinished(request, finishedRole),
          firstByte: (request) => router.firstByte(request, simulation.nowMs),
        },
      });
    });
  }

  private scheduleHealthCheck(): void {
    const { healthIntervalMs, healthPhaseMs } = this.config;
    const passedMs =
      (((this.simulation.nowMs - healthPhaseMs) % healthIntervalMs) + healthIntervalMs) % healthIntervalMs;
    this.simulation.after(healthIntervalMs - passedMs, () => {
      this.router.checkWorkers(() => this.clients.nextId());
      this.scheduleHealthCheck();
    });
  }
}
