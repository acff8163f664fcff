import type { Evidence } from '../model';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import { GPU, SCHEDULER_CPU } from '../profiles/witnesses';
import { gpusOf, schedulerOf, type SchedulerReading } from '../rules/witnesses';
import type { GpuLoad, GpuReading } from '../witnesses/machine';

/** What the GPUs and the scheduler process of an engine have shown since `fromMs`, or in the last minute. */
export function ofMachine(moment: Moment, { engine }: EngineMoment, fromMs: number): Evidence[] {
  const gpus = gpusOf(moment, engine.id, fromMs);
  const cpu = schedulerOf(moment, engine.id, fromMs);
  const at = { engine: engine.id, fromMs: Number.isFinite(fromMs) ? fromMs : undefined, toMs: moment.atMs };
  return [
    ...(gpus ? [{ text: wordGpus(gpus), signal: GPU.util, ...at }] : []),
    ...(cpu ? [{ text: wordCores(cpu), signal: SCHEDULER_CPU, ...at }] : []),
  ];
}

/** That the GPUs of an engine rest, if they do. */
export function restingGpus(moment: Moment, engine: string, fromMs: number): Evidence[] {
  const gpus = gpusOf(moment, engine, fromMs);
  return gpus?.load === 'idle' ? [{ text: wordGpus(gpus), signal: GPU.util, engine, fromMs, toMs: moment.atMs }] : [];
}

export interface DecodeGpus {
  readonly load: GpuLoad;
  readonly evidence: Evidence;
}

/** What the GPUs of all decode engines do, where they do the same. */
export function decodeGpus(moment: Moment, fromMs: number): DecodeGpus | undefined {
  const readings = serversOf(moment, 'decode').map(({ engine }) => gpusOf(moment, engine.id, fromMs));
  const [first] = readings;
  if (!first || readings.some((r) => r?.load !== first.load)) {
    return undefined;
  }
  const text = `${readings.length > 1 ? 'Every decode engine: ' : ''}${wordGpus(first)}`;
  return { load: first.load, evidence: { text, signal: GPU.util, fromMs, toMs: moment.atMs } };
}

/** `Its 4 GPUs compute: 97 % busy, 540 W.` */
function wordGpus({ load, count: n, percent, watts }: GpuReading): string {
  const who = n === 1 ? 'Its GPU' : `Its ${n} GPUs`;
  const draw = watts === undefined ? '' : `, ${Math.round(watts)} W`;
  const reading = `${Math.round(percent)} % busy${draw}`;
  const s = n === 1 ? 's' : '';
  switch (load) {
    case 'busy':
      return `${who} compute${s}: ${reading}.`;
    case 'spinning':
      return `${who} spin${s} and compute${s} nothing: ${reading}. A collective waits for a rank.`;
    case 'idle':
      return `${who} rest${s}: ${reading}.`;
  }
}

const wordCores = ({ sign, cores }: SchedulerReading): string =>
  sign === 'blocked'
    ? `Its scheduler uses ${cores.toFixed(2)} cores: it stands (or sleeps, with --sleep-on-idle).`
    : `Its scheduler uses ${cores.toFixed(2)} cores: it turns, or waits for its GPU.`;
