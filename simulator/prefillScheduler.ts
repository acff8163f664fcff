import { enterStage, type PrefillStage, type Request } from './request';
import { Scheduler } from './scheduler';

/**
 * Prefill event loop, in SGLang's order: read inbox, pop bootstrapped, run a batch, report
 * (after the batch was appended to inflight and before inflight is polled), poll inflight.
 */
export class PrefillScheduler extends Scheduler {
  private bootstrap: Request[] = [];
  private waiting: Request[] = [];
  private forward: Request[] = [];
  private inflight: Request[] = [];
  private chunked?: Request;
  private usedPages = 0;

  protected acceptRequest(request: Request): void {
    if (request.isFake && (this.waiting.length > 0 || this.chunked !== undefined)) {
      this.context.events.finished(request);
      return;
    }
    this.enter(request, 'bootstrap');
    this.bootstrap.push(request);
    request.decode.engine?.handshake(request);
  }

  protected abortRequest(request: Request): void {
    switch (request.prefill.stage) {
      case 'bootstrap':
      case 'inflight':
        request.prefill.hasFailed = true;
        break;
      case 'waiting':
        this.waiting = this.waiting.filter((other) => other !== request);
        this.release(request);
        break;
      case 'forward':
        this.chunked = undefined;
        this.forward = [];
        this.release(request);
        break;
      case 'arriving':
      case 'gone':
    }
  }

  protected round(): void {
    this.popBootstrapped();
    const batch = this.nextBatch();
    if (batch === undefined) {
      this.pollInflight();
      this.onIdle();
      return;
    }
    const { config } = this.context;
    const durationMs = config.prefillBatchBaseMs + batch.computeTokens / config.prefillTokensPerMs;
    this.runPass(durationMs, () => this.finishBatch(batch));
  }

  protected isFullyIdle(): boolean {
    const parked = this.bootstrap.length + this.waiting.length + this.forward.length + this.inflight.length;
    return parked === 0 && this.chunked === undefined;
  }

  protected pushIdle(): void {
    this.push(undefined);
  }

  private popBootstrapped(): void {
    const { metrics, simulation } = this.context;
    this.bootstrap = this.bootstrap.filter((request) => {
      if (request.prefill.hasFailed) {
        metrics.bootstrapFailed();
        this.release(request);
        return false;
      }
      if (!request.isFake && !request.hasMetadata) {
        return true;
      }
      metrics.stage('prefill_bootstrap', enterStage(request.prefill, 'waiting', simulation.nowMs));
      this.waiting.push(request);
      return false;
    });
  }

  /** A long prompt is computed alone, chunk by chunk; short ones share a batch up to one chunk of tokens. */
  private nextBatch(): Batch | undefined {
    const { config, metrics, simulation } = this.context;
    if (this.chunked !== undefined) {
      const tokens = Math.min(uncomputed(this.chunked), config.prefillChunkTokens);
      return { requests: [this.chunked], computeTokens: tokens, cacheTokens: 0 };
    }
    const batch = { requests: new Array<Request>(), computeTokens: 0, cacheTokens: 0 };
    for (let next = this.waiting[0]; next !== undefined; next = this.waiting[0]) {
      const isFirst = batch.requests.length === 0;
      if (!isFirst && batch.computeTokens + uncomputed(next) > config.prefillChunkTokens) {
        break;
      }
      this.waiting.shift();
      metrics.queueTime(enterStage(next.prefill, 'forward', simulation.nowMs));
      next.prefillPages = this.pages(next.promptTokens);
      this.usedPages += next.prefillPages;
      batch.requests.push(next);
      batch.cacheTokens += next.cachedTokens;
      batch.computeTokens += Math.min(uncomputed(next), config.prefillChunkTokens);
      if (uncomputed(next) > config.prefillChunkTokens) {
        this.chunked = next;
        break;
      }
    }
    this.forward = batch.requests;
    return batch.requests.length > 0 ? batch : undefined;
  }

  private finishBatch(batch: Batch): void {
    const { metrics, simulation } = this.context;
    metrics.pass('prefill_none');
    const [first] = batch.requests;
    if (first !== undefined && first === this.chunked && uncomputed(first) > batch.computeTokens) {
      first.computedTokens += batch.computeTokens;
      metrics.stage('chunked_prefill', (simulation.nowMs - first.prefill.stageSinceMs) / 1000);
    } else {
      batch.requests.forEach((request) => this.startTransfer(request));
      this.chunked = undefined;
      this.forward = [];
    }
    this.report(batch);
    this.pollInflight();
  }

  private startTransfer(request: Request): void {
    const { config, metrics, random, simulation } = this.context;
    request.computedTokens = request.promptTokens - request.cachedTokens;
    metrics.stage('prefill_forward', enterStage(request.prefill, 'inflight', simulation.nowMs));
    this.inflight.push(request);
    if (request.isFake) {
      request.isKvConcluded = true;
      return;
    }
    const sizeMb = request.promptTokens * config.kvMbPerToken;
    request.transferMs = config.transferBaseMs + sizeMb / config.transferMbPerMs + random.between(0, 3);
    simulation.after(request.transferMs, () => {
      request.hasKvLanded = true;
      request.decode.engine?.wake();
    });
  }

  private report(batch: Batch): void {
    const { metrics, simulation } = this.context;
    metrics.tokens('prefill_compute', batch.computeTokens);
    metrics.tokens('prefill_cache', batch.cacheTokens);
    const total = batch.computeTokens + batch.cacheTokens;
    this.push(total > 0 ? batch.cacheTokens / total : 0);
    this.lastPushMs = simulation.nowMs;
  }

  /** The running gauge of a prefill engine is 0 in this release, whatever it computes. */
  private push(cacheHitRate: number | undefined): void {
    this.context.metrics.push({
      running: 0,
      queue: this.waiting.length,
      usedTokens: this.usedPages * this.context.config.pageTokens,
      genThroughput: 0,
      cacheHitRate,
      bootstrap: this.bootstrap.length,
      inflight: this.inflight.length,
      prealloc: 0,
      transfer: 0,
    });
  }

  private pollInflight(): void {
    const { config, events, metrics, simulation } = this.context;
    this.inflight = this.inflight.filter((request) => {
      if (request.prefill.hasFailed) {
        metrics.transferFailed();
        this.release(request);
        return false;
      }
      if (!request.isKvConcluded) {
        return true;
      }
      metrics.stage('prefill_transfer_kv_cache', (simulation.nowMs - request.prefill.stageSinceMs) / 1000);
      if (!request.isFake) {
        metrics.kvTransfer(request.transferMs, request.promptTokens * config.kvMbPerToken);
      }
      this.release(request);
      events.finished(request);
      return false;
    });
  }

  private enter(request: Request, stage: PrefillStage): void {
    enterStage(request.prefill, stage, this.context.simulation.nowMs);
  }

  private release(request: Request): void {
    this.usedPages -= request.prefillPages;
    request.prefillPages = 0;
    this.enter(request, 'gone');
  }
}

interface Batch {
  readonly requests: readonly Request[];
  readonly computeTokens: number;
  readonly cacheTokens: number;
}

function uncomputed(request: Request): number {
  return request.promptTokens - request.cachedTokens - request.computedTokens;
}
