import { type DeploymentConfig } from './config';
import { type Engine } from './engine';
import { type Role } from './rankLabels';
import { Registry, type Family, type Sample } from './registry';
import { type Request } from './request';
import { type Simulation } from './simulation';
import { type Choice, Workers } from './workers';

const family = (name: string, type: Family['type'], help: string): Family => ({ name: `smg_${name}`, type, help });
const FAMILIES = {
  httpRequests: family('http_requests', 'counter', 'Total HTTP requests by method and path.'),
  httpResponses: family('http_responses', 'counter', 'Total HTTP responses by status code.'),
  httpConnections: family('http_connections_active', 'gauge', 'Active HTTP connections.'),
  httpAges: family('http_inflight_request_age_count', 'gauge', 'In-flight HTTP requests by age.'),
};

/** Each bucket begins here and ends where the next one begins; seconds. */
const AGES_S = [0, 30, 60, 180, 300, 600, 1200, 3600] as const;
const AGE_SAMPLED_MS = 20_000;

const HEALTH_CHECK_TIMEOUT_MS = 5_000;
const REFUSED_AFTER_MS = 2;

/** The gateway in PD mode: it sends every request to one prefill and one decode engine at once. */
export class Router {
  readonly job = 'sglang-router';
  readonly isUp = true;
  isScrapeStopped = false;
  readonly workers: Workers;
  /** Set by a fault: what is sent to these engines never arrives, and the router is not told. */
  readonly unreachable = new Set<Engine>();
  /** Set by a fault: when a client leaves one of these prefill engines, the decode side is not told. */
  readonly silentAborts = new Set<Engine>();
  /** Set by a fault: of one side every so many legs get lost, whichever engine they are for. */
  lossy: { readonly role: Role; readonly every: number } | undefined;
  private sentLegs = 0;
  private readonly registry = new Registry();
  /** Legs that the router believes to be open. */
  private readonly openLegs = new Map<Request, Set<Engine>>();
  /** Requests whose client waits. */
  private readonly openRequests = new Set<Request>();

  constructor(
    readonly instance: string,
    private readonly config: DeploymentConfig,
    private readonly simulation: Simulation
  ) {
    this.workers = new Workers(this.registry, config);
    this.registry.set(FAMILIES.httpConnections, {}, 0);
    this.sampleAges();
  }

  scrape(): readonly Sample[] | undefined {
    return this.isScrapeStopped ? undefined : this.registry.samples();
  }

  /** Sends both legs. Without a usable worker of either role the client gets an error at once. */
  dispatch(request: Request): void {
    this.registry.add(FAMILIES.httpRequests, { method: 'POST', path: '/v1/chat/completions' });
    this.registry.move(FAMILIES.httpConnections, {}, 1);
    this.openRequests.add(request);
    const prefill = this.workers.choose('prefill', request.via?.prefill);
    const decode = this.workers.choose('decode', request.via?.decode);
    if (prefill === undefined || decode === undefined) {
      this.fail(request, '503', 'no_available_workers');
      return;
    }
    this.openLegs.set(request, new Set());
    [prefill, decode].forEach((choice) => this.send(request, choice));
    this.simulation.after(this.config.routerTimeoutMs, () => {
      if (request.outcome === undefined) {
        this.fail(request, '504', 'request_timeout');
        this.dropLegs(request);
      }
    });
  }

  /** The client has left: drop whichever legs are still open. Prefill's has ended once the answer is running. */
  drop(request: Request): void {
    if (request.outcome === undefined) {
      request.outcome = 'aborted';
      this.closeClient(request);
      const { engine } = request.prefill;
      this.dropLegs(request, engine !== undefined && this.silentAborts.has(engine) ? 'prefill' : undefined);
    }
  }

  /** An engine process died under these requests: the clients get an error, the other leg is dropped. */
  lost(engine: Engine, requests: readonly Request[]): void {
    for (const request of requests) {
      this.closeLeg(request, engine);
      if (request.outcome === undefined) {
        this.fail(request, '502', 'worker_connection_lost');
        this.dropLegs(request);
      }
    }
  }

