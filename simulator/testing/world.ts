import { DEFAULT_CONFIG, type DeploymentConfig } from '../config';
import { Deployment } from '../deployment';
import { type Engine } from '../engine';
import { createRandom } from '../random';
import { type Request, type RequestSpec } from '../request';
import { type Router } from '../router';
import { Simulation } from '../simulation';
import { Truth } from '../truth';

/** A deployment at instant 0 that nobody uses yet, without health probes unless configured. */
export interface World {
  readonly simulation: Simulation;
  readonly deployment: Deployment;
  readonly prefill: Engine;
  readonly decode: Engine;
  readonly truth: Truth;
  /** Sends a request now. */
  readonly send: (spec: RequestSpec) => Request;
  /** Runs until `seconds` after instant 0. */
  readonly runTo: (seconds: number) => void;
}

export function createWorld(config: Partial<DeploymentConfig> = {}): World {
  const simulation = new Simulation(0);
  const truth = new Truth();
  const settings = { ...DEFAULT_CONFIG, healthIntervalMs: 3_600_000, healthPhaseMs: 0, ...config };
  const deployment = new Deployment(simulation, settings, createRandom(7), truth);
  const byRole = (role: string): Engine => {
    const engine = deployment.engines.find((candidate) => candidate.role === role);
    if (engine === undefined) {
      throw new Error(`No ${role} engine`);
    }
    return engine;
  };
  return {
    simulation,
    deployment,
    prefill: byRole('prefill'),
    decode: byRole('decode'),
    truth,
    send: (spec) => deployment.clients.send(spec),
    runTo: (seconds) => simulation.runUntil(seconds * 1000),
  };
}

/**
 * The exposed value of a series of the leader rank (or of `tpRank`), undefined when it is not exposed.
 * `labels` are fragments such as `stage="prefill_forward"`.
 */
export function read(target: Engine | Router, name: string, labels = '', tpRank = 0): number | undefined {
  const sample = target
    .scrape()
    ?.find(
      (candidate) =>
        candidate.name.replace('sglang:', '') === name &&
        candidate.labels.includes(labels) &&
        (!candidate.labels.includes('tp_rank=') || candidate.labels.includes(`tp_rank="${tpRank}"`))
    );
  return sample?.value;
}

/** The count of one pipeline edge, 0 when it was never passed. */
export function edge(engine: Engine, stage: string): number {
  return read(engine, 'per_stage_req_latency_seconds_count', `stage="${stage}"`) ?? 0;
}
