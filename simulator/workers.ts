import { type DeploymentConfig } from './config';
import { type Engine } from './engine';
import { type Role } from './rankLabels';
import { type Family, type Registry } from './registry';

const family = (name: string, type: Family['type'], help: string): Family => ({ name: `smg_${name}`, type, help });
const FAMILIES = {
  active: family('worker_requests_active', 'gauge', 'Requests being processed by each worker.'),
  health: family('worker_health', 'gauge', 'Worker health, 1 healthy and 0 not.'),
  breaker: family('worker_cb_state', 'gauge', 'Circuit breaker: 0 closed, 1 open, 2 half-open.'),
  transitions: family('worker_cb_transitions', 'counter', 'Circuit breaker state transitions.'),
  selection: family('worker_selection', 'counter', 'Worker selections by the load balancing policy.'),
  healthChecks: family('worker_health_checks', 'counter', 'Health checks by result.'),
};

const SUCCESSES_TO_HEALTHY = 2;
const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

interface WorkerState {
  isHealthy: boolean;
  /** Consecutive checks that contradict the present state. */
  contraryChecks: number;
  breaker: BreakerState;
}

/** A worker's turn has come; a broken breaker then keeps the request from being sent to it. */
export interface Choice {
  readonly engine: Engine;
  readonly isSent: boolean;
}

/** The engines that a router knows, whether it may use them, and whose turn it is. */
export class Workers {
  private readonly states = new Map<Engine, WorkerState>();
  private readonly turn = { prefill: 0, decode: 0 };

  constructor(
    private readonly registry: Registry,
    private readonly config: DeploymentConfig
  ) {}

  get all(): readonly Engine[] {
    return [...this.states.keys()];
  }

  add(engine: Engine): void {
    this.states.set(engine, { isHealthy: true, contraryChecks: 0, breaker: 'closed' });
    this.registry.set(FAMILIES.health, workerLabel(engine), 1);
    this.registry.set(FAMILIES.breaker, workerLabel(engine), 0);
    this.registry.move(FAMILIES.active, workerLabel(engine), 0);
  }

  /** It gets no further request; those that it has go on. */
  remove(engine: Engine): void {
    this.states.delete(engine);
    this.registry.set(FAMILIES.health, workerLabel(engine), -1);
    this.registry.set(FAMILIES.breaker, workerLabel(engine), -1);
  }

  setBreaker(engine: Engine, breaker: BreakerState): void {
    const state = this.states.get(engine);
    if (state !== undefined) {
      this.registry.add(FAMILIES.transitions, { ...workerLabel(engine), from: state.breaker, to: breaker });
      state.breaker = breaker;
      this.registry.set(FAMILIES.breaker, workerLabel(engine), BREAKER_STATES.indexOf(breaker));
    }
  }

  /** The next usable worker of a role, or the one asked for if it is usable. */
  choose(role: Role, instance: string | undefined): Choice | undefined {
    const usable = [...this.states].filter(([engine, state]) => engine.role === role && state.isHealthy);
    const asked = usable.find(([engine]) => engine.instance === instance);
    const [engine, state] = asked ?? usable[this.turn[role] % Math.max(1, usable.length)] ?? [];
    if (engine === undefined || state === undefined) {
      return undefined;
    }
    this.turn[role] += asked === undefined ? 1 : 0;
    const isSent = state.breaker === 'closed';
    if (isSent) {
      const labels = {
        worker_type: role,
        connection_mode: 'http',
        model: this.config.modelName,
        policy: 'round_robin',
      };
      this.registry.add(FAMILIES.selection, labels);
    }
    return { engine, isSent };
  }

  legOpened(engine: Engine): void {
    this.registry.move(FAMILIES.active, workerLabel(engine), 1);
  }

  legClosed(engine: Engine): void {
    this.registry.move(FAMILIES.active, workerLabel(engine), -1);
  }

  concludeCheck(engine: Engine, isHealthy: boolean): void {
    const state = this.states.get(engine);
    if (state === undefined) {
      return;
    }
    const result = isHealthy ? 'success' : 'failure';
    this.registry.add(FAMILIES.healthChecks, { worker_type: engine.role, result });
    state.contraryChecks = isHealthy === state.isHealthy ? 0 : state.contraryChecks + 1;
    if (state.contraryChecks >= (isHealthy ? SUCCESSES_TO_HEALTHY : this.config.failuresToUnhealthy)) {
      state.isHealthy = isHealthy;
      state.contraryChecks = 0;
      this.registry.set(FAMILIES.health, workerLabel(engine), isHealthy ? 1 : 0);
    }
  }
}

function workerLabel(engine: Engine): { readonly worker: string } {
  return { worker: `http://${engine.instance}` };
}
