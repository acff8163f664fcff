import { type DeploymentConfig } from './config';
import { DecodeScheduler } from './decodeScheduler';
import { engineFamilies, type EngineFamilies } from './engineFamilies';
import { HttpFront } from './httpFront';
import { PrefillScheduler } from './prefillScheduler';
import { type Random } from './random';
import { Registry, type Sample } from './registry';
import { createRequest, type DecodeStage, type Leg, type PrefillStage, type Request } from './request';
import { type SchedulerContext } from './scheduler';
import { type Role, SchedulerMetrics } from './schedulerMetrics';
import { type Simulation } from './simulation';

/** What the router wants to know about a request on an engine. */
export interface EngineListener {
  readonly legFinished: (request: Request, role: Role) => void;
  readonly firstByte: (request: Request) => void;
}

export interface EngineOptions {
  readonly instance: string;
  readonly role: Role;
  readonly simulation: Simulation;
  readonly config: DeploymentConfig;
  readonly random: Random;
  readonly listener: EngineListener;
}

const NETWORK_MS = 2;
const HEALTH_TIMEOUT_MS = 20_000;

/** One SGLang server: HTTP process, scheduler and the metrics page they share. */
export class Engine {
  readonly job = 'sglang';
  readonly instance: string;
  readonly role: Role;
  isUp = true;
  /** A metric fault: the metrics page answers 503, the engine works on. */
  isScrapeStopped = false;
  scheduler: PrefillScheduler | DecodeScheduler;
  private readonly families: EngineFamilies;
  private registry = new Registry();
  private front: HttpFront;
  private present = new Set<Request>();
  private probes = new Map<Request, () => void>();

  constructor(private readonly options: EngineOptions) {
    this.instance = options.instance;
    this.role = options.role;
    this.families = engineFamilies(options.config.profile);
    this.front = new HttpFront(this.registry, this.families, options.config, options.role);
    this.scheduler = this.createScheduler();
  }

  /** The metrics page, or undefined when a scrape fails. */
  scrape(): readonly Sample[] | undefined {
    return this.isUp && !this.isScrapeStopped ? this.registry.samples() : undefined;
  }

  /** Takes a request over HTTP and hands it to the scheduler. */
  open(request: Request): void {
    const leg = this.enter(request);
    leg.isOpen = true;
    this.front.open('generate');
    this.deliver('request', request);
  }

  /** The router has dropped this leg: the HTTP exchange ends and an AbortReq goes to the scheduler. */
  abort(request: Request): void {
    const leg = this.leg(request);
    if (leg.isOpen && this.isUp) {
      leg.isOpen = false;
      this.front.abortDispatched();
      this.front.close('generate', '200');
      this.deliver('abort', request);
    }
  }

  /** Both schedulers know the request: connect sender and receiver, which takes a few milliseconds. */
  handshake(request: Request): void {
    if (request.isFake || request.prefill.stage !== 'bootstrap' || request.decode.stage !== 'prealloc') {
      return;
    }
    const { simulation, random } = this.options;
    request.handshakeAtMs = simulation.nowMs + random.between(5, 15);
    simulation.at(request.handshakeAtMs, () => this.wake());
  }

  wake(): void {
    this.scheduler.wake();
  }

  /** GET /health: `report` hears once whether it answered 200. */
  checkHealth(id: number, report: (isHealthy: boolean) => void): void {
    const { config, simulation } = this.options;
    if (!this.isUp) {
      report(false);
      return;
    }
    const front = this.front;
    front.open('health');
    const answer = (isHealthy: boolean): void => {
      front.close('health', isHealthy ? '200' : '503');
      report(isHealthy);
    };
    if (config.healthMode === 'static') {
      answer(true);
      return;
    }
    const probe = createRequest(id, { promptTokens: 1, outputTokens: 1 }, simulation.nowMs, true);
    this.enter(probe);
    this.probes.set(probe, () => answer(true));
    this.deliver('request', probe);
    simulation.after(HEALTH_TIMEOUT_MS, () => {
      if (this.probes.delete(probe)) {
        answer(false);
      }
    });
  }

  /** Kills the process and starts a new one after `downMs`. Returns the requests that were lost with it. */
  restart(downMs: number): readonly Request[] {
    const lost = [...this.present].filter((request) => this.leg(request).isOpen);
    this.isUp = false;
    this.scheduler.stop();
    this.present.forEach((request) => {
      const leg = this.leg(request);
      leg.isOpen = false;
      leg.stage = 'gone';
    });
    this.present.clear();
    this.probes.clear();
    this.options.simulation.after(downMs, () => {
      this.registry = new Registry();
      this.front = new HttpFront(this.registry, this.families, this.options.config, this.role);
      this.scheduler = this.createScheduler();
      this.isUp = true;
    });
    return lost;
  }

  /** How many requests really are in each stage, health probes included. */
  stages(): Readonly<Record<string, number>> {
    this.forgetGone();
    const counts: Record<string, number> = {};
    for (const request of this.present) {
      const { stage } = this.leg(request);
      counts[stage] = (counts[stage] ?? 0) + 1;
    }
    return counts;
  }

  private forgetGone(): void {
    this.present.forEach((request) => {
      const { stage, isOpen } = this.leg(request);
      if (stage === 'gone' && !isOpen) {
        this.present.delete(request);
      }
    });
  }

  private enter(request: Request): Leg<PrefillStage> | Leg<DecodeStage> {
    this.forgetGone();
    const leg = this.leg(request);
    leg.engine = this;
    leg.stage = 'arriving';
    leg.stageSinceMs = this.options.simulation.nowMs;
    this.present.add(request);
    return leg;
  }

  private leg(request: Request): Leg<PrefillStage> | Leg<DecodeStage> {
    return this.role === 'prefill' ? request.prefill : request.decode;
  }

  private deliver(kind: 'request' | 'abort', request: Request): void {
    const { scheduler } = this;
    this.options.simulation.after(NETWORK_MS, () => scheduler.receive(kind, request));
  }

  private finished(request: Request): void {
    const answerProbe = this.probes.get(request);
    if (answerProbe !== undefined) {
      this.probes.delete(request);
      answerProbe();
    }
    const leg = this.leg(request);
    if (request.isFake || !leg.isOpen) {
      leg.stage = 'gone';
      return;
    }
    leg.isOpen = false;
    const tokens = this.role === 'prefill' ? 1 : request.generatedTokens;
    this.front.finished(request, tokens, this.options.simulation.nowMs);
    this.front.close('generate', '200');
    this.options.listener.legFinished(request, this.role);
  }

  private firstToken(request: Request): void {
    if (!request.isFake && request.decode.isOpen) {
      this.front.firstToken((this.options.simulation.nowMs - request.sentAtMs) / 1000);
      this.options.listener.firstByte(request);
    }
  }

  private createScheduler(): PrefillScheduler | DecodeScheduler {
    const { simulation, config, random } = this.options;
    const context: SchedulerContext = {
      simulation,
      config,
      random,
      front: this.front,
      metrics: new SchedulerMetrics(this.registry, this.families, config, this.role),
      events: { finished: (request) => this.finished(request), firstToken: (request) => this.firstToken(request) },
    };
    return this.role === 'prefill' ? new PrefillScheduler(context) : new DecodeScheduler(context);
  }
}
