import { createRequest, type Request } from './request';
import { type Simulation } from './simulation';

const HEALTH_TIMEOUT_MS = 20_000;

/** The health checks of one engine process that wait for their answer. */
export class HealthProbes {
  private readonly waiting = new Map<Request, () => void>();

  constructor(private readonly simulation: Simulation) {}

  /** A 1-token FAKE request; `answer` hears once whether an output came within 20 s. */
  create(id: number, answer: (isHealthy: boolean) => void): Request {
    const probe = createRequest(id, { promptTokens: 1, outputTokens: 1 }, this.simulation.nowMs, true);
    this.waiting.set(probe, () => answer(true));
    this.simulation.after(HEALTH_TIMEOUT_MS, () => {
      if (this.waiting.delete(probe)) {
        answer(false);
      }
    });
    return probe;
  }

  concluded(request: Request): void {
    const answer = this.waiting.get(request);
    this.waiting.delete(request);
    answer?.();
  }

  /** The process is gone, and nobody will be answered. */
  clear(): void {
    this.waiting.clear();
  }
}
