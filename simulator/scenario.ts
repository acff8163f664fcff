import { type BigAgent } from './bigAgent';
import { type DeploymentConfig } from './config';
import { type Deployment } from './deployment';
import { type Engine } from './engine';
import { type Faults } from './faults';
import { type Random } from './random';
import { type Router } from './router';
import { type Simulation } from './simulation';
import { type Traffic } from './traffic';
import { type Truth } from './truth';

/** What a scenario's script can play with. All instants are milliseconds since the Unix epoch. */
export interface ScenarioContext {
  readonly simulation: Simulation;
  readonly deployment: Deployment;
  readonly traffic: Traffic;
  readonly agent: BigAgent;
  readonly faults: Faults;
  /** The first prefill engine, where prefill faults act. */
  readonly prefill: Engine;
  /** The first decode engine, where decode faults act. */
  readonly decode: Engine;
  readonly router: Router;
  readonly truth: Truth;
  readonly random: Random;
  /** First recorded instant; the deployment has been in use for a while by then. */
  readonly startMs: number;
  readonly endMs: number;
  /** The instant of the founding record's cancellation: always 10 min 42 s before the end. */
  readonly t0Ms: number;
  /** Schedules something for so many seconds after T0. */
  readonly at: (secondsAfterT0: number, run: () => void) => void;
}

export interface Scenario {
  readonly name: string;
  /** One sentence: what is injected. */
  readonly summary: string;
  readonly config?: Partial<DeploymentConfig>;
  /** The shortest recording in which the story fits. */
  readonly minMinutes: number;
  /** Called once, before the first event: schedules whatever happens. */
  readonly script: (stage: ScenarioContext) => void;
}
