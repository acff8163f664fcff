import { type DeploymentConfig } from './config';
import { type Random } from './random';
import { type Request } from './request';
import { type Simulation } from './simulation';
import { type Troubles } from './troubles';

interface LinkContext {
  readonly simulation: Simulation;
  readonly config: DeploymentConfig;
  readonly random: Random;
  readonly troubles: Troubles;
}

/** The way of a prefill engine's KV to decode. Sound, it is never full; with little of it left, transfers queue. */
export class KvLink {
  private queue: Request[] = [];
  private isSending = false;

  constructor(private readonly context: LinkContext) {}

  send(request: Request): void {
    const { config, random, troubles } = this.context;
    const sizeMb = request.promptTokens * config.kvMbPerToken;
    const sendMs = config.transferBaseMs + sizeMb / (config.transferMbPerMs * troubles.linkShare);
    request.transferMs = sendMs + random.between(0, 3);
    if (troubles.linkShare === 1) {
      this.landAfter(request, () => undefined);
    } else {
      this.queue.push(request);
      this.sendNext();
    }
  }

  private sendNext(): void {
    this.queue = this.queue.filter(({ prefill }) => prefill.stage === 'inflight' && !prefill.hasFailed);
    const next = this.isSending ? undefined : this.queue.shift();
    if (next !== undefined) {
      this.isSending = true;
      this.landAfter(next, () => {
        this.isSending = false;
        this.sendNext();
      });
    }
  }

  private landAfter(request: Request, then: () => void): void {
    request.isKvMoving = true;
    this.context.simulation.after(request.transferMs, () => {
      request.hasKvLanded = true;
      request.decode.engine?.wake();
      then();
    });
  }
}
