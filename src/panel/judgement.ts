/** From what Grafana hands over to what the diagram draws; no React. */
import { LoadingState, type PanelData, type TimeRange } from '@grafana/data';
import { readFrames } from '../frames/readFrames';
import { prepare, type Fleet, type PipelineEvaluation, type Problem, type Severity } from '../pipeline';
import { pipelineOptions, type PanelOptions } from './options';

export interface FleetReading {
  readonly fleet: Fleet;
  readonly problems: readonly Problem[];
}

export function readFleet(data: PanelData, options: PanelOptions): FleetReading {
  const { series, problems, options: fromQuery } = readFrames(data.series);
  const fleet = prepare(series, pipelineOptions(options, fromQuery));
  return { fleet, problems: [...problems, ...fleet.problems] };
}

export interface Instants {
  readonly fromMs: number;
  /** The instant that is judged: the end of the range, or the present when the range ends later. */
  readonly atMs: number;
  /** The range follows the clock, so old data must not pass for the present. */
  readonly live: boolean;
}

export function readInstants({ timeRange, request }: Pick<PanelData, 'timeRange' | 'request'>): Instants {
  const toMs = timeRange.to.valueOf();
  const answeredMs = request?.endTime ?? request?.startTime ?? toMs;
  return { fromMs: timeRange.from.valueOf(), atMs: Math.min(toMs, answeredMs), live: followsClock(timeRange) };
}

function followsClock({ raw }: TimeRange): boolean {
  return typeof raw.to === 'string' && /^now(\/|\+|$)/.test(raw.to.trim());
}

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2, none: 3 };

export function worstFirst(evaluations: readonly PipelineEvaluation[]): readonly PipelineEvaluation[] {
  return [...evaluations].sort(
    (a, b) => RANK[a.verdict.severity] - RANK[b.verdict.severity] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

/** A first answer that is still on its way must not wipe the picture of the last one. */
export function isPending({ state, series }: PanelData): boolean {
  return series.length === 0 && (state === LoadingState.Loading || state === LoadingState.NotStarted);
}

/** Without a second request the pace of refreshes is not known; slower than this is no live view. */
const UNKNOWN_PACE_MS = 120_000;

/** Age at which data is old: so many times the slower of scrapes and refreshes. */
export function veilAgeMs(veilAfter: number, intervalMs: number, refreshMs: number | undefined): number {
  return veilAfter * Math.max(intervalMs, refreshMs ?? UNKNOWN_PACE_MS);
}
