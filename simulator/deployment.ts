import { Clients } from './clients';
import { type DeploymentConfig } from './config';
import { Engine } from './engine';
import { type Random } from './random';
import { Router } from './router';
import { type Role } from './rankLabels';
import { type Simulation } from './simulation';
import { type Truth } from './truth';

const PORTS: Readonly<Record<Role, number>> = { prefill: 30000, decode: 30002 };

/** Router, engines and clients of one model, wired together. */
export class Deployment {
  readonly router: Router;
  readonly clients: Clients;
  private readonly built = { prefill: 0, decode: 0 };
  private readonly present: Engine[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly config: DeploymentConfig,
    private readonly random: Random,
    truth: Truth
  ) {
    this.router = new Router('router-0:30001', config, simulation);
    const roles: Role[] = [
      ...Array.from({ length: config.prefillCount }, (): Role => 'prefill'),
      ...Array.from({ length: config.decodeCount }, (): Role => 'decode'),
    ];
    roles.forEach((role) => this.addEngine(role));
    this.clients = new Clients(simulation, config, this.router, truth);
    this.scheduleHealthCheck();
  }

  get engines(): readonly Engine[] {
    return this.present;
  }

  /** Everything that Prometheus scrapes. */
  get targets(): ReadonlyArray<Engine | Router> {
    return [this.router, ...this.present];
  }

  /** A further engine joins the pool of its role. */
  addEngine(role: Role): Engine {
    const { simulation, config, router } = this;
    const instance = `${role}-${this.built[role]}:${PORTS[role]}`;
    this.built[role] += 1;
    const engine = new Engine({
      instance,
      role,
      simulation,
      config,
      random: this.random.fork(instance),
      listener: {
        legFinished: (request, finishedRole) => router.legFinished(request, finishedRole),
        legFailed: (request, failedRole) => router.legFailed(request, failedRole),
        firstByte: (request) => router.firstByte(request),
      },
    });
    this.present.push(engine);
    router.workers.add(engine);
    return engine;
  }

  /** The process ends and its target is taken out of the scrape list, so no scrape fails. */
  removeEngine(engine: Engine): void {
    this.router.workers.remove(engine);
    this.router.lost(engine, engine.stop());
    this.present.splice(this.present.indexOf(engine), 1);
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
