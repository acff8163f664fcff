import type { Evidence } from '../simulator/versionProfile';
import { Recorder, type StageCount } from '../simulator/recorder';
import { createRun } from '../simulator/run';
import { type Scenario } from '../simulator/scenario';
import { SCENARIOS } from '../simulator/scenarioList';
import type { RawSeries } from '../src/pipeline';
import { SAMPLE_TIME } from '../src/pipeline/plan';
import { readOpenMetrics } from './readOpenMetrics';

export const END_MS = Date.parse('2026-09-14T20:48:45Z');
/** The instant of the cancellation in the founding record. */
export const T0_MS = Date.parse('2026-09-14T20:38:03Z');
/** Nearly every scenario fits into this; the others say how long they need. */
export const MINUTES = 22;
export const RECORDED_EVERY_MS = 5_000;

export interface Size {
  readonly prefill: number;
  readonly decode: number;
}

/** What Prometheus stored, and where the requests really were. */
export interface Recording {
  readonly startMs: number;
  readonly series: readonly RawSeries[];
  readonly truth: readonly StageCount[];
}

export interface Play {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly size: Size;
  readonly evidence?: Evidence;
  readonly hasCanary?: boolean;
  /** Length of the recording; what every scenario fits into where absent. */
  readonly minutes?: number;
}

/** The families whose sample times are asked for. */
const STAMPED = /(num_running_reqs|http_requests_total|num_requests_total|smg_http_connections_active|worker_health)$/;

/** Plays a scenario and reads back what Prometheus would have stored, histogram buckets left out. */
export const recordScenario = (scenario: Scenario, seed: number, size: Size, evidence?: Evidence): Recording =>
  recordPlay({ scenario, seed, size, evidence });

/** The same, with all that can be chosen. */
export function recordPlay({ size, ...play }: Play): Recording {
  const run = createRun({
    ...play,
    endMs: END_MS,
    minutes: play.minutes ?? Math.max(MINUTES, play.scenario.minMinutes),
    intervalSeconds: RECORDED_EVERY_MS / 1000,
    prefillCount: size.prefill,
    decodeCount: size.decode,
  });
  const recorder = new Recorder(run);
  recorder.recordAll();
  const series = readOpenMetrics([...recorder.openMetrics()].join(''));
  const kept = series.filter((s) => !(s.labels['__name__'] ?? '').endsWith('_bucket'));
  return {
    startMs: run.startMs,
    series: [...kept, ...sampleTimesOf(kept)],
    truth: recorder.stageCounts,
  };
}

/** What the query plan asks for beside the series: when each target was really scraped. */
function sampleTimesOf(series: readonly RawSeries[]): RawSeries[] {
  const targets = new Map<string, RawSeries>();
  for (const { labels, timesMs } of series.filter((s) => STAMPED.test(s.labels['__name__'] ?? ''))) {
    const { job = '', instance = '' } = labels;
    const name = `${job} ${instance}`;
    const times = [...new Set([...(targets.get(name)?.timesMs ?? []), ...timesMs])].sort((a, b) => a - b);
    targets.set(name, {
      labels: { __name__: SAMPLE_TIME, job, instance },
      timesMs: times,
      values: times.map((t) => t / 1000),
    });
  }
  return [...targets.values()];
}

/** A scheduler polls once more within this time after T0. */
const LAST_POLL_MS = 2_000;

/**
 * The last sample before a broken decode engine was first asked for something, at T0 or later; in a pool it must wait for
 * its turn. A dead receiver leaves requests in transfer, a blocked loop does not even read them (a health probe is only
 * read late, for one scrape).
 */
export function firstRequestMs(truth: readonly StageCount[], engine: string): number {
  const isHeld = (count: StageCount | undefined, stage: string): boolean => (count?.engines[engine]?.[stage] ?? 0) > 0;
  const first = truth.find(
    (count, i) =>
      count.atMs >= T0_MS + LAST_POLL_MS &&
      (isHeld(count, 'transfer') || (isHeld(count, 'arriving') && isHeld(truth[i + 1], 'arriving')))
  );
  return first ? Math.max(T0_MS, first.atMs - RECORDED_EVERY_MS) : T0_MS;
}

export function scenarioNamed(name: string): Scenario {
  const scenario = SCENARIOS.find((s) => s.name === name);
  if (!scenario) {
    throw new Error(`no scenario ${name}`);
  }
  return scenario;
}

/** The samples that remain: of a slower scraper, of a shorter range. A series without any sample is not returned. */
export function keepSamples(series: readonly RawSeries[], isKept: (atMs: number) => boolean): RawSeries[] {
  return series
    .map((s) => ({
      labels: s.labels,
      timesMs: s.timesMs.filter(isKept),
      values: s.values.filter((_, i) => isKept(s.timesMs[i] ?? NaN)),
    }))
    .filter((s) => s.timesMs.length > 0);
}

/** The same recording as a Prometheus that scrapes every `everyMs` would have it: scrapes are counted back from the end. */
export const scrapedEvery = (series: readonly RawSeries[], everyMs: number): RawSeries[] =>
  keepSamples(series, (atMs) => (END_MS - atMs) % everyMs === 0);

/** Every scrape instant of a recording. */
export function instants(everyMs: number, fromMs: number, toMs = END_MS): number[] {
  const first = toMs - Math.floor((toMs - fromMs) / everyMs) * everyMs;
  return Array.from({ length: Math.floor((toMs - first) / everyMs) + 1 }, (_, i) => first + i * everyMs);
}

/** The same recording at another date. */
export const movedBy = (series: readonly RawSeries[], shiftMs: number): RawSeries[] =>
  series.map((s) => ({
    ...s,
    timesMs: s.timesMs.map((t) => t + shiftMs),
    values: s.labels['__name__'] === SAMPLE_TIME ? s.values.map((v) => v + shiftMs / 1000) : s.values,
  }));