  legFinished(request: Request, role: Role): void {
    this.closeLeg(request, role === 'prefill' ? request.prefill.engine : request.decode.engine);
    if (role === 'decode' && request.outcome === undefined) {
      request.outcome = 'finished';
      this.closeClient(request);
    }
  }

  /** The engine gave up on the request. The router waits for the other leg, or drops it and answers with an error. */
  legFailed(request: Request, role: Role): void {
    this.closeLeg(request, role === 'prefill' ? request.prefill.engine : request.decode.engine);
    const isOtherOpen = (this.openLegs.get(request)?.size ?? 0) > 0;
    if (request.outcome === undefined && !(isOtherOpen && this.config.routerJoin === 'waits for the other')) {
      this.fail(request, '500', `${role}_internal_error`);
      this.dropLegs(request);
    }
  }

  /** Response headers go out with the first token; a client that leaves earlier gets no response at all. */
  firstByte(request: Request): void {
    request.firstByteAtMs = this.simulation.nowMs;
    this.registry.add(FAMILIES.httpResponses, { status_code: '200', error_code: '' });
  }

  checkWorkers(nextProbeId: () => number): void {
    for (const engine of this.workers.all) {
      let isAnswered = false;
      const conclude = (isHealthy: boolean): void => {
        if (!isAnswered) {
          isAnswered = true;
          this.workers.concludeCheck(engine, isHealthy);
        }
      };
      engine.checkHealth(nextProbeId(), conclude);
      this.simulation.after(HEALTH_CHECK_TIMEOUT_MS, () => conclude(false));
    }
  }

  private isLost(role: Role): boolean {
    this.sentLegs += this.lossy?.role === role ? 1 : 0;
    return this.lossy?.role === role && this.sentLegs % this.lossy.every === 0;
  }

  private send(request: Request, { engine, isSent }: Choice): void {
    if (!isSent) {
      return;
    }
    this.openLegs.get(request)?.add(engine);
    this.workers.legOpened(engine);
    if (this.unreachable.has(engine) || this.isLost(engine.role)) {
      return;
    }
    if (engine.isUp) {
      engine.open(request);
      return;
    }
    this.simulation.after(REFUSED_AFTER_MS, () => {
      this.closeLeg(request, engine);
      if (request.outcome === undefined) {
        this.fail(request, '502', 'connection_refused');
        this.dropLegs(request);
      }
    });
  }

  private fail(request: Request, statusCode: string, errorCode: string): void {
    if (request.firstByteAtMs === undefined) {
      this.registry.add(FAMILIES.httpResponses, { status_code: statusCode, error_code: errorCode });
    }
    request.outcome = 'failed';
    this.closeClient(request);
  }

  /** Ends the legs that are open, or only the one of `role`: the other goes on without the router. */
  private dropLegs(request: Request, role?: Role): void {
    for (const leg of [request.prefill, request.decode]) {
      if (leg.isOpen && (role === undefined || leg.engine?.role === role)) {
        leg.engine?.abort(request);
      }
    }
    this.openLegs.get(request)?.forEach((engine) => this.closeLeg(request, engine));
  }

  private closeLeg(request: Request, engine: Engine | undefined): void {
    const legs = this.openLegs.get(request);
    if (engine !== undefined && legs?.delete(engine) === true) {
      this.workers.legClosed(engine);
      if (legs.size === 0) {
        this.openLegs.delete(request);
      }
    }
  }

  private closeClient(request: Request): void {
    this.registry.move(FAMILIES.httpConnections, {}, -1);
    this.openRequests.delete(request);
  }

  /** How old the open requests are is looked at now and then, not at every scrape. */
  private sampleAges(): void {
    const { nowMs } = this.simulation;
    const ages = [...this.openRequests].map((request) => (nowMs - request.sentAtMs) / 1000);
    AGES_S.forEach((gt, k) => {
      const le = AGES_S[k + 1] ?? Infinity;
      const labels = { gt: String(gt), le: le === Infinity ? '+Inf' : String(le) };
      this.registry.set(FAMILIES.httpAges, labels, ages.filter((age) => age > gt && age <= le).length);
    });
    this.simulation.after(AGE_SAMPLED_MS, () => this.sampleAges());
  }
}
