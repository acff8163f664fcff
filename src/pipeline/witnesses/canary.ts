import type { PipelineEvent, RawSeries } from '../model';
import { DEPLOYMENT_LABELS } from '../profiles/targets';
import { CANARY, CANARY_JOB } from '../profiles/witnesses';
import { duration } from '../sentences';
import { indexAt, spacingMs } from '../series';

/** One request of a canary. */
export interface Probe {
  readonly sentMs: number;
  /** When its end was known; Prometheus dates a probe at its beginning. */
  readonly knownMs: number;
  readonly isAnswered: boolean;
  /** 0 where no HTTP response came. */
  readonly status: number | undefined;
}

/** A client that posts a tiny completion through the router again and again. */
export interface Canary {
  readonly id: string;
  readonly labels: RawSeries['labels'];
  /** Ascending. */
  readonly probes: readonly Probe[];
}

/** How a canary stands at one instant. */
export interface CanaryState {
  readonly id: string;
  /** The newest requests that failed, oldest first; empty when the last one was answered. */
  readonly failed: readonly Probe[];
  /** The newest request that was answered. */
  readonly answered: Probe | undefined;
}

/** A canary that has told nothing for so many of its own periods tells nothing. */
const MISSED_PERIODS = 3;
const UNKNOWN_PERIOD_MS = 30_000;
const JOB = new RegExp(`^(?:${CANARY_JOB})$`);

/** Reads the series of the canary's job; `stampsOf` gives the true times of their samples, where they are known. */
export function readCanaries(
  all: readonly RawSeries[],
  stampsOf: (labels: RawSeries['labels']) => RawSeries | undefined
): Canary[] {
  const named = (name: string): RawSeries[] =>
    all.filter((s) => s.labels['__name__'] === name && JOB.test(s.labels['job'] ?? ''));
  const [seconds, statuses] = [named(CANARY.seconds), named(CANARY.status)];
  return storedOnce(named(CANARY.success)).map((success) => {
    const { labels } = success;
    const beside = (list: readonly RawSeries[]): RawSeries | undefined =>
      list.find((s) => isSameProbe(s.labels, labels));
    return {
      id: labels['instance'] ?? labels['job'] ?? '',
      labels,
      probes: probesOf(success, { stamps: stampsOf(labels), seconds: beside(seconds), statuses: beside(statuses) }),
    };
  });
}

/** One canary is one, also where several Prometheus servers store it: the record with the most samples speaks. */
const storedOnce = (all: readonly RawSeries[]): RawSeries[] =>
  [...all]
    .sort((a, b) => b.timesMs.length - a.timesMs.length)
    .filter((one, i, sorted) => sorted.findIndex((s) => isSameProbe(s.labels, one.labels)) === i);

const TELLING_LABELS = ['job', 'instance', ...DEPLOYMENT_LABELS];

/** What one canary has stored, whichever Prometheus server asked it. */
export const isSameProbe = (one: RawSeries['labels'], other: RawSeries['labels']): boolean =>
  TELLING_LABELS.every((name) => one[name] === other[name]);

interface Beside {
  readonly stamps: RawSeries | undefined;
  readonly seconds: RawSeries | undefined;
  readonly statuses: RawSeries | undefined;
}

/** Between two probes Prometheus repeats the last one, which its time stamp tells. */
function probesOf({ timesMs, values }: RawSeries, { stamps, seconds, statuses }: Beside): Probe[] {
  const probes: Probe[] = [];
  timesMs.forEach((atMs, i) => {
    const stamp = valueAt(stamps, atMs);
    const sentMs = stamp === undefined ? atMs : Math.min(atMs, Math.round(stamp * 1000));
    if (sentMs > (probes[probes.length - 1]?.sentMs ?? -Infinity)) {
      probes.push({
        sentMs,
        knownMs: Math.max(atMs, sentMs + (valueAt(seconds, atMs) ?? 0) * 1000),
        isAnswered: values[i] === 1,
        status: valueAt(statuses, atMs),
      });
    }
  });
  return probes;
}

function valueAt(series: RawSeries | undefined, atMs: number): number | undefined {
  const at = series ? indexAt(series.timesMs, atMs) : -1;
  return series?.timesMs[at] === atMs ? series.values[at] : undefined;
}

/** What a canary had told by an instant; `undefined` where it tells nothing, or nothing any more. */
export function canaryStateAt({ id, probes }: Canary, atMs: number): CanaryState | undefined {
  const known = probes.slice(
    0,
    indexAt(
      probes.map((p) => p.knownMs),
      atMs
    ) + 1
  );
  const last = known[known.length - 1];
  const periodMs = spacingMs(known.map((p) => p.sentMs)) ?? UNKNOWN_PERIOD_MS;
  if (!last || atMs - last.knownMs > MISSED_PERIODS * periodMs) {
    return undefined;
  }
  const answered = known.filter((p) => p.isAnswered).at(-1);
  return { id, failed: known.filter((p) => !answered || p.sentMs > answered.sentMs), answered };
}

/** The changes between answered and not, dated at the request that showed them. */
export function canaryEvents({ probes }: Canary): PipelineEvent[] {
  let failedMs: number | undefined;
  return probes.flatMap((probe, i): PipelineEvent[] => {
    const before = probes[i - 1];
    if (!before || before.isAnswered === probe.isAnswered) {
      return [];
    }
    if (!probe.isAnswered) {
      failedMs = probe.sentMs;
      return [{ kind: 'canary-failed', atMs: probe.sentMs, text: `canary ${wordFailure(probe)}` }];
    }
    const size = failedMs === undefined ? undefined : probe.sentMs - failedMs;
    const after = size === undefined ? '' : ` after ${duration(size)}`;
    return [{ kind: 'canary-succeeded', atMs: probe.sentMs, size, text: `canary answered again${after}` }];
  });
}

/** What came instead of an answer. */
export function wordFailure({ status }: Probe): string {
  return status === undefined || status === 0
    ? 'got no answer'
    : status === 200
      ? 'got an answer that is no completion'
      : `got HTTP ${status}`;
}
