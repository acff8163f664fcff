/** Series of other exporters, as Prometheus would store them beside the traces of `traces.ts`. */
import type { RawSeries } from '../pipeline';
import { sampled, type Clock, type PerScrape } from './traces';

const TIMED_OUT_S = 29.5;
const ANSWERED_S = 0.2;

export interface CanaryTrace {
  /** Whether the `k`-th request was answered; one is sent every 30 s from the first scrape on. */
  readonly isAnswered: (k: number) => boolean;
  /** HTTP status of the others; 0 where no response came. */
  readonly status?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly requests: number;
}

/** What the blackbox exporter stores: each request at the instant at which it was sent. */
export function canary({ startMs }: Clock, { isAnswered, status = 0, labels, requests }: CanaryTrace): RawSeries[] {
  const sent = Array.from({ length: requests }, (_, k) => k);
  const one = (name: string, valueAt: (k: number) => number): RawSeries => ({
    labels: { __name__: name, job: 'pdflow-canary', instance: 'http://router:30001/generate', ...labels },
    timesMs: sent.map((k) => startMs + k * 30_000),
    values: sent.map(valueAt),
  });
  return [
    one('probe_success', (k) => (isAnswered(k) ? 1 : 0)),
    one('probe_duration_seconds', (k) => (isAnswered(k) ? ANSWERED_S : status === 0 ? TIMED_OUT_S : ANSWERED_S)),
    one('probe_http_status_code', (k) => (isAnswered(k) ? 200 : status)),
  ];
}

export interface GpuTrace {
  readonly util: PerScrape;
  readonly watts?: PerScrape;
  readonly tensor?: PerScrape;
  readonly labels: Readonly<Record<string, string>>;
}

const at = (per: PerScrape, scrape: number): number => (typeof per === 'number' ? per : per(scrape));

/** One GPU as dcgm-exporter tells it. */
export function gpu(time: Clock, { util, watts, tensor, labels }: GpuTrace): RawSeries[] {
  const one = (name: string, per: PerScrape | undefined): RawSeries[] =>
    per === undefined
      ? []
      : [sampled(time, { __name__: name, job: 'dcgm', UUID: 'GPU-0', ...labels }, (scrape) => at(per, scrape))];
  return [
    ...one('DCGM_FI_DEV_GPU_UTIL', util),
    ...one('DCGM_FI_DEV_POWER_USAGE', watts),
    ...one('DCGM_FI_PROF_PIPE_TENSOR_ACTIVE', tensor),
  ];
}

/** A counter of another exporter that rises by `perScrape` at each scrape. */
export function rising(
  time: Clock,
  name: string,
  labels: Readonly<Record<string, string>>,
  perScrape: PerScrape
): RawSeries {
  let total = 1000;
  return sampled(time, { __name__: name, job: 'exporter', ...labels }, (scrape) => (total += at(perScrape, scrape)));
}

/** CPU seconds of the scheduler processes of a host, as process-exporter counts them. */
export const schedulerCpu = (time: Clock, host: string, cores: PerScrape): RawSeries[] => {
  const labels = { groupname: 'sglang::schedul', instance: `${host}:9256` };
  const seconds = (share: number) => (scrape: number) => (at(cores, scrape) * share * time.everyMs) / 1000;
  return [
    rising(time, 'namedprocess_namegroup_cpu_seconds_total', { ...labels, mode: 'user' }, seconds(0.9)),
    rising(time, 'namedprocess_namegroup_cpu_seconds_total', { ...labels, mode: 'system' }, seconds(0.1)),
  ];
};

/** Bytes that a NIXL agent has sent. */
export const nixlSent = (time: Clock, host: string, bytesPerScrape: PerScrape): RawSeries =>
  rising(time, 'agent_tx_bytes_total', { agent: 'a', hostname: host }, bytesPerScrape);
