import { type DeploymentConfig } from './config';
import { DecodeScheduler } from './decodeScheduler';
import { engineFamilies, type EngineFamilies } from './engineFamilies';
import { HttpFront } from './httpFront';
import { PrefillScheduler } from './prefillScheduler';
import { type Random } from './random';
import { type Role } from './rankLabels';
import { Registry } from './registry';
import { type SchedulerContext, type SchedulerEvents } from './scheduler';
import { SchedulerMetrics } from './schedulerMetrics';
import { type Simulation } from './simulation';
import { Troubles } from './troubles';

export type AnyScheduler = PrefillScheduler | DecodeScheduler;

export interface ProcessOptions {
  readonly role: Role;
  readonly simulation: Simulation;
  readonly config: DeploymentConfig;
  readonly random: Random;
}

/** What a restart replaces: metrics page, HTTP front, schedulers (one per data-parallel rank), and all that is wrong. */
export class EngineProcess {
  readonly troubles = new Troubles();
  readonly registry = new Registry();
  readonly front: HttpFront;
  readonly schedulers: readonly AnyScheduler[];
  private readonly families: EngineFamilies;

  constructor(
    private readonly options: ProcessOptions,
    events: SchedulerEvents
  ) {
    const { config, role } = options;
    this.families = engineFamilies(config.profile);
    this.front = new HttpFront(this.registry, this.families, config, role);
    const count = role === 'decode' ? config.decodeDpSize : 1;
    this.schedulers = Array.from({ length: count }, (_, dpRank) => this.createScheduler(dpRank, events));
  }

  wake(): void {
    this.schedulers.forEach((scheduler) => scheduler.wake());
  }

  stop(): void {
    this.schedulers.forEach((scheduler) => scheduler.stop());
  }

  private createScheduler(dpRank: number, events: SchedulerEvents): AnyScheduler {
    const { front, troubles } = this;
    const { role, simulation, config, random } = this.options;
    const context: SchedulerContext = {
      simulation,
      config,
      random,
      troubles,
      front,
      metrics: new SchedulerMetrics(this.registry, this.families, config, { role, dpRank, troubles }),
      events,
      isSiblingBusy: () => this.schedulers.some((other, index) => index !== dpRank && other.isInPass),
    };
    return role === 'prefill' ? new PrefillScheduler(context) : new DecodeScheduler(context);
  }
}
