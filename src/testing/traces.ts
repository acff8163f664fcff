/** Small hand-made traces: what each engine counts per scrape, turned into the series that Prometheus would store. */
import type { RawSeries } from '../pipeline';

/** 20:30:00 on the evening of the record; every trace starts here unless it says otherwise. */
export const START_MS = Date.UTC(2026, 8, 14, 20, 30, 0);

export interface Clock {
  readonly startMs: number;
  readonly everyMs: number;
  /** Number of scrapes; scrape `i` is at `startMs + i * everyMs`. */
  readonly scrapes: number;
}

export const clock = (minutes: number, everySeconds = 15): Clock => ({
  startMs: START_MS,
  everyMs: everySeconds * 1000,
  scrapes: Math.floor((minutes * 60) / everySeconds) + 1,
});

export const timeOf = (at: Clock, scrape: number): number => at.startMs + scrape * at.everyMs;
export const endOf = (at: Clock): number => timeOf(at, at.scrapes - 1);

/** A number, the same at every scrape, or one per scrape. For counters: the increase since the scrape before. */
export type PerScrape = number | ((scrape: number) => number);

interface Wire {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Published by the scheduler, hence with rank labels. */
  readonly ranked: boolean;
}

const stage = (name: string): Wire => ({
  name: 'per_stage_req_latency_seconds_count',
  labels: { stage: name },
  ranked: true,
});
const scheduler = (name: string, labels?: Readonly<Record<string, string>>): Wire => ({ name, labels, ranked: true });
const front = (name: string, labels?: Readonly<Record<string, string>>): Wire => ({ name, labels, ranked: false });
const CHAT = { endpoint: '/v1/chat/completions', method: 'POST' };

/** Counters of an engine, by the words of the tests. */
export const COUNTERS = {
  entered: stage('prefill_prepare'),
  bootstrapped: stage('prefill_bootstrap'),
  chunked: stage('chunked_prefill'),
  forwarded: stage('prefill_forward'),
  handedOver: stage('prefill_transfer_kv_cache'),
  received: stage('decode_prepare'),
  admitted: stage('decode_bootstrap'),
  transferred: stage('decode_transferred'),
  started: stage('decode_waiting'),
  scheduled: scheduler('queue_time_seconds_count'),
  kvTransfers: scheduler('kv_transfer_latency_ms_count'),
  bootstrapFailed: scheduler('num_bootstrap_failed_reqs_total'),
  transferFailed: scheduler('num_transfer_failed_reqs_total'),
  decodeTokens: scheduler('realtime_tokens_total', { mode: 'decode' }),
  prefillTokens: scheduler('realtime_tokens_total', { mode: 'prefill_compute' }),
  decodePasses: scheduler('cuda_graph_passes_total', { mode: 'decode_cuda_graph' }),
  finished: front('num_requests_total'),
  firstTokens: front('time_to_first_token_seconds_count'),
  streamed: front('inter_token_latency_seconds_count'),
  aborted: front('num_aborted_requests_total'),
  httpRequests: front('http_requests_total', CHAT),
  httpResponses: front('http_responses_total', { ...CHAT, status_code: '200' }),
  failedChecks: front('http_responses_total', { endpoint: '/health', method: 'GET', status_code: '503' }),
} as const satisfies Record<string, Wire>;
export type CounterWord = keyof typeof COUNTERS;

export const GAUGES = {
  running: scheduler('num_running_reqs'),
  queued: scheduler('num_queue_reqs'),
  bootstrapping: scheduler('num_prefill_bootstrap_queue_reqs'),
  inflight: scheduler('num_prefill_inflight_queue_reqs'),
  prealloc: scheduler('num_decode_prealloc_queue_reqs'),
  transferring: scheduler('num_decode_transfer_queue_reqs'),
  usage: scheduler('token_usage'),
  throughput: scheduler('gen_throughput'),
  active: front('http_requests_active', CHAT),
} as const satisfies Record<string, Wire>;
export type GaugeWord = keyof typeof GAUGES;

/** What an engine counts. */
export type Counters = Readonly<Partial<Record<CounterWord, PerScrape>>>;

export interface EngineTrace {
  readonly id: string;
  readonly role: 'prefill' | 'decode';
  readonly counters: Counters;
  readonly gauges?: Readonly<Partial<Record<GaugeWord, PerScrape>>>;
  /** Count before the first scrape; 0 makes every series appear with its first event, as SGLang does. */
  readonly base?: number;
  /** Scrapes that were made; all by default. */
  readonly isScraped?: (scrape: number) => boolean;
  /** Scrapes at which the process had just restarted. */
  readonly restarts?: readonly number[];
  readonly prefix?: 'sglang:' | 'sglang_';
  readonly labels?: Readonly<Record<string, string>>;
  /** Prometheus's word on the target; left out by default, as with plain queries. */
  readonly up?: PerScrape;
  /** The true times of the scrapes, which the query plan asks for; left out by default, as with plain queries. */
  readonly isStamped?: boolean;
}

const at = (per: PerScrape, scrape: number): number => (typeof per === 'number' ? per : per(scrape));

