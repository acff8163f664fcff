import { enterStage, type Request } from './request';
import { Scheduler } from './scheduler';

/**
 * Decode event loop, in SGLang's order: read inbox, pop preallocated, pop transferred,
 * merge what arrived into the running batch, run one step, report every 40 steps.
 */
export class DecodeScheduler extends Scheduler {
  /** Set by a fault: KV lands, but no transfer is ever concluded. The loop itself goes on. */
  isReceiverDead = false;
  private prealloc: Request[] = [];
  private transfer: Request[] = [];
  private waiting: Request[] = [];
  private running: Request[] = [];
  private usedPages = 0;
  private steps = 0;
  private lastTokenMs = 0;
  private tokensSinceReport = 0;
  private lastReportMs = this.context.simulation.nowMs;

  /** Steps from now to the next gauge report, counting the one under way. */
  get stepsUntilReport(): number {
    const every = this.context.config.reportEverySteps;
    return every - (this.steps % every);
  }

  protected acceptRequest(request: Request): void {
    const { metrics, simulation } = this.context;
    if (request.isFake && this.running.length + this.waiting.length > 0) {
      this.context.events.finished(request);
      return;
    }
    metrics.stage('decode_prepare', enterStage(request.decode, 'prealloc', simulation.nowMs));
    this.prealloc.push(request);
    request.decode.engine?.handshake(request);
  }

  protected abortRequest(request: Request): void {
    switch (request.decode.stage) {
      case 'prealloc':
      case 'transfer':
      case 'running':
        request.decode.hasFailed = true;
        break;
      case 'waiting':
        this.waiting = this.waiting.filter((other) => other !== request);
        this.release(request);
        break;
      case 'arriving':
      case 'gone':
    }
  }

  protected round(): void {
    this.popPreallocated();
    this.popTransferred();
    this.mergeWaiting();
    if (this.running.length === 0) {
      this.onIdle();
      return;
    }
    const { config, simulation } = this.context;
    this.lastTokenMs = simulation.nowMs;
    this.runPass(config.stepBaseMs + config.stepPerRequestMs * this.running.length, () => this.finishStep());
  }

  protected isFullyIdle(): boolean {
    return this.prealloc.length + this.transfer.length + this.waiting.length + this.running.length === 0;
  }

  protected pushIdle(): void {
    this.push(0, 0, undefined);
  }

  private popPreallocated(): void {
    const { metrics, simulation } = this.context;
    let isAdmitting = true;
    this.prealloc = this.prealloc.filter((request) => {
      if (request.decode.hasFailed) {
        metrics.bootstrapFailed();
        this.release(request);
        return false;
      }
      const isReady = request.isFake || (request.handshakeAtMs ?? Infinity) <= simulation.nowMs;
      if (!isReady) {
        return true;
      }
      isAdmitting = isAdmitting && this.hasRoom(request);
      if (isAdmitting) {
        this.sendMetadata(request);
      }
      return !isAdmitting;
    });
  }

  private hasRoom(request: Request): boolean {
    const { kvCapacityTokens, pageTokens, requestSlots } = this.context.config;
    const slotsUsed = this.transfer.length + this.waiting.length + this.running.length;
    const reservedPages = this.running.length + this.waiting.length;
    const pagesLeft = kvCapacityTokens / pageTokens - this.usedPages - reservedPages;
    return slotsUsed < requestSlots && this.pages(request.promptTokens) <= pagesLeft;
  }

  private sendMetadata(request: Request): void {
    const { metrics, simulation } = this.context;
    request.decodePages = this.pages(request.promptTokens);
    this.usedPages += request.decodePages;
    metrics.stage('decode_bootstrap', enterStage(request.decode, 'transfer', simulation.nowMs));
    this.transfer.push(request);
    request.hasMetadata = true;
    request.prefill.engine?.wake();
  }

  private popTransferred(): void {
    const { metrics, simulation } = this.context;
    this.transfer = this.transfer.filter((request) => {
      if (request.decode.hasFailed) {
        metrics.transferFailed();
        this.release(request);
        return false;
      }
      if (!request.isFake && (this.isReceiverDead || !request.hasKvLanded)) {
        return true;
      }
      metrics.stage('decode_transferred', enterStage(request.decode, 'waiting', simulation.nowMs));
      this.waiting.push(request);
      request.isKvConcluded = true;
      request.prefill.engine?.wake();
      return false;
    });
  }

  /** The prebuilt "fake extend": delivers the token that prefill computed, without a forward pass. */
  private mergeWaiting(): void {
    const { events, metrics, simulation } = this.context;
    for (const request of this.waiting) {
      const seconds = enterStage(request.decode, 'running', simulation.nowMs);
      metrics.stage('decode_waiting', seconds);
      metrics.queueTime(seconds);
      metrics.stage('fake_output', 0);
      request.generatedTokens = 1;
      events.firstToken(request);
      if (request.outputTokens <= 1) {
        metrics.stage('quick_finish', 0);
        this.release(request);
        events.finished(request);
      } else {
        this.running.push(request);
      }
    }
    this.waiting = [];
  }

  private finishStep(): void {
    const { config, front, metrics, simulation } = this.context;
    const batchSize = this.running.length;
    this.steps += 1;
    this.tokensSinceReport += batchSize;
    metrics.tokens('decode', batchSize);
    metrics.pass('decode_cuda_graph');
    front.nextTokens((simulation.nowMs - this.lastTokenMs) / 1000, batchSize);
    const remaining = this.running.filter((request) => this.advance(request));
    if (this.steps % config.reportEverySteps === 0) {
      this.report(batchSize);
    }
    this.running = remaining;
  }

  /** One token further; false when the request has ended in this step. */
  private advance(request: Request): boolean {
    const { events } = this.context;
    request.generatedTokens += 1;
    const pagesNeeded = this.pages(request.promptTokens + request.generatedTokens - 1);
    this.usedPages += pagesNeeded - request.decodePages;
    request.decodePages = pagesNeeded;
    if (request.decode.hasFailed) {
      this.release(request);
      return false;
    }
    if (request.generatedTokens >= request.outputTokens) {
      this.release(request);
      events.finished(request);
      return false;
    }
    return true;
  }

  /** Pushes the batch size *before* the requests that end in this step are taken out. */
  private report(batchSize: number): void {
    const { nowMs } = this.context.simulation;
    const seconds = (nowMs - this.lastReportMs) / 1000;
    this.push(batchSize, this.tokensSinceReport / seconds, 0);
    this.tokensSinceReport = 0;
    this.lastReportMs = nowMs;
    this.lastPushMs = nowMs;
  }

  private push(running: number, genThroughput: number, cacheHitRate: number | undefined): void {
    this.context.metrics.push({
      running,
      queue: this.waiting.length,
      usedTokens: this.usedPages * this.context.config.pageTokens,
      genThroughput,
      cacheHitRate,
      bootstrap: 0,
      inflight: 0,
      prealloc: this.prealloc.length,
      transfer: this.transfer.length,
    });
  }

  private release(request: Request): void {
    this.usedPages -= request.decodePages;
    request.decodePages = 0;
    enterStage(request.decode, 'gone', this.context.simulation.nowMs);
  }
}
