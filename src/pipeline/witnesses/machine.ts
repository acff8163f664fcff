import type { RawSeries } from '../model';
import { GPU } from '../profiles/witnesses';
import { indexAt, sum } from '../series';
import { increaseIn, valuesIn, type Span } from './samples';

export interface Gpu {
  readonly util: RawSeries | undefined;
  readonly watts: RawSeries | undefined;
  readonly tensor: RawSeries | undefined;
}

/** What is measured where an engine runs. */
export interface Machine {
  readonly gpus: readonly Gpu[];
  /** CPU seconds of the scheduler processes, one series per mode. */
  readonly schedulerCpu: readonly RawSeries[];
  /** Another engine runs there too: what one of them does cannot be told from what the other does. */
  readonly isShared: boolean;
}

/** `spinning`: kernels run and compute nothing, as those of a collective that waits for a rank do. */
export type GpuLoad = 'busy' | 'spinning' | 'idle';

const IDLE_PERCENT = 5;
const BUSY_PERCENT = 50;
const FULL_PERCENT = 95;
const TENSOR_WORKS = 0.01;
const TENSOR_RESTS = 0.001;
/** The draw of a GPU is told high from low only where this range has shown it that far apart. */
const KNOWN_SPREAD = 0.6;
const HIGH_SHARE = 0.5;
const LOW_SHARE = 0.35;

/** Puts the series of each GPU together. */
export function readGpus(series: readonly RawSeries[]): Gpu[] {
  const byGpu = new Map<string, RawSeries[]>();
  for (const one of series) {
    const { UUID: uuid, instance, gpu, GPU_I_ID: slice } = one.labels;
    const key = `${uuid ?? `${instance} ${gpu}`} ${slice ?? ''}`;
    byGpu.set(key, [...(byGpu.get(key) ?? []), one]);
  }
  const named = (list: readonly RawSeries[], name: string): RawSeries | undefined =>
    list.find((s) => s.labels['__name__'] === name);
  return [...byGpu.values()]
    .map((list) => ({ util: named(list, GPU.util), watts: named(list, GPU.watts), tensor: named(list, GPU.tensor) }))
    .filter((gpu) => gpu.util !== undefined);
}

export interface GpuReading {
  readonly load: GpuLoad;
  readonly count: number;
  /** Mean over the GPUs. */
  readonly percent: number;
  readonly watts: number | undefined;
}

/**
 * What the GPUs of an engine do. Which of the GPUs of a host an engine uses is not known, so it counts only what all of
 * them do.
 */
export function gpusIn({ gpus }: Machine, span: Span): GpuReading | undefined {
  const [load, ...others] = [...new Set(gpus.map((gpu) => loadOf(gpu, span)))];
  if (load === undefined || others.length > 0) {
    return undefined;
  }
  const means = (pick: (gpu: Gpu) => RawSeries | undefined): number[] =>
    gpus.flatMap((gpu) => mean(valuesOf(pick(gpu), span)) ?? []);
  return { load, count: gpus.length, percent: mean(means((g) => g.util)) ?? 0, watts: mean(means((g) => g.watts)) };
}

const valuesOf = (series: RawSeries | undefined, span: Span): readonly number[] =>
  series ? valuesIn(series, span) : [];

const mean = (values: readonly number[]): number | undefined =>
  values.length > 0 ? sum(values) / values.length : undefined;

/** Utilisation alone cannot tell work from a spinning collective: tensor cores or power must say the same. */
function loadOf(gpu: Gpu, span: Span): GpuLoad | undefined {
  const util = valuesOf(gpu.util, span);
  const signs = [tensorSign(gpu, span), powerSign(gpu, span)].filter((sign) => sign !== undefined);
  const areAll = (sign: 'high' | 'low'): boolean => signs.length > 0 && signs.every((s) => s === sign);
  if (util.length < 2) {
    return undefined;
  }
  if (Math.max(...util) <= IDLE_PERCENT) {
    return 'idle';
  }
  if (Math.min(...util) >= FULL_PERCENT && areAll('low')) {
    return 'spinning';
  }
  return (mean(util) ?? 0) >= BUSY_PERCENT && areAll('high') ? 'busy' : undefined;
}

function tensorSign({ tensor }: Gpu, span: Span): 'high' | 'low' | undefined {
  const most = Math.max(...valuesOf(tensor, span));
  return most >= TENSOR_WORKS ? 'high' : Number.isFinite(most) && most < TENSOR_RESTS ? 'low' : undefined;
}

/** The draw now between the lowest and the highest that this range had shown by then. */
function powerSign({ watts }: Gpu, span: Span): 'high' | 'low' | undefined {
  const now = mean(valuesOf(watts, span));
  const seen = watts?.values.slice(0, indexAt(watts.timesMs, span.toMs) + 1) ?? [];
  const [least, most] = [Math.min(...seen), Math.max(...seen)];
  if (now === undefined || least > most * KNOWN_SPREAD) {
    return undefined;
  }
  const share = (now - least) / (most - least);
  return share >= HIGH_SHARE ? 'high' : share < LOW_SHARE ? 'low' : undefined;
}

const LEAST_CPU_MS = 10_000;

/** Cores that the schedulers used; `undefined` while too little is known. */
export function coresIn({ schedulerCpu }: Machine, span: Span): number | undefined {
  const rises = schedulerCpu.map((series) => increaseIn(series, span));
  const known = rises.filter((rise) => rise !== undefined && rise.overMs >= LEAST_CPU_MS);
  return known.length > 0 && known.length === rises.length
    ? known.reduce((sum, rise) => sum + (rise ? (rise.by * 1000) / rise.overMs : 0), 0)
    : undefined;
}
