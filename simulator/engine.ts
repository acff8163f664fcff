import { type DeploymentConfig } from './config';
import { type AnyScheduler, EngineProcess } from './engineProcess';
import { HealthProbes } from './healthProbes';
import { type AnyLeg, Legs } from './legs';
import { type Random } from './random';
import { type Role } from './rankLabels';
import { type Sample } from './registry';
import { type Request } from './request';
import { type Simulation } from './simulation';
import { type Troubles } from './troubles';
import { type VersionProfile } from './versionProfile';

/** What the router wants to know about a request on an engine. */
export interface EngineListener {
  readonly legFinished: (request: Request, role: Role) => void;
  readonly legFailed: (request: Request, role: Role) => void;
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

/** One SGLang server, whose process may be replaced. */
export class Engine {
  readonly job = 'sglang';
  readonly instance: string;
  readonly role: Role;
  isUp = true;
  /** A metric fault: the metrics page answers 503, the engine works on. */
  isScrapeStopped = false;
  private readonly probes: HealthProbes;
  private readonly legs: Legs;
  private process: EngineProcess;
  private profile: VersionProfile;
  private turn = 0;

  constructor(private readonly options: EngineOptions) {
    this.instance = options.instance;
    this.role = options.role;
    this.probes = new HealthProbes(options.simulation);
    this.legs = new Legs(options.role);
    this.profile = options.config.profile;
    this.process = this.createProcess();
  }

  get troubles(): Troubles {
    return this.process.troubles;
  }

  get schedulers(): readonly AnyScheduler[] {
    return this.process.schedulers;
  }

  /** The scheduler of the first data-parallel rank, which is the only one unless configured. */
  get scheduler(): AnyScheduler {
    const [first] = this.schedulers;
    if (first === undefined) {
      throw new Error(`${this.instance} has no scheduler`);
    }
    return first;
  }

  /** The metrics page, or undefined when a scrape fails. */
  scrape(): readonly Sample[] | undefined {
    return this.isUp && !this.isScrapeStopped ? this.process.registry.samples() : undefined;
  }

  /** Takes a request over HTTP and hands it to the scheduler. */
  open(request: Request): void {
    this.enter(request).isOpen = true;
    this.process.front.open('generate');
    this.deliver('request', request);
  }

  /** The router has dropped this leg: the HTTP exchange ends and an AbortReq goes to the scheduler, unless that got lost. */
  abort(request: Request): void {
    const leg = this.legs.of(request);
    if (!leg.isOpen || !this.isUp) {
      return;
    }
    leg.isOpen = false;
    if (!request.isZombie) {
      this.process.front.abortDispatched();
    }
    this.process.front.close('generate', '200');
    if (!request.isZombie && !this.troubles.losesAborts) {
      this.deliver('abort', request);
    }
  }

  /** Both schedulers know the request: connect sender and receiver, which takes a few milliseconds. */
  handshake(request: Request): void {
    if (request.isFake || request.prefill.stage !== 'bootstrap' || request.decode.stage !== 'prealloc') {
      return;
    }
    const { prefill, decode } = request;
    if (prefill.engine?.troubles.losesHandshakes === true || decode.engine?.troubles.losesHandshakes === true) {
      return;
    }
    const { simulation, random } = this.options;
    request.handshakeAtMs = simulation.nowMs + random.between(5, 15);
    simulation.at(request.handshakeAtMs, () => this.wake());
  }

  wake(): void {
    this.process.wake();
  }

  /** GET /health: `report` hears once whether it answered 200. */
  checkHealth(id: number, report: (isHealthy: boolean) => void): void {
    if (!this.isUp) {
      report(false);
      return;
    }
    const { front } = this.process;
    front.open('health');
    const answer = (isHealthy: boolean): void => {
      front.close('health', isHealthy ? '200' : '503');
      report(isHealthy);
    };
    if (this.options.config.healthMode === 'static') {
      answer(true);
      return;
    }
    const probe = this.probes.create(id, answer);
    this.enter(probe);
    this.deliver('request', probe);
  }

  /** The process dies. Returns the requests that were lost with it. */
  stop(): readonly Request[] {
    this.isUp = false;
    this.process.stop();
    this.probes.clear();
    return this.legs.lose();
  }

  /** A new process, of another release where one is given: nothing is wrong with it, and it counts from nothing. */
  start(profile = this.profile): void {
    this.profile = profile;
    this.process = this.createProcess();
    this.isUp = true;
  }

  /** How many requests really are in each stage, health probes included. */
  stages(): Readonly<Record<string, number>> {
    return this.legs.counts();
  }

  /** The requests that are here, oldest first. */
  requests(): readonly Request[] {
    return this.legs.all();
  }

  private enter(request: Request): AnyLeg {
    const leg = this.legs.enter(request, this, this.options.simulation.nowMs);
    leg.dpRank = (request.dpRank ?? this.turn) % this.schedulers.length;
    this.turn += 1;
    return leg;
  }

  private deliver(kind: 'request' | 'abort', request: Request): void {
    const { lostLink } = this.troubles;
    const scheduler = this.schedulers[this.legs.of(request).dpRank];
    if (lostLink === 'none' || (lostLink === 'clients' && request.isFake)) {
      this.options.simulation.after(NETWORK_MS, () => scheduler?.receive(kind, request));
    }
  }

  private finished(request: Request): void {
    this.probes.concluded(request);
    const leg = this.legs.of(request);
    if (request.isFake) {
      leg.stage = 'gone';
      return;
    }
    const tokens = this.role === 'prefill' ? 1 : request.generatedTokens;
    this.process.front.finished(request, tokens, this.options.simulation.nowMs);
    if (!leg.isOpen) {
      leg.stage = 'gone';
      return;
    }
    leg.isOpen = false;
    this.process.front.close('generate', '200');
    this.options.listener.legFinished(request, this.role);
  }

  private failed(request: Request): void {
    const leg = this.legs.of(request);
    this.process.front.finished(request, 0, this.options.simulation.nowMs);
    if (leg.isOpen) {
      leg.isOpen = false;
      this.process.front.close('generate', '500');
      this.options.listener.legFailed(request, this.role);
    }
  }

  private firstToken(request: Request): void {
    if (!request.isFake && request.decode.isOpen) {
      this.process.front.firstToken((this.options.simulation.nowMs - request.sentAtMs) / 1000);
      this.options.listener.firstByte(request);
    }
  }

  private createProcess(): EngineProcess {
    const config = { ...this.options.config, profile: this.profile };
    return new EngineProcess(
      { ...this.options, config },
      {
        finished: (request) => this.finished(request),
        firstToken: (request) => this.firstToken(request),
        failed: (request) => this.failed(request),
      }
    );
  }
}
