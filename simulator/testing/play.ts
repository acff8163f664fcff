import { type Engine } from '../engine';
import { type Router } from '../router';
import { createRun, type Run } from '../run';
import { type Scenario } from '../scenario';
import { type TruthEvent } from '../truth';
import { type Evidence } from '../versionProfile';
import { END_MS } from './recording';
import { read } from './world';

/** Prefill and decode engines. */
export const SIZES: ReadonlyArray<readonly [number, number]> = [
  [1, 1],
  [4, 8],
];
export type Size = readonly [number, number];

/** A scenario under way; time only goes forward. */
export interface Play extends Run {
  /** Runs until so many seconds after T0. */
  readonly to: (secondsAfterT0: number) => void;
  /** Runs until then and returns how much `count` rises meanwhile. */
  readonly riseUntil: (secondsAfterT0: number, count: () => number) => number;
  /** What was noted so far, clients that come and go aside, with seconds after T0. */
  readonly diary: () => ReadonlyArray<readonly [number, TruthEvent['kind'], string]>;
}

export function play(scenario: Scenario, [prefillCount, decodeCount]: Size, evidence: Evidence = 'full'): Play {
  const run = createRun({
    scenario,
    seed: 1,
    endMs: END_MS,
    minutes: Math.max(13, scenario.minMinutes),
    intervalSeconds: 5,
    prefillCount,
    decodeCount,
    evidence,
  });
  const to = (seconds: number): void => run.simulation.runUntil(run.t0Ms + seconds * 1000);
  return {
    ...run,
    to,
    riseUntil: (seconds, count) => {
      const before = count();
      to(seconds);
      return count() - before;
    },
    diary: () =>
      run.truth.events
        .filter(({ kind, atMs }) => !kind.startsWith('client-') && atMs <= run.simulation.nowMs)
        .map((event) => [(event.atMs - run.t0Ms) / 1000, event.kind, 'engine' in event ? event.engine : '']),
  };
}

/** A value of the leader rank, 0 when it is not exposed: fit for rises, not for gauges. */
export function count(target: Engine | Router, name: string, labels = ''): number {
  return read(target, name, labels) ?? 0;
}

/** Queue depths of an engine from its counters alone: entries minus exits minus failures, over all leader ranks. */
export function balancesOf(engine: Engine): Readonly<Record<string, number>> {
  const samples = engine.scrape() ?? [];
  const sum = (name: string, label = ''): number =>
    samples
      .filter((sample) => sample.name === `sglang:${name}` && sample.labels.includes(label))
      .filter(({ labels }) => labels.includes('dp_rank=') || labels.includes('tp_rank="0",pp_rank="0"'))
      .reduce((total, { value }) => total + value, 0);
  const passed = (stage: string): number => sum('per_stage_req_latency_seconds_count', `stage="${stage}"`);
  const failed = (what: string): number => sum(`num_${what}_failed_reqs_total`);
  if (engine.role === 'prefill') {
    return {
      inflight: passed('prefill_forward') - passed('prefill_transfer_kv_cache') - failed('transfer'),
      waiting: passed('prefill_bootstrap') - sum('queue_time_seconds_count'),
      ...(passed('prefill_prepare') > 0
        ? { bootstrap: passed('prefill_prepare') - passed('prefill_bootstrap') - failed('bootstrap') }
        : {}),
    };
  }
  return {
    prealloc: passed('decode_prepare') - passed('decode_bootstrap') - failed('bootstrap'),
    transfer: passed('decode_bootstrap') - passed('decode_transferred') - failed('transfer'),
    waiting: passed('decode_transferred') - passed('decode_waiting'),
  };
}
