/** What the strip draws, bounded by its width and not by the amount of data. */
import type { EventKind, StageState, StateSpan, StagePart, VerdictSpan } from '../../pipeline/model';

export interface TimeScale {
  readonly fromMs: number;
  readonly toMs: number;
  readonly x: number;
  readonly width: number;
}

export function xOf(atMs: number, { fromMs, toMs, x, width }: TimeScale): number {
  const share = toMs > fromMs ? (atMs - fromMs) / (toMs - fromMs) : 0;
  return x + Math.min(1, Math.max(0, share)) * width;
}

export interface StripSegment {
  readonly x: number;
  readonly width: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: StageState;
  readonly part: StagePart;
}

/** A span of either kind, comparable: the larger the rank, the more it must not be lost when spans are merged. */
interface RankedSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly state: StageState;
  readonly part: StagePart;
  readonly rank: number;
}

const STATE_RANK: Readonly<Record<StageState, number>> = {
  idle: 0,
  flowing: 1,
  starved: 2,
  unknown: 3,
  slow: 4,
  blocked: 5,
  zombie: 6,
  stalled: 7,
  lost: 8,
};
const CULPRIT_RANK = 20;
const MAX_SEGMENTS = 240;

/** Segments of one row: as they are, or the worst of every slice when there are too many to be seen. */
export function stripSegments(spans: readonly StateSpan[], scale: TimeScale): readonly StripSegment[] {
  const ranked = spans
    .filter((span) => span.toMs > scale.fromMs && span.fromMs < scale.toMs)
    .map((span) => ({ ...span, rank: STATE_RANK[span.state] + (span.part === 'culprit' ? CULPRIT_RANK : 0) }));
  const few = ranked.length <= MAX_SEGMENTS ? ranked : worstOfSlices(ranked, scale);
  return few.map(({ fromMs, toMs, state, part }) => {
    const x = xOf(fromMs, scale);
    return { x, width: Math.max(0.75, xOf(toMs, scale) - x), fromMs, toMs, state, part };
  });
}

function worstOfSlices(spans: readonly RankedSpan[], { fromMs, toMs }: TimeScale): RankedSpan[] {
  const sliceMs = (toMs - fromMs) / MAX_SEGMENTS;
  const slices: Array<RankedSpan | undefined> = new Array(MAX_SEGMENTS).fill(undefined);
  for (const span of spans) {
    const first = Math.max(0, Math.floor((span.fromMs - fromMs) / sliceMs));
    const last = Math.min(MAX_SEGMENTS - 1, Math.ceil((span.toMs - fromMs) / sliceMs) - 1);
    for (let slice = first; slice <= last; slice++) {
      const known = slices[slice];
      if (known === undefined || span.rank > known.rank) {
        slices[slice] = span;
      }
    }
  }
  return joinEqual(slices, { fromMs, sliceMs });
}

function joinEqual(
  slices: ReadonlyArray<RankedSpan | undefined>,
  { fromMs, sliceMs }: { fromMs: number; sliceMs: number }
): RankedSpan[] {
  const joined: RankedSpan[] = [];
  slices.forEach((span, index) => {
    if (span === undefined) {
      return;
    }
    const sliceFrom = fromMs + index * sliceMs;
    const last = joined[joined.length - 1];
    if (last && last.rank === span.rank && Math.abs(last.toMs - sliceFrom) < 1) {
      joined[joined.length - 1] = { ...last, toMs: sliceFrom + sliceMs };
    } else {
      joined.push({ ...span, fromMs: sliceFrom, toMs: sliceFrom + sliceMs });
    }
  });
  return joined;
}

/** The verdict as if it were a stage: an alarm is a culprit. */
export function verdictAsState({ fromMs, toMs, kind, severity }: VerdictSpan): StateSpan {
  const alarm = severity === 'critical' || severity === 'warning';
  const calm = kind === 'unknown' ? 'unknown' : kind === 'idle' ? 'idle' : 'flowing';
  return {
    fromMs,
    toMs,
    state: alarm ? (severity === 'critical' ? 'stalled' : 'slow') : calm,
    part: alarm ? 'culprit' : 'none',
  };
}

export type MarkKind = EventKind | 'annotation';

export interface StripEvent {
  readonly kind: MarkKind;
  readonly atMs: number;
  readonly size?: number;
  readonly text: string;
}

export interface Mark {
  readonly x: number;
  readonly kind: MarkKind;
  /** The event that stands for the group. */
  readonly event: StripEvent;
  readonly count: number;
  /** All of the group in time order, at most a dozen. */
  readonly texts: readonly string[];
}

/** Which event of a group speaks: the cause before its effect. */
const MARK_RANK: readonly MarkKind[] = [
  'abort-burst',
  'stall-start',
  'restart',
  'lost',
  'recovery',
  'back',
  'timer-expiry',
  'canary-failed',
  'canary-succeeded',
  'retraction',
  'gauge-stale',
  'annotation',
];

/** Marks closer than `reach` become one; so their number is bounded by the width. */
export function clusterMarks(events: readonly StripEvent[], scale: TimeScale, reach: number): readonly Mark[] {
  const inRange = events.filter(({ atMs }) => atMs >= scale.fromMs && atMs <= scale.toMs);
  const sorted = [...inRange].sort((a, b) => a.atMs - b.atMs);
  const groups: StripEvent[][] = [];
  for (const event of sorted) {
    const group = groups[groups.length - 1];
    const first = group?.[0];
    if (group && first && xOf(event.atMs, scale) - xOf(first.atMs, scale) < reach) {
      group.push(event);
    } else {
      groups.push([event]);
    }
  }
  return groups.map((group) => markOf(group, scale)).filter((mark): mark is Mark => mark !== undefined);
}

function markOf(group: readonly StripEvent[], scale: TimeScale): Mark | undefined {
  let speaker = group[0];
  for (const event of group) {
    if (speaker === undefined || MARK_RANK.indexOf(event.kind) < MARK_RANK.indexOf(speaker.kind)) {
      speaker = event;
    }
  }
  return speaker === undefined
    ? undefined
    : {
        x: xOf(speaker.atMs, scale),
        kind: speaker.kind,
        event: speaker,
        count: group.length,
        texts: group.slice(0, 12).map(({ text }) => text.slice(0, 200)),
      };
}

const STEPS_MS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800,
].map((seconds) => seconds * 1000);

/** Round instants for the axis, no closer than `spacing`. */
export function axisTicks(scale: TimeScale, spacing: number): { stepMs: number; atMs: readonly number[] } {
  const most = Math.max(1, Math.floor(scale.width / spacing));
  const range = scale.toMs - scale.fromMs;
  const largest = STEPS_MS[STEPS_MS.length - 1] ?? range;
  const stepMs = STEPS_MS.find((step) => range / step <= most) ?? largest * Math.ceil(range / largest / most);
  const atMs: number[] = [];
  for (let at = Math.ceil(scale.fromMs / stepMs) * stepMs; at <= scale.toMs && atMs.length <= most; at += stepMs) {
    atMs.push(at);
  }
  return { stepMs, atMs };
}
