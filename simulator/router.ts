import { type Engine } from './engine';
import { Registry, type Family, type Sample } from './registry';
import { type Request } from './request';
import { type Role } from './schedulerMetrics';

const family = (name: string, type: Family['type'], help: string): Family => ({ name: `smg_${name}`, type, help });
const FAMILIES = {
  httpRequests: family('http_requests', 'counter', 'Total HTTP requests by method and path.'),
  httpResponses: family('http_responses', 'counter', 'Total HTTP responses by status code.'),
  httpConnections: family('http_connections_active', 'gauge', 'Active HTTP connections.'),
  workerActive: family('worker_requests_active', 'gauge', 'Requests being processed by each worker.'),
  workerHealth: family('worker_health', 'gauge', 'Worker health, 1 healthy and 0 not.'),
  workerBreaker: family('worker_cb_state', 'gauge', 'Circuit breaker: 0 closed, 1 open, 2 half-open.'),
  workerSelection: family('worker_selection', 'counter', 'Worker selections by the load balancing policy.'),
  workerHealthChecks: family('worker_health_checks', 'counter', 'Health checks by result.'),
};

const HEALTH_CHECK_TIMEOUT_MS = 5_000;
const FAILURES_TO_UNHEALTHY = 3;
const SUCCESSES_TO_HEALTHY = 2;

interface WorkerState {
  isHealthy: boolean;
  /** Consecutive checks that contradict the present state. */
  contraryChecks: number;
}

/** The gateway in PD mode: it sends every request to one prefill and one decode engine at once. */
export class Router {
  readonly job = 'sglang-router';
  readonly isUp = true;
  isScrapeStopped = false;
  private readonly registry = new Registry();
  private readonly workers = new Map<Engine, WorkerState>();
  private readonly turn = { prefill: 0, decode: 0 };

  constructor(
    readonly instance: string,
    private readonly modelName: string,
    private readonly scheduleMs: (delayMs: number, run: () => void) => void
  ) {
    this.registry.set(FAMILIES.httpConnections, {}, 0);
  }

  addWorker(engine: Engine): void {
    this.workers.set(engine, { isHealthy: true, contraryChecks: 0 });
    this.registry.set(FAMILIES.workerHealth, workerLabel(engine), 1);
    this.registry.set(FAMILIES.workerBreaker, workerLabel(engine), 0);
    this.registry.set(FAMILIES.workerActive, workerLabel(engine), 0);
  }

  scrape(): readonly Sample[] | undefined {
    return this.isScrapeStopped ? undefined : this.registry.samples();
  }

  /** Sends both legs. Without a usable worker of either role the client gets an error at once. */
  dispatch(request: Request): void {
    this.registry.add(FAMILIES.httpRequests, { method: 'POST', path: '/v1/chat/completions' });
    this.registry.move(FAMILIES.httpConnections, {}, 1);
    const prefill = this.select('prefill');
    const decode = this.select('decode');
    if (prefill === undefined || decode === undefined) {
      this.fail(request, '503', 'no_available_workers');
      return;
    }
    const engines = [prefill, decode];
    engines.forEach((engine) => this.registry.move(FAMILIES.workerActive, workerLabel(engine), 1));
    if (engines.some((engine) => !engine.isUp)) {
      engines.forEach((engine) => this.registry.move(FAMILIES.workerActive, workerLabel(engine), -1));
      this.fail(request, '502', 'connection_refused');
      return;
    }
    engines.forEach((engine) => engine.open(request));
  }

  /** The client has left: drop whichever legs are still open. Prefill's has ended once the answer is running. */
  drop(request: Request): void {
    if (request.outcome === undefined) {
      request.outcome = 'aborted';
      this.closeClient();
      this.dropLegs(request);
    }
  }

  /** An engine process died under these requests: the clients get an error, the other leg is dropped. */
  lost(engine: Engine, requests: readonly Request[]): void {
    for (const request of requests) {
      this.registry.move(FAMILIES.workerActive, workerLabel(engine), -1);
      if (request.outcome === undefined) {
        this.fail(request, '502', 'worker_connection_lost');
        this.dropLegs(request);
      }
    }
  }

  legFinished(request: Request, role: Role): void {
    const engine = role === 'prefill' ? request.prefill.engine : request.decode.engine;
    this.releaseLeg(engine);
    if (role === 'decode') {
      request.outcome = 'finished';
      this.closeClient();
    }
  }

  /** Response headers go out with the first token; a client that leaves earlier gets no response at all. */
  firstByte(request: Request, nowMs: number): void {
    request.firstByteAtMs = nowMs;
    this.registry.add(FAMILIES.httpResponses, { status_code: '200', error_code: '' });
  }

  checkWorkers(nextProbeId: () => number): void {
    for (const [engine, state] of this.workers) {
      let isAnswered = false;
      const conclude = (isHealthy: boolean): void => {
        if (!isAnswered) {
          isAnswered = true;
          this.concludeCheck(engine, state, isHealthy);
        }
      };
      engine.checkHealth(nextProbeId(), conclude);
      this.scheduleMs(HEALTH_CHECK_TIMEOUT_MS, () => conclude(false));
    }
  }

  private concludeCheck(engine: Engine, state: WorkerState, isHealthy: boolean): void {
    this.registry.add(FAMILIES.workerHealthChecks, {
      worker_type: engine.role,
      result: isHealthy ? 'success' : 'failure',
    });
    state.contraryChecks = isHealthy === state.isHealthy ? 0 : state.contraryChecks + 1;
    if (state.contraryChecks >= (isHealthy ? SUCCESSES_TO_HEALTHY : FAILURES_TO_UNHEALTHY)) {
      state.isHealthy = isHealthy;
      state.contraryChecks = 0;
      this.registry.set(FAMILIES.workerHealth, workerLabel(engine), isHealthy ? 1 : 0);
    }
  }

  private select(role: Role): Engine | undefined {
    const usable = [...this.workers].filter(([engine, state]) => engine.role === role && state.isHealthy);
    const [engine] = usable[this.turn[role] % Math.max(1, usable.length)] ?? [];
    if (engine !== undefined) {
      this.turn[role] += 1;
      const labels = { worker_type: role, connection_mode: 'http', model: this.modelName, policy: 'round_robin' };
      this.registry.add(FAMILIES.workerSelection, labels);
    }
    return engine;
  }

  private fail(request: Request, statusCode: string, errorCode: string): void {
    if (request.firstByteAtMs === undefined) {
      this.registry.add(FAMILIES.httpResponses, { status_code: statusCode, error_code: errorCode });
    }
    request.outcome = 'failed';
    this.closeClient();
  }

  private dropLegs(request: Request): void {
    for (const leg of [request.prefill, request.decode]) {
      if (leg.isOpen) {
        leg.engine?.abort(request);
        this.releaseLeg(leg.engine);
      }
    }
  }

  private releaseLeg(engine: Engine | undefined): void {
    if (engine !== undefined) {
      this.registry.move(FAMILIES.workerActive, workerLabel(engine), -1);
    }
  }

  private closeClient(): void {
    this.registry.move(FAMILIES.httpConnections, {}, -1);
  }
}

function workerLabel(engine: Engine): { readonly worker: string } {
  return { worker: `http://${engine.instance}` };
}
