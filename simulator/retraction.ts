import { type KvPool } from './kvPool';
import { enterStage, type Request } from './request';
import { type SchedulerMetrics } from './schedulerMetrics';
import { type Simulation } from './simulation';

interface RetractionContext {
  readonly simulation: Simulation;
  readonly metrics: SchedulerMetrics;
}

/** Running requests that were moved out to host memory because the KV pages had run out, oldest first. */
export class Retraction {
  private queue: Request[] = [];
  private sinceReport = 0;

  constructor(
    private readonly context: RetractionContext,
    private readonly pool: KvPool
  ) {}

  get depth(): number {
    return this.queue.length;
  }

  /** Takes those that have generated least out of `running`, until each that is left can have its next token. */
  retractIfShort(running: Request[]): void {
    const { metrics, simulation } = this.context;
    while (running.length > 1 && !this.pool.canStep(running)) {
      const generated = running.map(({ generatedTokens }) => generatedTokens);
      const index = generated.lastIndexOf(Math.min(...generated));
      for (const request of running.splice(index, 1)) {
        this.pool.free(request);
        enterStage(request.decode, 'retracted', simulation.nowMs);
        this.queue.push(request);
        this.sinceReport += 1;
        metrics.retracted();
      }
    }
  }

  /** Moves back into `waiting` whoever finds room, beside so many that are running. */
  resumeInto(waiting: Request[], running: number): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      const tokens = next.promptTokens + next.generatedTokens;
      if (!this.pool.hasRoom(tokens, waiting.length + running)) {
        return;
      }
      this.queue.shift();
      this.pool.hold(next, tokens);
      enterStage(next.decode, 'waiting', this.context.simulation.nowMs);
      waiting.push(next);
    }
  }

  remove(request: Request): void {
    this.queue = this.queue.filter((other) => other !== request);
  }

  /** How many were retracted since this was last asked. */
  takeCount(): number {
    const count = this.sinceReport;
    this.sinceReport = 0;
    return count;
  }
}
