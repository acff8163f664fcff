import { type Engine } from './engine';
import { type Role } from './rankLabels';
import { type DecodeStage, type Leg, type PrefillStage, type Request } from './request';

export type AnyLeg = Leg<PrefillStage> | Leg<DecodeStage>;

/** The requests that one engine knows of, seen from its side. */
export class Legs {
  private readonly present = new Set<Request>();

  constructor(private readonly role: Role) {}

  of(request: Request): AnyLeg {
    return this.role === 'prefill' ? request.prefill : request.decode;
  }

  enter(request: Request, engine: Engine, nowMs: number): AnyLeg {
    this.forgetGone();
    const leg = this.of(request);
    leg.engine = engine;
    leg.stage = 'arriving';
    leg.stageSinceMs = nowMs;
    this.present.add(request);
    return leg;
  }

  /** The requests that are here, oldest first. */
  all(): readonly Request[] {
    this.forgetGone();
    return [...this.present];
  }

  /** How many are in each stage. */
  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const request of this.all()) {
      const { stage } = this.of(request);
      counts[stage] = (counts[stage] ?? 0) + 1;
    }
    return counts;
  }

  /** The process is gone. Returns the requests whose HTTP exchange was open. */
  lose(): readonly Request[] {
    const lost = [...this.present].filter((request) => this.of(request).isOpen);
    for (const request of this.present) {
      const leg = this.of(request);
      leg.isOpen = false;
      leg.stage = 'gone';
    }
    this.present.clear();
    return lost;
  }

  private forgetGone(): void {
    this.present.forEach((request) => {
      const { stage, isOpen } = this.of(request);
      if (stage === 'gone' && !isOpen) {
        this.present.delete(request);
      }
    });
  }
}
