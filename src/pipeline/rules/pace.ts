import type { TrackedEngine } from '../fleet';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import { each, once } from '../once';
import { indexAt, lastIndex, quantile, sum, sumAfter } from '../series';

/** The rule about decode that makes tokens, but slowly. */

/** A rate below this share of the stage's own earlier rate is slow. */
const SLOW_SHARE = 0.25;
/** Slowness is judged over a minute; what is slower still, in each of the last two times between scrapes. */
const STEP_MS = 60_000;
const VERY_SLOW_SHARE = 0.125;
/** No decode takes longer for a token when all is well: where a range shows it slow only, this is its usual pace. */
const SLOWEST_USUAL_MS = 200;
/** Fewer tokens tell no pace, and fewer scrapes with as many no usual one. */
const FEW_TOKENS = 10;
const BUSY_SCRAPES = 6;

export interface SlowDecode {
  readonly engine: EngineMoment;
  /** Milliseconds per token of a request now, and usually; `undefined` where this range shows it slow only. */
  readonly nowMs: number;
  readonly usualMs: number | undefined;
  readonly sinceMs: number;
}

/**
 * "Tokens go on, each many times slower than before", as clients receive them: the time between two tokens of a request
 * knows no pauses of the traffic.
 */
export function slowDecode(moment: Moment): SlowDecode | undefined {
  const live = serversOf(moment, 'decode').filter((e) => e.state === 'live');
  return live.flatMap((e) => slowDecodeOf(e) ?? [])[0];
}

function slowDecodeOf(e: EngineMoment): SlowDecode | undefined {
  const { index } = e;
  const minuteAgo = indexAt(e.engine.timesMs, e.lastSampleMs - STEP_MS);
  return (
    slowBetween(e, [index - 2, index - 1, index], VERY_SLOW_SHARE) ?? slowBetween(e, [minuteAgo, index], SLOW_SHARE)
  );
}

/** Slow from each of these scrapes to the next: one pause is not enough to make all of them slow. */
function slowBetween(e: EngineMoment, scrapes: readonly number[], share: number): SlowDecode | undefined {
  const { engine, index } = e;
  const [from = 0] = scrapes;
  const isRestarted = engine.restarts.some((r) => r > from && r <= index);
  const ownMs = usualTokenMs(engine)(from);
  const usualMs = isRestarted || from < 0 ? undefined : usualOf(engine, ownMs);
  const isSlow = (to: number, k: number): boolean =>
    (tokenMs(engine, scrapes[k] ?? to, to) ?? 0) * share > (usualMs ?? Infinity);
  const nowMs = scrapes.slice(1).every(isSlow) ? tokenMs(engine, from, index) : undefined;
  return usualMs === undefined || nowMs === undefined
    ? undefined
    : { engine: e, nowMs, usualMs: usualMs === ownMs ? ownMs : undefined, sinceMs: slowSinceMs(e, usualMs) };
}

/** Its own pace, unless that is slow from the beginning of the range on. */
const usualOf = (engine: TrackedEngine, ownMs: number | undefined): number | undefined =>
  engine.rises.has('seconds.streamed') ? Math.min(ownMs ?? Infinity, SLOWEST_USUAL_MS) : ownMs;

/** The first of the slow scrapes in a row up to now; those without tokens are slow, too. */
function slowSinceMs({ engine, index, lastSampleMs }: EngineMoment, usualMs: number): number {
  const isSlow = (i: number): boolean => (tokenMs(engine, i - 1, i) ?? Infinity) * SLOW_SHARE > usualMs;
  return engine.timesMs[lastIndex(index, (i) => i <= 1 || !isSlow(i))] ?? lastSampleMs;
}

/** Token time of the faster scrapes before one: slowness that lasts is not the usual. `undefined` while there are few. */
const usualTokenMs = once((engine: TrackedEngine) => {
  const times = engine.timesMs.map((_, i) => (i > 0 ? tokenMs(engine, i - 1, i) : undefined));
  return each((from: number): number | undefined => {
    const earlier = times.slice(0, Math.max(0, from)).filter((ms) => ms !== undefined);
    return earlier.length >= BUSY_SCRAPES ? quantile(earlier, 0.25) : undefined;
  });
});

/** Mean time between two tokens of a request; `undefined` for too few tokens. */
function tokenMs(engine: TrackedEngine, from: number, to: number): number | undefined {
  const { rises } = engine;
  if (rises.has('seconds.streamed')) {
    const tokens = sumAfter(rises.get('tokens.streamed'), from, to);
    const seconds = sumAfter(rises.get('seconds.streamed'), from, to);
    return tokens >= FEW_TOKENS ? (seconds * 1000) / tokens : undefined;
  }
  const steps = (rises.get('passes.decode') ?? []).slice(from + 1, to + 1);
  return steps.length > 0 && steps.every((n) => n > 0) && isBusy(engine, from, to)
    ? ((engine.timesMs[to] ?? 0) - (engine.timesMs[from] ?? 0)) / sum(steps)
    : undefined;
}

/** Where only steps are counted: clients have requests open at every scrape, so that steps do not wait for work. */
function isBusy(engine: TrackedEngine, from: number, to: number): boolean {
  const open = engine.columns.get('http.active') ?? engine.columns.get('gauge.running') ?? [];
  return open.slice(from, to + 1).every((n) => (n ?? 0) >= 1);
}
