import { KvPool } from './kvPool';
import { enterStage, type Request } from './request';
import { type SchedulerContext } from './scheduler';

/** Decode's two queues before its batch: prealloc (handshake, then room) and transfer (KV on its way). */
export class DecodeAdmission {
  readonly pool: KvPool;
  prealloc: readonly Request[] = [];
  transfer: readonly Request[] = [];

  constructor(
    private readonly context: SchedulerContext,
    private readonly busySlots: () => number
  ) {
    this.pool = new KvPool(context.config);
  }

  get depth(): number {
    return this.prealloc.length + this.transfer.length;
  }

  accept(request: Request): void {
    const { metrics, simulation } = this.context;
    metrics.stage('decode_prepare', enterStage(request.decode, 'prealloc', simulation.nowMs));
    this.prealloc = [...this.prealloc, request];
    request.decode.engine?.handshake(request);
  }

  /** First come, first served: whoever finds no room holds up all that come after. */
  popPreallocated(): void {
    const { events, metrics, simulation, troubles } = this.context;
    let isAdmitting = true;
    this.prealloc = this.prealloc.filter((request) => {
      if (troubles.pinned.has(request)) {
        isAdmitting = false;
        return true;
      }
      if (request.decode.hasFailed) {
        metrics.bootstrapFailed();
        this.release(request);
        events.failed(request);
        return false;
      }
      // Health probes do pass a pinned head, as was reported.
      if (request.isFake && troubles.pinned.size > 0) {
        this.sendMetadata(request);
        return false;
      }
      const isReady = request.isFake || (request.handshakeAtMs ?? Infinity) <= simulation.nowMs;
      if (!isReady) {
        return true;
      }
      isAdmitting = isAdmitting && this.hasRoom(request) && !this.tellPeer(request);
      if (isAdmitting) {
        this.sendMetadata(request);
      }
      return !isAdmitting;
    });
  }

  /** Concludes what has arrived and hands it over. */
  popTransferred(isReceiverDead: boolean): readonly Request[] {
    const { events, metrics, simulation } = this.context;
    const arrived: Request[] = [];
    this.transfer = this.transfer.filter((request) => {
      if (this.isLeaking(request)) {
        return true;
      }
      if (request.decode.hasFailed) {
        metrics.transferFailed();
        this.release(request);
        events.failed(request);
        return false;
      }
      if (!request.isFake && (isReceiverDead || !request.hasKvLanded)) {
        return true;
      }
      metrics.stage('decode_transferred', enterStage(request.decode, 'waiting', simulation.nowMs));
      arrived.push(request);
      request.isKvConcluded = true;
      request.prefill.engine?.wake();
      return false;
    });
    return arrived;
  }

  release(request: Request): void {
    this.pool.free(request);
    enterStage(request.decode, 'gone', this.context.simulation.nowMs);
  }

  /** Metadata and aborts go to the prefill peer from this very loop. True when the peer is gone and that blocks it. */
  tellPeer(request: Request): boolean {
    const { onLostPeer } = this.context.troubles;
    const isLost = onLostPeer !== undefined && request.prefill.engine?.isUp === false;
    if (isLost) {
      onLostPeer();
    }
    return isLost;
  }

  private hasRoom(request: Request): boolean {
    const slotsUsed = this.transfer.length + this.busySlots();
    return slotsUsed < this.context.config.requestSlots && this.pool.hasRoom(request.promptTokens, this.busySlots());
  }

  private sendMetadata(request: Request): void {
    const { config, metrics, simulation } = this.context;
    this.pool.hold(request, request.promptTokens);
    metrics.stage('decode_bootstrap', enterStage(request.decode, 'transfer', simulation.nowMs));
    this.transfer = [...this.transfer, request];
    request.hasMetadata = true;
    request.prefill.engine?.wake();
    simulation.after(config.waitingTimeoutMs, () => {
      if (request.decode.stage === 'transfer' && !request.isKvMoving) {
        request.decode.hasFailed = true;
        request.decode.engine?.wake();
      }
    });
  }

  /** The done signal is lost: prefill has concluded, decode waits for ever, whatever happens to the client. */
  private isLeaking(request: Request): boolean {
    const { troubles } = this.context;
    if (!request.isLeaked && !request.isFake && request.hasKvLanded && troubles.transfersToLeak > 0) {
      troubles.transfersToLeak -= 1;
      request.isLeaked = true;
      request.isKvConcluded = true;
      request.prefill.engine?.wake();
    }
    return request.isLeaked;
  }
}
