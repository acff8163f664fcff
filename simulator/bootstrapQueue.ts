import { enterStage, type Request } from './request';
import { type SchedulerContext } from './scheduler';

/** Requests of a prefill engine that wait for their handshake and then for decode's metadata, not for ever. */
export class BootstrapQueue {
  private queue: readonly Request[] = [];

  constructor(
    private readonly context: SchedulerContext,
    private readonly wake: () => void
  ) {}

  get depth(): number {
    return this.queue.length;
  }

  accept(request: Request): void {
    const { config, metrics, simulation } = this.context;
    metrics.stage('prefill_prepare', enterStage(request.prefill, 'bootstrap', simulation.nowMs));
    this.queue = [...this.queue, request];
    request.decode.engine?.handshake(request);
    simulation.after(config.bootstrapTimeoutMs, () => {
      if (request.prefill.stage === 'bootstrap') {
        request.prefill.hasFailed = true;
        this.wake();
      }
    });
  }

  /** Takes out what has failed, and hands over what decode is ready for. */
  pop(): readonly Request[] {
    const { events, metrics, simulation } = this.context;
    const ready: Request[] = [];
    this.queue = this.queue.filter((request) => {
      if (request.prefill.hasFailed) {
        metrics.bootstrapFailed();
        enterStage(request.prefill, 'gone', simulation.nowMs);
        events.failed(request);
        return false;
      }
      if (!request.isFake && !request.hasMetadata) {
        return true;
      }
      metrics.stage('prefill_bootstrap', enterStage(request.prefill, 'waiting', simulation.nowMs));
      ready.push(request);
      return false;
    });
    return ready;
  }
}