/** The series of one engine. */
export function engine(time: Clock, trace: EngineTrace): RawSeries[] {
  const own = [
    ...wordsOf(COUNTERS).flatMap((word) => counterSeries(time, trace, COUNTERS[word], trace.counters[word])),
    ...wordsOf(GAUGES).flatMap((word) => gaugeSeries(time, trace, GAUGES[word], trace.gauges?.[word])),
  ];
  const up = trace.up === undefined ? [] : [upSeries(time, trace.id, trace.up)];
  return [...own, ...up, ...(trace.isStamped ? [stampSeries(time, trace)] : [])];
}

/** One engine of each side: `p:1` and `d:1`, unless other ids are given. */
export const bothSides = (time: Clock, prefill: Partial<EngineTrace>, decode: Partial<EngineTrace>): RawSeries[] => [
  ...engine(time, { id: 'p:1', role: 'prefill', counters: {}, ...prefill }),
  ...engine(time, { id: 'd:1', role: 'decode', counters: {}, ...decode }),
];

function stampSeries(time: Clock, { id, isScraped }: EngineTrace): RawSeries {
  const labels = { __name__: 'pdflow_sample_time_seconds', job: 'sglang', instance: id };
  return sampled(time, labels, (scrape) => timeOf(time, scrape) / 1000, isScraped);
}

/** Prometheus's word on a target. */
export function upSeries(time: Clock, id: string, up: PerScrape): RawSeries {
  const labels = { __name__: 'up', job: 'sglang', instance: id };
  return sampled(time, labels, (scrape) => at(up, scrape));
}

function counterSeries(time: Clock, trace: EngineTrace, wire: Wire, per: PerScrape | undefined): RawSeries[] {
  if (per === undefined) {
    return [];
  }
  const base = trace.base ?? 100;
  let count = base;
  const values = Array.from({ length: time.scrapes }, (_, scrape) => {
    count = trace.restarts?.includes(scrape) ? 0 : count;
    count += scrape === 0 && base > 0 ? 0 : at(per, scrape);
    return count > 0 ? count : undefined;
  });
  const series = sampled(time, labelsOf(trace, wire), (scrape) => values[scrape], trace.isScraped);
  return series.timesMs.length > 0 ? [series] : [];
}

function gaugeSeries(time: Clock, trace: EngineTrace, wire: Wire, per: PerScrape | undefined): RawSeries[] {
  return per === undefined ? [] : [sampled(time, labelsOf(trace, wire), (scrape) => at(per, scrape), trace.isScraped)];
}

/** A series with the samples that `valueAt` gives; `undefined` is a scrape without it. */
export function sampled(
  time: Clock,
  labels: Readonly<Record<string, string>>,
  valueAt: (scrape: number) => number | undefined,
  isScraped: (scrape: number) => boolean = () => true
): RawSeries {
  const timesMs: number[] = [];
  const values: number[] = [];
  for (let scrape = 0; scrape < time.scrapes; scrape += 1) {
    const value = isScraped(scrape) ? valueAt(scrape) : undefined;
    if (value !== undefined) {
      timesMs.push(timeOf(time, scrape));
      values.push(value);
    }
  }
  return { labels, timesMs, values };
}

function labelsOf(trace: EngineTrace, wire: Wire): Record<string, string> {
  const ranks: Record<string, string> = wire.ranked ? { tp_rank: '0', pp_rank: '0' } : {};
  return {
    __name__: `${trace.prefix ?? 'sglang:'}${wire.name}`,
    job: 'sglang',
    instance: trace.id,
    model_name: 'm',
    engine_type: trace.role,
    ...ranks,
    ...wire.labels,
    ...trace.labels,
  };
}

function wordsOf<K extends string>(table: Readonly<Record<K, Wire>>): K[] {
  const words: K[] = [];
  for (const word in table) {
    words.push(word);
  }
  return words;
}

/** What `n` requests per scrape make a prefill engine count when all goes well. */
export const prefillFlow = (n: PerScrape): Counters => ({
  httpRequests: n,
  bootstrapped: n,
  scheduled: n,
  forwarded: n,
  handedOver: n,
  kvTransfers: n,
  prefillTokens: (scrape) => at(n, scrape) * 500,
  finished: n,
  aborted: 0,
  transferFailed: 0,
  bootstrapFailed: 0,
});

/** The same for a decode engine. */
export const decodeFlow = (n: PerScrape): Counters => ({
  httpRequests: n,
  received: n,
  admitted: n,
  transferred: n,
  started: n,
  scheduled: n,
  decodeTokens: (scrape) => at(n, scrape) * 200,
  finished: n,
  aborted: 0,
  transferFailed: 0,
  bootstrapFailed: 0,
});

/** `n` per scrape up to and including `last`, then nothing. */
export const until =
  (last: number, n: PerScrape): PerScrape =>
  (scrape) =>
    scrape <= last ? at(n, scrape) : 0;

/** `n` per scrape except at the scrapes named. */
export const except =
  (n: PerScrape, others: Readonly<Record<number, number>>): PerScrape =>
  (scrape) =>
    others[scrape] ?? at(n, scrape);
