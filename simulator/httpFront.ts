import { type DeploymentConfig } from './config';
import { type EngineFamilies } from './engineFamilies';
import { type Labels, type Registry } from './registry';
import { type Request } from './request';
import { type Role } from './rankLabels';
import { type VersionProfile } from './versionProfile';

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
  /** Labels of the metrics that say whether a request streams. */
  private readonly requestLabels: Labels;
  private readonly hasHttpMetrics: boolean;
  private readonly httpEndsWith: VersionProfile['httpEndsWith'];

  constructor(
    private readonly registry: Registry,
    private readonly families: EngineFamilies,
    { modelName, profile }: DeploymentConfig,
    role: Role
  ) {
    this.labels = { model_name: modelName, ...(profile.tokenizerHasEngineType ? { engine_type: role } : {}) };
    this.requestLabels = { ...this.labels, ...(profile.hasStreamingLabel ? { is_streaming: 'True' } : {}) };
    this.hasHttpMetrics = profile.hasHttpMetrics;
    this.httpEndsWith = profile.httpEndsWith;
  }

  open(endpoint: Endpoint): void {
    if (this.hasHttpMetrics) {
      this.registry.add(this.families.httpRequests, ROUTES[endpoint]);
      this.registry.move(this.families.httpActive, ROUTES[endpoint], 1);
    }
    if (this.endsWithHeaders(endpoint)) {
      this.end(endpoint, '200');
    }
  }

  /** The response stream has ended, with its last byte or because the client has left. */
  close(endpoint: Endpoint, statusCode: string): void {
    if (!this.endsWithHeaders(endpoint)) {
      this.end(endpoint, statusCode);
    }
  }

  /** Only an answer that is streamed has its headers before its end. */
  private endsWithHeaders(endpoint: Endpoint): boolean {
    return endpoint === 'generate' && this.httpEndsWith === 'headers';
  }

  private end(endpoint: Endpoint, statusCode: string): void {
    if (!this.hasHttpMetrics) {
      return;
    }
    const route = ROUTES[endpoint];
    const labels = { endpoint: route.endpoint, status_code: statusCode, method: route.method };
    this.registry.add(this.families.httpResponses, labels);
    this.registry.move(this.families.httpActive, ROUTES[endpoint], -1);
  }

  /** One AbortReq was sent to the scheduler, whether or not that one ever reads it. */
  abortDispatched(): void {
    this.registry.add(this.families.aborted, this.labels);
  }

  /**
   * The scheduler is done with a request (not a health probe). SGLang counts failures and aborts alike, also where the client
   * has left; only what is aborted in a waiting queue never comes back as an output.
   */
  finished(request: Request, generatedTokens: number, nowMs: number): void {
    this.registry.add(this.families.requests, this.requestLabels);
    this.registry.add(this.families.promptTokens, this.requestLabels, request.promptTokens);
    this.registry.add(this.families.generationTokens, this.requestLabels, generatedTokens);
    this.registry.observe(this.families.endToEnd, this.requestLabels, (nowMs - request.sentAtMs) / 1000);
  }

  firstToken(seconds: number): void {
    this.registry.observe(this.families.firstToken, this.requestLabels, seconds);
  }

  /** `times` requests received their next token after the same gap. */
  nextTokens(gapSeconds: number, times: number): void {
    this.registry.observe(this.families.interToken, this.labels, gapSeconds, times);
  }
}
