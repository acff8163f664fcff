import type { PipelineEvent } from './model';
import { count } from './sentences';
import { spacingMs } from './series';
import type { TrackedEngine } from './fleet';
import { retractions } from './retractions';
import { timerExpiries } from './timers';
import { canaryEvents } from './witnesses/canary';
import type { Witnesses } from './witnesses/gather';

/** A burst is at least this many aborts … */
const BURST_AT_LEAST = 4;
/** … within this many scrapes … */
const BURST_SCRAPES = 2;
/** … and this many times the abort rate seen before it, over at least so many scrapes. */
const BURST_OVER_BASELINE = 5;
const BASELINE_SCRAPES = 4;

export interface AbortBurst {
  /** Last scrape before the burst: it began between this one and the next. */
  readonly atMs: number;
  /** The scrape that made it a burst. */
  readonly knownMs: number;
  /** Last scrape that showed more of it. */
  readonly endMs: number;
  readonly aborts: readonly Aborts[];
  readonly size: number;
}

/**
 * Abort bursts of a pipeline. Prefill and decode each count an abort of the same request, so the side that counted more
 * speaks for both. The time of a burst is known to one scrape interval.
 */
export function abortBursts(engines: readonly TrackedEngine[]): AbortBurst[] {
  const sides = (['decode', 'prefill', 'unified'] as const).map((role) =>
    abortsBySide(engines.filter((e) => e.role === role))
  );
  return burstsOf(sides.reduce((a, b) => (total(b) > total(a) ? b : a)));
}

/** Scrapes whose counts stand far above those before them, joined where they follow each other. */
export function burstsOf(aborts: readonly Aborts[]): AbortBurst[] {
  const bursts: AbortBurst[] = [];
  aborts.forEach((one, i) => {
    const { atMs, n } = one;
    const last = bursts[bursts.length - 1];
    const isRunning = last !== undefined && last.endMs === aborts[i - 1]?.atMs;
    const usual = usualPerScrape(aborts, i);
    if (isRunning) {
      if (isUnusual(one, usual)) {
        bursts[bursts.length - 1] = {
          ...last,
          endMs: atMs,
          size: last.size + n,
          aborts: [...last.aborts, one],
        };
      }
    } else if (n > 0 && startsBurst(aborts, i, usual)) {
      const from = firstOf(aborts, i, usual);
      bursts.push({
        atMs: aborts[from - 1]?.atMs ?? atMs,
        knownMs: atMs,
        endMs: atMs,
        size: total(aborts.slice(from, i + 1)),
        aborts: aborts.slice(from, i + 1),
      });
    }
  });
  return bursts;
}

/** When a burst had provably begun: the scrape that shows the first of it, of whichever engine. */
export const begunMs = ({ aborts: [first], knownMs }: AbortBurst): number => first?.untilMs ?? first?.atMs ?? knownMs;

/** Aborts of a burst that were known at an instant. */
export const sizeUntil = (burst: AbortBurst, atMs: number): number => total(burst.aborts.filter((a) => a.atMs <= atMs));

const firstRecent = (i: number): number => Math.max(0, i - BURST_SCRAPES + 1);

/** Mean of the scrapes before the recent ones. */
function usualPerScrape(aborts: readonly Aborts[], i: number): number {
  const before = aborts.slice(0, firstRecent(i));
  return before.length > 0 ? total(before) / before.length : 0;
}

function startsBurst(aborts: readonly Aborts[], i: number, usual: number): boolean {
  if (firstRecent(i) < BASELINE_SCRAPES) {
    return false;
  }
  const size = total(aborts.slice(firstRecent(i), i + 1));
  const least = Math.max(BURST_AT_LEAST, usual * BURST_SCRAPES * BURST_OVER_BASELINE);
  return size >= least * holesIn(aborts, i);
}

/** The first recent scrape with more aborts than usual: a single one before it is no part of the burst. */
function firstOf(aborts: readonly Aborts[], i: number, usual: number): number {
  const from = firstRecent(i);
  return from + aborts.slice(from, i + 1).findIndex((a) => isUnusual(a, usual));
}

const isUnusual = ({ n }: Aborts, usual: number): boolean => n > Math.max(1, usual * BURST_SCRAPES);

/** How many times longer than usual the recent scrapes took: what gathered in a hole is no burst. */
function holesIn(list: readonly Aborts[], i: number): number {
  const usualMs = spacingMs(list.map((a) => a.atMs)) ?? 0;
  const tookMs = (list[i]?.atMs ?? 0) - (list[Math.max(0, i - BURST_SCRAPES)]?.atMs ?? 0);
  return usualMs > 0 ? Math.max(1, tookMs / (usualMs * BURST_SCRAPES)) : 1;
}

export interface Aborts {
  readonly atMs: number;
  readonly n: number;
  /** Where several engines are read one after the other: the last that counted any. */
  readonly untilMs?: number;
}

const total = (list: readonly Aborts[]): number => list.reduce((sum, a) => sum + a.n, 0);

/** Aborts per scrape summed over the engines of one side, on the scrapes of all of them, nearby instants joined. */
function abortsBySide(engines: readonly TrackedEngine[]): Aborts[] {
  const all = engines
    .flatMap((e) => e.timesMs.map((atMs, i) => ({ atMs, n: e.rises.get('requests.aborted')?.[i] ?? 0, engine: e.id })))
    .sort((a, b) => a.atMs - b.atMs);
  const joined: Array<{ atMs: number; n: number; untilMs: number; engines: Set<string> }> = [];
  for (const one of all) {
    const last = joined[joined.length - 1];
    if (last && !last.engines.has(one.engine)) {
      last.n += one.n;
      last.untilMs = one.n > 0 ? one.atMs : last.untilMs;
      last.engines.add(one.engine);
    } else {
      joined.push({ atMs: one.atMs, n: one.n, untilMs: one.atMs, engines: new Set([one.engine]) });
    }
  }
  return joined;
}

export interface Seen {
  readonly engines: readonly TrackedEngine[];
  readonly bursts: readonly AbortBurst[];
  readonly witnesses: Witnesses;
}

/** Events that need no judgement: abort bursts, restarts, retractions, expired timers, and what the canary met. */
export function plainEvents({ engines, bursts, witnesses }: Seen): PipelineEvent[] {
  const aborts = bursts.map((b): PipelineEvent => ({
    kind: 'abort-burst',
    atMs: b.atMs,
    size: b.size,
    text: count(b.size, 'abort'),
  }));
  const restarts = engines.flatMap((engine) =>
    engine.restarts.flatMap((i): PipelineEvent[] => {
      const atMs = engine.timesMs[i];
      return atMs === undefined ? [] : [{ kind: 'restart', atMs, engine: engine.id, text: `${engine.id} restarted` }];
    })
  );
  const others = [
    ...engines.flatMap(retractions),
    ...timerExpiries(engines, bursts),
    ...witnesses.canaries.flatMap(canaryEvents),
  ];
  return [...aborts, ...restarts, ...others].sort((a, b) => a.atMs - b.atMs);
}
