import { type Clients } from './clients';
import { type Family } from './registry';
import { type Request } from './request';
import { type Simulation } from './simulation';

const gauge = (name: string, help: string): Family => ({ name, type: 'gauge', help });
export const PROBE_FAMILIES = {
  success: gauge('probe_success', 'Displays whether or not the probe was a success'),
  seconds: gauge('probe_duration_seconds', 'Returns how long the probe took to complete in seconds'),
  status: gauge('probe_http_status_code', 'Response HTTP status code'),
};

/** One probe that has ended. */
export interface ProbeResult {
  readonly sentMs: number;
  readonly seconds: number;
  readonly isAnswered: boolean;
  /** 0 when no response came. */
  readonly status: number;
}

const EVERY_MS = 30_000;
/** The blackbox exporter leaves half a second of Prometheus' scrape timeout of 30 s. */
const PATIENCE_MS = 29_500;
const LOOK_EVERY_MS = 50;

/**
 * A blackbox exporter that Prometheus asks every 30 s: each time it posts a tiny completion through the router, and gives
 * up after 29.5 s. Simplified: every error of the router is told as status 500.
 */
export class Canary {
  readonly job = 'pdflow-canary';
  readonly instance = 'http://router-0:30001/generate';
  private ended: ProbeResult[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly clients: Clients
  ) {}

  start(): void {
    const request = this.clients.send({ promptTokens: 4, outputTokens: 2, patienceMs: PATIENCE_MS });
    this.watch(request);
    this.simulation.after(EVERY_MS, () => this.start());
  }

  /** The probes that have ended since this was last asked, oldest first. */
  takeEnded(): readonly ProbeResult[] {
    const { ended } = this;
    this.ended = [];
    return ended;
  }

  private watch(request: Request): void {
    this.simulation.after(LOOK_EVERY_MS, () => {
      const tookMs = this.simulation.nowMs - request.sentAtMs;
      if (request.outcome === undefined && tookMs < PATIENCE_MS) {
        this.watch(request);
        return;
      }
      this.clients.cancel(request);
      const status = { finished: 200, failed: 500, aborted: 0 }[request.outcome ?? 'aborted'];
      this.ended.push({ sentMs: request.sentAtMs, seconds: tookMs / 1000, isAnswered: status === 200, status });
    });
  }
}
