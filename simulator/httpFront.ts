import { type DeploymentConfig } from './config';
import { type EngineFamilies } from './engineFamilies';
import { type Labels, type Registry } from './registry';
import { type Request } from './request';
import { type Role } from './schedulerMetrics';

export type Endpoint = 'generate' | 'health';

const ROUTES: Readonly<Record<Endpoint, { readonly endpoint: string; readonly method: string }>> = {
  generate: { endpoint: '/v1/chat/completions', method: 'POST' },
  health: { endpoint: '/health', method: 'GET' },
};

/**
 * The HTTP and tokenizer process of an engine. It lives on when the scheduler is stuck:
 * arrivals, active requests and dispatched aborts keep counting.
 */
export class HttpFront {
  private readonly labels: Labels;

  constructor(
    private readonly registry: Registry,
    private readonly families: EngineFamilies,
    config: DeploymentConfig,
    role: Role
  ) {
    this.labels = config.profile.tokenizerHasEngineType
      ? { model_name: config.modelName, engine_type: role }
      : { model_name: config.modelName };
  }

  open(endpoint: Endpoint): void {
    this.registry.add(this.families.httpRequests, ROUTES[endpoint]);
    this.registry.move(this.families.httpActive, ROUTES[endpoint], 1);
  }

  /** The response stream has ended, with its last byte or because the client has left. */
  close(endpoint: Endpoint, statusCode: string): void {
    const route = ROUTES[endpoint];
    const labels = { endpoint: route.endpoint, status_code: statusCode, method: route.method };
    this.registry.add(this.families.httpResponses, labels);
    this.registry.move(this.families.httpActive, ROUTES[endpoint], -1);
  }

  /** One AbortReq was sent to the scheduler, whether or not that one ever reads it. */
  abortDispatched(): void {
    this.registry.add(this.families.aborted, this.labels);
  }

  /** A request (not a health probe) has finished on this engine. */
  finished(request: Request, generatedTokens: number, nowMs: number): void {
    this.registry.add(this.families.requests, this.labels);
    this.registry.add(this.families.promptTokens, this.labels, request.promptTokens);
    this.registry.add(this.families.generationTokens, this.labels, generatedTokens);
    this.registry.observe(this.families.endToEnd, this.labels, (nowMs - request.sentAtMs) / 1000);
  }

  firstToken(seconds: number): void {
    this.registry.observe(this.families.firstToken, this.labels, seconds);
  }

  /** `times` requests received their next token after the same gap. */
  nextTokens(gapSeconds: number, times: number): void {
    this.registry.observe(this.families.interToken, this.labels, gapSeconds, times);
  }
}
