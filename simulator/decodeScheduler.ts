import { DecodeAdmission } from './decodeAdmission';
import { enterStage, type Request } from './request';
import { Retraction } from './retraction';
import { Scheduler } from './scheduler';

/**
 * Decode event loop, in SGLang's order: read inbox, resume retracted (while one is left, nothing else is polled),
 * pop preallocated, pop transferred, merge what arrived into the running batch, run one step, report every 40 steps.
 */
export class DecodeScheduler extends Scheduler {
  /** Set by a fault: KV lands, but no transfer is ever concluded. The loop itself goes on. */
  isReceiverDead = false;
  private readonly admission = new DecodeAdmission(this.context, () => this.busySlots());
  private waiting: Request[] = [];
  private running: Request[] = [];
  private readonly retraction = new Retraction(this.context, this.admission.pool);
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
    if (request.isFake && this.running.length + this.waiting.length > 0) {
      this.context.events.finished(request);
      return;
    }
    this.admission.accept(request);
  }

  protected abortRequest(request: Request): void {
    switch (request.decode.stage) {
      case 'prealloc':
      case 'transfer':
        request.decode.hasFailed = true;
        this.admission.tellPeer(request);
        break;
      case 'running':
        request.decode.hasFailed = true;
        break;
      case 'waiting':
      case 'retracted':
        this.waiting = this.waiting.filter((other) => other !== request);
        this.retraction.remove(request);
        this.admission.release(request);
        break;
      case 'arriving':
      case 'gone':
    }
  }

  protected round(): void {
    this.retraction.resumeInto(this.waiting, this.running.length);
    if (this.retraction.depth === 0) {
      this.admission.popPreallocated();
      this.waiting.push(...this.admission.popTransferred(this.isReceiverDead));
    }
    if (!this.canRun()) {
      return;
    }
    this.mergeWaiting();
    if (this.running.length === 0) {
      this.onIdle();
      return;
    }
    this.retraction.retractIfShort(this.running);
    const { config, simulation, troubles } = this.context;
    this.lastTokenMs = simulation.nowMs;
    const stepMs = config.stepBaseMs + config.stepPerRequestMs * this.running.length;
    this.runPass(stepMs * troubles.stepFactor, () => this.finishStep());
  }

  protected isAnythingParked(): boolean {
    return this.admission.depth + this.waiting.length + this.running.length + this.retraction.depth > 0;
  }

  protected isIdleEnough(): boolean {
    return this.context.config.profile.idleRefreshNeeds === 'inflight and prealloc empty'
      ? this.waiting.length + this.running.length + this.admission.prealloc.length === 0
      : !this.isAnythingParked();
  }

  protected pushIdle(): void {
    this.push(0, 0, undefined);
  }

  private busySlots(): number {
    return this.waiting.length + this.running.length;
  }

  /** The prebuilt "fake extend": delivers the token that prefill computed, without a forward pass. */
  private mergeWaiting(): void {
    const { events, metrics, simulation } = this.context;
    for (const request of this.waiting) {
      const seconds = enterStage(request.decode, 'running', simulation.nowMs);
      // A request that was retracted before has been counted and has delivered its first token.
      const isNew = request.generatedTokens === 0;
      if (isNew) {
        metrics.stage('decode_waiting', seconds);
        metrics.queueTime(seconds);
      }
      metrics.stage('fake_output', 0);
      if (isNew) {
        request.generatedTokens = 1;
        events.firstToken(request);
      }
      if (request.outputTokens <= 1) {
        this.admission.release(request);
        events.finished(request);
      } else {
        this.running.push(request);
      }
    }
    this.waiting = [];
  }

  private finishStep(): void {
    const { config, front, metrics, simulation, troubles } = this.context;
    const batchSize = this.running.length;
    const isDeaf = (request: Request): boolean =>
      request.isZombie || request.isWhole || (troubles.losesAborts && !request.decode.isOpen);
    const listeners = batchSize - this.running.filter(isDeaf).length;
    this.steps += 1;
    this.tokensSinceReport += batchSize;
    metrics.tokens('decode', batchSize);
    metrics.pass('decode_cuda_graph');
    front.nextTokens((simulation.nowMs - this.lastTokenMs) / 1000, listeners);
    const remaining = this.running.filter((request) => this.advance(request));
    if (this.steps % config.reportEverySteps === 0) {
      this.report(batchSize);
    }
    this.running = remaining;
  }

  /** One token further; false when the request has ended in this step. */
  private advance(request: Request): boolean {
    const { events, front } = this.context;
    request.generatedTokens += 1;
    this.admission.pool.hold(request, request.promptTokens + request.generatedTokens - 1);
    const isDone = request.generatedTokens >= request.outputTokens && !request.isZombie;
    if (!isDone && !request.decode.hasFailed) {
      return true;
    }
    this.admission.release(request);
    if (request.decode.hasFailed) {
      events.failed(request);
    } else {
      if (request.isWhole) {
        front.nextTokens(
          this.secondsSince(request.decode.stageSinceMs) / request.generatedTokens,
          request.generatedTokens - 1
        );
      }
      events.finished(request);
    }
    return false;
  }

  private secondsSince(fromMs: number): number {
    return (this.context.simulation.nowMs - fromMs) / 1000;
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
      usedTokens: this.admission.pool.usedTokens,
      genThroughput,
      cacheHitRate,
      bootstrap: 0,
      inflight: 0,
      prealloc: this.admission.prealloc.length,
      transfer: this.admission.transfer.length,
      retracted: this.retraction.takeCount(),
      isIdleRefresh: cacheHitRate === undefined,
    });
  }
}
