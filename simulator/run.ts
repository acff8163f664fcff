import { BigAgent } from './bigAgent';
import { Canary } from './canary';
import { DEFAULT_CONFIG, type DeploymentConfig } from './config';
import { Deployment } from './deployment';
import { type Engine } from './engine';
import { Faults } from './faults';
import { createRandom } from './random';
import { type Role } from './rankLabels';
import { type Scenario, type ScenarioContext } from './scenario';
import { Simulation } from './simulation';
import { Traffic } from './traffic';
import { Truth } from './truth';
import { type Evidence, PROFILES } from './versionProfile';

/** The engines have been in use for this long when the recording starts. */
const WARM_UP_MS = 180_000;
const T0_BEFORE_END_MS = (10 * 60 + 42) * 1000;

export interface RunOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly endMs: number;
  readonly minutes: number;
  readonly intervalSeconds: number;
  readonly prefillCount: number;
  readonly decodeCount: number;
  /** Row of the version table; `full` unless given. */
  readonly evidence?: Evidence;
  /** A canary posts through the router; none unless asked for. */
  readonly hasCanary?: boolean;
}

/** A scenario set up and ready to be advanced in virtual time. */
export interface Run extends ScenarioContext {
  readonly options: RunOptions;
  readonly canary?: Canary;
  /** Starts the big agent if it is not under way, then cancels it: abort cascade, and decode's receiver is dead. */
  readonly cancelBigAgent: () => void;
}

/** Builds the deployment, warms nothing up yet: the caller advances `simulation`. */
export function createRun(options: RunOptions): Run {
  const { scenario, endMs } = options;
  const config: DeploymentConfig = {
    ...DEFAULT_CONFIG,
    profile: PROFILES[options.evidence ?? 'full'],
    prefillCount: options.prefillCount,
    decodeCount: options.decodeCount,
    ...scenario.config,
  };
  const random = createRandom(options.seed);
  const startMs = endMs - options.minutes * 60_000;
  const simulation = new Simulation(startMs - WARM_UP_MS);
  const truth = new Truth();
  const deployment = new Deployment(simulation, config, random, truth);
  const traffic = new Traffic(simulation, deployment.clients, random.fork('traffic'));
  const agent = new BigAgent(simulation, deployment.clients, truth);
  const faults = new Faults(simulation, deployment.router, truth, () => traffic.resume());
  const t0Ms = endMs - T0_BEFORE_END_MS;
  const context: ScenarioContext = {
    simulation,
    deployment,
    traffic,
    agent,
    faults,
    prefill: firstOf(deployment, 'prefill'),
    decode: firstOf(deployment, 'decode'),
    router: deployment.router,
    truth,
    random: random.fork('scenario'),
    startMs,
    endMs,
    t0Ms,
    at: (seconds, run) => simulation.at(t0Ms + seconds * 1000, run),
  };
  scenario.script(context);
  const canary = options.hasCanary === true ? startCanary(context) : undefined;
  return { ...context, options, canary, cancelBigAgent: () => cancelBigAgent(context) };
}

function startCanary({ simulation, deployment, startMs }: ScenarioContext): Canary {
  const canary = new Canary(simulation, deployment.clients);
  simulation.at(startMs, () => canary.start());
  return canary;
}

function firstOf(deployment: Deployment, role: Role): Engine {
  const first = deployment.engines.find((engine) => engine.role === role);
  if (first === undefined) {
    throw new Error(`A deployment needs at least one ${role} engine`);
  }
  return first;
}

const AGENT_REQUESTS = 19;
const AGENT_UNDER_WAY_MS = 2_000;

function cancelBigAgent(context: ScenarioContext): void {
  const { agent, simulation } = context;
  if (agent.isUnderWay) {
    cancelNow(context);
    return;
  }
  for (let index = 0; index < AGENT_REQUESTS; index += 1) {
    agent.send({ promptTokens: index < 11 ? 800 : 2_400, outputTokens: 2_000 });
  }
  simulation.after(AGENT_UNDER_WAY_MS, () => {
    if (agent.isUnderWay) {
      cancelNow(context);
    }
  });
}

function cancelNow({ agent, decode, faults, traffic }: ScenarioContext): void {
  faults.killReceiver(decode);
  agent.cancel();
  traffic.retry(10_000);
}
