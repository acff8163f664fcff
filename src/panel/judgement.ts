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

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 3, none: 4 };
const UNKNOWN_RANK = 2;

const rankOf = ({ verdict }: PipelineEvaluation): number =>
  verdict.kind === 'unknown' ? Math.min(UNKNOWN_RANK, RANK[verdict.severity]) : RANK[verdict.severity];

/** Faults, then what cannot be known, then the rest: the order of `npm run diagnose`. */
export function worstFirst(evaluations: readonly PipelineEvaluation[]): readonly PipelineEvaluation[] {
  return [...evaluations].sort((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** A first answer that is still on its way must not wipe the picture of the last one. */
export function isPending({ state, series }: PanelData): boolean {
  return series.length === 0 && (state === LoadingState.Loading || state === LoadingState.NotStarted);
}

/** Until the pace of refreshes is known; slower than this is no live view. */
const UNKNOWN_PACE_MS = 120_000;

/** From so many gaps between requests the pace is known: a few refreshes by hand in between must not hide it. */
export const PACE_GAPS = 5;

/** Age at which data is old: so many times the slower of scrapes and refreshes. */
export function veilAgeMs(veilAfter: number, intervalMs: number, gapsMs: readonly number[]): number {
  const unknownMs = gapsMs.length < PACE_GAPS ? UNKNOWN_PACE_MS : 0;
  return veilAfter * Math.max(intervalMs, unknownMs, ...gapsMs);
}
