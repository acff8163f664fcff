import { BootstrapQueue } from './bootstrapQueue';
import { KvLink } from './kvLink';
import { type Batch, nextChunk, takeBatch, uncomputed } from './prefillBatch';
import { enterStage, type PrefillStage, type Request } from './request';
import { Scheduler } from './scheduler';

/**
 * Prefill event loop, in SGLang's order: read inbox, pop bootstrapped, run a batch, report
 * (after the batch was appended to inflight and before inflight is polled), poll inflight.
 * Older releases report before the batch is computed.
 */
export class PrefillScheduler extends Scheduler {
  private readonly bootstrap = new BootstrapQueue(this.context, () => this.wake());
  private waiting: Request[] = [];
  private forward: Request[] = [];
  private inflight: Request[] = [];
  private chunked?: Request;
  private usedPages = 0;
  private readonly link = new KvLink(this.context);

  protected acceptRequest(request: Request): void {
    if (request.isFake && (this.waiting.length > 0 || this.chunked !== undefined)) {
      this.context.events.finished(request);
    } else {
      this.bootstrap.accept(request);
    }
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
    this.waiting.push(...this.bootstrap.pop());
    const batch = this.nextBatch();
    if (batch === undefined) {
      this.pollInflight();
      this.onIdle();
      return;
    }
    const { config, troubles } = this.context;
    if (config.profile.prefillReportsAt === 'scheduling') {
      this.report(batch);
    }
    const durationMs = config.prefillBatchBaseMs + batch.computeTokens / config.prefillTokensPerMs;
    if (troubles.onStuckPass !== undefined) {
      this.runPass(Infinity, () => undefined);
      troubles.onStuckPass();
    } else {
      this.runPass(durationMs, () => this.finishBatch(batch));
    }
  }

  protected isAnythingParked(): boolean {
    const parked = this.bootstrap.depth + this.waiting.length + this.forward.length + this.inflight.length;
    return parked > 0 || this.chunked !== undefined;
  }

  protected isIdleEnough(): boolean {
    return this.context.config.profile.idleRefreshNeeds === 'nothing parked'
      ? !this.isAnythingParked()
      : this.inflight.length === 0;
  }

  protected pushIdle(): void {
    this.push(undefined);
  }

  private nextBatch(): Batch | undefined {
    const { config, metrics } = this.context;
    if (this.chunked !== undefined) {
      const chunk = nextChunk(this.chunked, config);
      this.occupy(this.chunked, chunk.computeTokens);
      return chunk;
    }
    const batch = takeBatch(this.waiting, config);
    this.forward = [...(batch?.requests ?? [])];
    for (const request of this.forward) {
      const seconds = this.enter(request, 'forward');
      metrics.queueTime(seconds);
      metrics.stage('prefill_waiting', seconds);
      this.occupy(request, Math.min(uncomputed(request), config.prefillChunkTokens));
      this.chunked = uncomputed(request) > config.prefillChunkTokens ? request : undefined;
    }
    return batch;
  }

  /** A prompt holds pages for what is cached, computed, and in the pass that begins. */
  private occupy(request: Request, passTokens: number): void {
    const pages = this.pages(request.cachedTokens + request.computedTokens + passTokens);
    this.usedPages += pages - request.prefillPages;
    request.prefillPages = pages;
  }

  private finishBatch(batch: Batch): void {
    const { config, metrics, simulation } = this.context;
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
    if (config.profile.prefillReportsAt === 'result') {
      this.report(batch);
    }
    this.pollInflight();
    const { troubles } = this.context;
    troubles.afterPass?.();
    troubles.afterPass = undefined;
  }

  private startTransfer(request: Request): void {
    request.computedTokens = request.promptTokens - request.cachedTokens;
    this.context.metrics.stage('prefill_forward', this.enter(request, 'inflight'));
    this.inflight.push(request);
    if (request.isFake) {
      request.isKvConcluded = true;
    } else {
      this.link.send(request);
    }
  }

  private report(batch: Batch): void {
    const { metrics, simulation } = this.context;
    metrics.tokens('prefill_compute', batch.computeTokens);
    metrics.tokens('prefill_cache', batch.cacheTokens);
    const total = batch.computeTokens + batch.cacheTokens;
    this.push(total > 0 ? batch.cacheTokens / total : 0);
    this.lastPushMs = simulation.nowMs;
  }

  /** The running gauge of a prefill engine is 0 in these releases, whatever it computes. */
  private push(cacheHitRate: number | undefined): void {
    this.context.metrics.push({
      running: 0,
      queue: this.waiting.length,
      usedTokens: this.usedPages * this.context.config.pageTokens,
      genThroughput: 0,
      cacheHitRate,
      bootstrap: this.bootstrap.depth,
      inflight: this.inflight.length,
      prealloc: 0,
      transfer: 0,
      retracted: 0,
      isIdleRefresh: cacheHitRate === undefined,
    });
  }

  private pollInflight(): void {
    const { config, events, metrics, simulation } = this.context;
    this.inflight = this.inflight.filter((request) => {
      if (request.prefill.hasFailed) {
        metrics.transferFailed();
        this.release(request);
        events.failed(request);
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

  /** Returns how long the stage before lasted, in seconds. */
  private enter(request: Request, stage: PrefillStage): number {
    return enterStage(request.prefill, stage, this.context.simulation.nowMs);
  }

  private release(request: Request): void {
    this.usedPages -= request.prefillPages;
    request.prefillPages = 0;
    this.enter(request, 'gone');
  }
}
