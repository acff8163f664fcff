import { type DeploymentConfig } from './config';
import { createRequest, type Request, type RequestSpec } from './request';
import { type Router } from './router';
import { type Simulation } from './simulation';
import { type Truth } from './truth';

/**
 * The users: they send requests, and give up after a time without a single byte.
 * Simplified: who leaves is noticed at once, where a real server takes some seconds more.
 */
export class Clients {
  private lastId = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly config: DeploymentConfig,
    private readonly router: Router,
    private readonly truth: Truth
  ) {}

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  send(spec: RequestSpec): Request {
    const request = createRequest(this.nextId(), spec, this.simulation.nowMs);
    this.router.dispatch(request);
    this.simulation.after(spec.patienceMs ?? this.config.clientTimeoutMs, () => this.giveUp(request));
    return request;
  }

  /** One of the few requests of a broken hour, written down one by one. */
  sendTry(spec: RequestSpec): Request {
    const request = this.send(spec);
    const { id, promptTokens } = request;
    this.truth.note({ kind: 'client-try', atMs: this.simulation.nowMs, requestId: id, promptTokens });
    return request;
  }

  /** The user presses stop. */
  cancel(request: Request): void {
    if (request.outcome === undefined) {
      this.leave('client-abort', request);
    }
  }

  private giveUp(request: Request): void {
    if (request.outcome === undefined && request.firstByteAtMs === undefined) {
      this.leave('client-timeout', request);
    }
  }

  private leave(kind: 'client-abort' | 'client-timeout', request: Request): void {
    const stage = `${request.prefill.stage}/${request.decode.stage}`;
    this.truth.note({ kind, atMs: this.simulation.nowMs, requestId: request.id, stage });
    this.router.drop(request);
  }
}
