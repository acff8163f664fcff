import { serversOf, type EngineMoment, type Moment } from '../moment';
import { sumKnown } from '../series';
import { canaryStateAt, type CanaryState, type Probe } from '../witnesses/canary';
import { coresIn, gpusIn, type GpuReading } from '../witnesses/machine';
import { increaseIn } from '../witnesses/samples';
import { NIXL } from '../profiles/witnesses';

/** Rules about what others tell: a canary's requests, GPUs, the scheduler's CPU time, KV bytes. All may be absent. */

/** One request without an answer may have met a restart; two in a row, over this time, are proof. */
const FAILS = 2;
const FAILS_MS = 60_000;
/** Machines are judged by what the last minute shows. */
const MACHINE_MS = 60_000;
const BLOCKED_CORES = 0.1;
const TURNING_CORES = 0.5;

const statesOf = (moment: Moment): CanaryState[] =>
  moment.pipeline.witnesses.canaries.flatMap((canary) => canaryStateAt(canary, moment.atMs) ?? []);

export interface Unanswered {
  readonly id: string;
  /** When the first request was sent that got no answer. */
  readonly sinceMs: number;
  readonly last: Probe;
  readonly answered: Probe | undefined;
}

/** "The canary's last two requests had no answer, and a minute has passed": demand and proof at once. */
export function failingCanary(moment: Moment): Unanswered | undefined {
  return statesOf(moment)
    .flatMap(({ id, failed, answered }): Unanswered[] => {
      const [first] = failed;
      const last = failed[failed.length - 1];
      return first && last && failed.length >= FAILS && moment.atMs - first.sentMs >= FAILS_MS
        ? [{ id, sinceMs: first.sentMs, last, answered }]
        : [];
    })
    .sort((a, b) => a.sinceMs - b.sinceMs)[0];
}

/** "The canary's last request was answered": the newest such request. */
export const passingCanary = (moment: Moment): Probe | undefined =>
  statesOf(moment)
    .flatMap(({ failed, answered }) => (failed.length === 0 && answered ? [answered] : []))
    .sort((a, b) => b.sentMs - a.sentMs)[0];

/**
 * "Each canary request since then was answered, and there is one engine of each side": so requests did get through both.
 * With several engines an answer proves that one of the ways works.
 */
export function answeredSince(moment: Moment, sinceMs: number): Probe | undefined {
  const isOneWay = (['prefill', 'decode'] as const).every((role) => serversOf(moment, role).length === 1);
  const isAnswered = moment.pipeline.witnesses.canaries.every((canary) =>
    canary.probes.every((p) => p.knownMs > moment.atMs || p.sentMs <= sinceMs || p.isAnswered)
  );
  const last = isOneWay && isAnswered ? passingCanary(moment) : undefined;
  return last && last.sentMs > sinceMs + moment.intervalMs ? last : undefined;
}

const spanOf = ({ atMs }: Moment, fromMs: number): { fromMs: number; toMs: number } => ({
  fromMs: Math.max(fromMs, atMs - MACHINE_MS),
  toMs: atMs,
});

/** "All GPUs where the engine runs compute, or spin, or rest." */
export function gpusOf(moment: Moment, id: string | undefined, fromMs: number): GpuReading | undefined {
  const machine = moment.pipeline.witnesses.machines.get(id ?? '');
  return machine && gpusIn(machine, spanOf(moment, fromMs));
}

/**
 * `blocked`: the schedulers use no CPU time. `turning`: they use that of a core, as a loop does that looks for work,
 * and no other engine is there to use it. A loop that waits for its GPU uses a core as well.
 */
export interface SchedulerReading {
  readonly sign: 'blocked' | 'turning';
  readonly cores: number;
}

/** "The scheduler's process uses no CPU time, or that of a core." */
export function schedulerOf(moment: Moment, id: string | undefined, fromMs: number): SchedulerReading | undefined {
  const machine = moment.pipeline.witnesses.machines.get(id ?? '');
  const cores = machine && coresIn(machine, spanOf(moment, fromMs));
  if (cores === undefined) {
    return undefined;
  }
  if (cores < BLOCKED_CORES) {
    return { sign: 'blocked', cores };
  }
  return cores >= TURNING_CORES && !machine?.isShared ? { sign: 'turning', cores } : undefined;
}

/**
 * What GPUs and CPU say about a loop of which no counter moves: `stands` without CPU time or in a collective that spins,
 * `turns` with a core in use and resting GPUs.
 */
export function loopSign(moment: Moment, e: EngineMoment, fromMs: number): 'stands' | 'turns' | undefined {
  const { id } = e.engine;
  const cpu = schedulerOf(moment, id, fromMs)?.sign;
  const gpu = gpusOf(moment, id, fromMs)?.load;
  if (cpu === 'blocked' || gpu === 'spinning') {
    return 'stands';
  }
  return cpu === 'turning' && gpu === 'idle' ? 'turns' : undefined;
}

export interface KvBytes {
  readonly bytes: number;
  readonly errors: number;
}

/** "NIXL has moved KV bytes since then, or none." What one side sends the other receives: the larger of the two. */
export function kvBytesSince({ pipeline, atMs }: Moment, fromMs: number): KvBytes | undefined {
  const total = (name: string): number | undefined => {
    const own = pipeline.witnesses.agents.filter((series) => series.labels['__name__'] === name);
    return sumKnown(own.map((series) => increaseIn(series, { fromMs, toMs: atMs })?.by));
  };
  const moved = [total(NIXL.sent), total(NIXL.received)].filter((n) => n !== undefined);
  return moved.length > 0 ? { bytes: Math.max(...moved), errors: total(NIXL.errors) ?? 0 } : undefined;
}
