import { type Clients } from './clients';
import { type Random } from './random';
import { type Request, type RequestSpec } from './request';
import { type Simulation } from './simulation';

const LOOK_EVERY_MS = 500;

/** So many users, each of whom asks again some time after the last answer, error included, and never before. */
export class Users {
  private readonly pending: Array<Request | undefined>;
  private isHere = true;

  constructor(
    private readonly simulation: Simulation,
    private readonly clients: Clients,
    private readonly random: Random,
    private readonly options: {
      readonly count: number;
      readonly thinkMs: readonly [number, number];
      readonly spec: (random: Random) => RequestSpec;
    }
  ) {
    this.pending = Array.from({ length: options.count }, () => undefined);
  }

  start(): void {
    this.pending.forEach((_, user) => this.thinkThenAsk(user));
  }

  /** They ask nothing more; what they asked goes on. */
  leave(): void {
    this.isHere = false;
  }

  private thinkThenAsk(user: number): void {
    const [least, most] = this.options.thinkMs;
    this.simulation.after(this.random.between(least, most), () => {
      if (this.isHere) {
        this.pending[user] = this.clients.send(this.options.spec(this.random));
        this.look(user);
      }
    });
  }

  private look(user: number): void {
    this.simulation.after(LOOK_EVERY_MS, () => {
      if (this.pending[user]?.outcome === undefined) {
        this.look(user);
      } else {
        this.thinkThenAsk(user);
      }
    });
  }
}
