import type { RawSeries } from './model';
import { ENGINE_PREFIX } from './profiles/sglang';
import { IDENTITY_LABELS, TARGET_LABELS } from './profiles/targets';

const OF_TARGETS: ReadonlySet<string> = new Set([...IDENTITY_LABELS, ...TARGET_LABELS.replica]);

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

function spanOf(all: readonly RawSeries[]): Span {
  let fromMs = Infinity;
  let toMs = -Infinity;
  for (const { timesMs } of all) {
    fromMs = Math.min(fromMs, timesMs[0] ?? Infinity);
    toMs = Math.max(toMs, timesMs[timesMs.length - 1] ?? -Infinity);
  }
  return { fromMs, toMs };
}

/** Both were there at some time. */
export function overlap(one: readonly RawSeries[], other: readonly RawSeries[]): boolean {
  const [a, b] = [spanOf(one), spanOf(other)];
  return a.fromMs <= b.toMs && b.fromMs <= a.toMs;
}

/** Both hold some series by the same name. */
export function share(one: readonly RawSeries[], other: readonly RawSeries[]): boolean {
  const names = new Set(one.map(ownName));
  return other.some((series) => names.has(ownName(series)));
}

/** Both hold the same series at the same time: not two pages of one server, such as its metrics and its loads. */
export const repeats = (one: readonly RawSeries[], other: readonly RawSeries[]): boolean =>
  overlap(one, other) && share(one, other);

export const samplesOf = (all: readonly RawSeries[]): number => all.reduce((n, s) => n + s.timesMs.length, 0);

/**
 * One record of a process, continued by another one before its beginning and after its end: a job was renamed, or one
 * Prometheus took over from another. Each of its series goes on as one, so that counters do not seem to begin anew.
 */
export function continued(record: readonly RawSeries[], other: readonly RawSeries[]): RawSeries[] {
  if (overlap(record, other) && !repeats(record, other)) {
    return [...record];
  }
  const span = spanOf(record);
  const rest = new Map<string, RawSeries>();
  for (const series of other) {
    const outside = cut(series, (t) => t < span.fromMs || t > span.toMs);
    if (outside.timesMs.length > 0) {
      rest.set(ownName(series), outside);
    }
  }
  const whole = record.map((series) => {
    const more = rest.get(ownName(series));
    rest.delete(ownName(series));
    return more ? { ...series, ...between(more, span, series) } : series;
  });
  return rest.size > 0 ? [...whole, ...rest.values()] : whole;
}

function cut({ labels, timesMs, values }: RawSeries, isKept: (atMs: number) => boolean): RawSeries {
  const kept = timesMs.flatMap((t, i) => (isKept(t) ? [i] : []));
  return { labels, timesMs: kept.map((i) => timesMs[i] ?? 0), values: kept.map((i) => values[i] ?? 0) };
}

function between(outside: RawSeries, { fromMs, toMs }: Span, inner: RawSeries): Omit<RawSeries, 'labels'> {
  const before = cut(outside, (t) => t < fromMs);
  const after = cut(outside, (t) => t > toMs);
  return {
    timesMs: [...before.timesMs, ...inner.timesMs, ...after.timesMs],
    values: [...before.values, ...inner.values, ...after.values],
  };
}

/** What SGLang itself calls the series; a gateway writes another prefix. */
const ownName = ({ labels }: RawSeries): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => !OF_TARGETS.has(name))
      .map(([name, value]) => `${name}=${name === '__name__' ? value.replace(ENGINE_PREFIX, '') : value}`)
      .sort()
  );
