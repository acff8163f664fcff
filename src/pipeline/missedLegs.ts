import type { TrackedEngine } from './fleet';
import {
  fewestLegsOn,
  legSource,
  otherSide,
  waitingOn,
  type LegCount,
  type Legs,
  type LegSource,
  type Side,
} from './legs';
import { serversOf, type EngineMoment, type Moment } from './moment';
import { indexAt } from './series';

/** A prefill scheduler takes its requests between two passes, and one may take this long. */
const LONG_PASS_MS = 30_000;
/** Legs are looked for over this long. */
const LOOK_BACK_MS = 300_000;
/** Where none was missed for this long, and for many times the usual gap, what was missed before is another story. */
const QUIET_MS = 120_000;
const QUIET_GAPS = 4;
/** Of what schedulers count so many, or such a share, say nothing about when it began. */
const STRAYS = 2;
const STRAYS_AT_MOST = 8;
const STRAY_SHARE = 0.1;

/** Requests of which one side has the leg and the other has not. */
export interface MissedLegs extends Legs {
  /** At least so many. */
  readonly missed: number;
  /** Legs that the other side got meanwhile. */
  readonly asked: number;
  readonly sinceMs: number;
  /** The last time at which one was missed or failed waiting, as far as is known. */
  readonly lastMs: number;
  /** Of those that waited for their other leg so many had not failed or left. */
  readonly standing: number;
  /** All is as it was then. */
  readonly untilMs: number;
  /** The last that was missed for certain, and how many the other side got after it. */
  readonly latest: { readonly sinceMs: number; readonly asked: number };
}

/**
 * How many legs a side had missed `patienceMs` ago, at least: the legs that the other side got within a span, without all
 * that this one got in its scrapes around that span. So the different instants at which engines are scraped cannot make
 * one up, nor can an engine that is not seen, for then nothing is said. Only requests that wait for their other leg count,
 * or failed waiting.
 */
export function missedLegs(
  moment: Moment,
  side: Side,
  { patienceMs, count }: { readonly patienceMs: number; readonly count: LegCount }
): MissedLegs | undefined {
  const less = serversOf(moment, side);
  const more = serversOf(moment, otherSide(side)).filter((e) => e.state === 'live');
  const source = legSource(moment, side);
  const others = legSource(moment, otherSide(side));
  const isSeen = less.length > 0 && less.every((e) => e.state === 'live') && !hasVanished(moment, side);
  if (!source || !others || !isSeen) {
    return undefined;
  }
  const knownMs = Math.min(moment.atMs, ...less.map((e) => knownUntilMs(e, source))) - patienceMs;
  // At a scrape, so that of engines scraped at once nothing is left over.
  const untilMs = Math.max(...less.flatMap(({ engine }) => engine.timesMs[indexAt(engine.timesMs, knownMs)] ?? []));
  const gotMs = untilMs - (source === 'scheduler' && side === 'prefill' ? LONG_PASS_MS : 0);
  const seenMs = Math.max(...seenFromMs(moment, side));
  const since = (fromMs: number): MissedLegs | undefined =>
    mostMissed(
      [
        ...less.flatMap((e) => taken(e, count(e, { side, source }), { fromMs, untilMs })),
        ...more.flatMap((e) => got(e, { side: otherSide(side), source: others }, { fromMs, untilMs: gotMs })),
      ],
      { side, source, untilMs }
    );
  return since(Math.max(seenMs, untilMs - LOOK_BACK_MS)) && since(seenMs);
}

/** An engine of the side went lately: what the router goes on to send there arrives nowhere. */
const hasVanished = ({ removed, atMs }: Moment, side: Side): boolean =>
  removed.some((e) => e.engine.role === side && atMs - e.lastSampleMs <= LOOK_BACK_MS);

/** An HTTP server counts until it is scraped; a scheduler that stands may have left some lying. */
const knownUntilMs = (e: EngineMoment, source: LegSource): number =>
  source === 'http' ? e.lastSampleMs : Math.min(e.lastSampleMs, e.lastMoveMs ?? -Infinity);

/** From when on all that the side got is counted: engines that came, went or were restarted have lost some. */
function seenFromMs({ pipeline, atMs, engines }: Moment, side: Side): number[] {
  const seen = pipeline.engines.filter((e) => e.role === side && (e.timesMs[0] ?? Infinity) <= atMs);
  return seen.flatMap((e) => {
    const isThere = engines.some((m) => m.engine.id === e.id);
    const changes = [0, ...e.restarts, ...(isThere ? [] : [indexAt(e.timesMs, atMs)])];
    return changes.flatMap((i) => e.timesMs[i] ?? []).filter((t) => t <= atMs);
  });
}

/** What a scrape adds to every span that begins at `atMs` or before. */
interface Step {
  readonly atMs: number;
  /** Legs that came. */
  readonly got: number;
  /** Legs of the side that misses some. */
  readonly taken: number;
  /** Legs that came to the door, probes among them, or left it for the next stage, and those that failed there. */
  readonly waiting: number;
  readonly failed: number;
}

const NOTHING = { got: 0, taken: 0, waiting: 0, failed: 0 } as const;

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** All that came in the scrapes around the span. */
function taken({ engine, index }: EngineMoment, legs: readonly number[], span: Span): Step[] {
  return scrapesOf(engine, span, index).map((i) => ({ ...NOTHING, ...justBefore(engine, i), taken: legs[i] ?? 0 }));
}

/** Only what came within the span for certain; what passed may have come before. */
function got(e: EngineMoment, legs: Legs, span: Span): Step[] {
  const { engine, index } = e;
  const { came, left, failed } = waitingOn(engine, legs);
  const real = fewestLegsOn(e, legs);
  return scrapesOf(engine, span, index).flatMap((i): Step[] => {
    const beganMs = engine.timesMs[i - 1] ?? -Infinity;
    const isWithin = beganMs >= span.fromMs && (engine.timesMs[i] ?? Infinity) <= span.untilMs;
    return [
      { ...NOTHING, ...justBefore(engine, i), waiting: -(left[i] ?? 0), failed: failed[i] ?? 0 },
      ...(isWithin ? [{ ...NOTHING, atMs: beganMs, got: real[i] ?? 0, waiting: came[i] ?? 0 }] : []),
    ];
  });
}

function scrapesOf({ timesMs }: TrackedEngine, { fromMs, untilMs }: Span, index: number): number[] {
  const first = indexAt(timesMs, fromMs) + 1;
  const last = Math.min(index, indexAt(timesMs, untilMs - 1) + 1);
  return Array.from({ length: Math.max(0, last + 1 - first) }, (_, k) => first + k);
}

/** In every span that begins before this scrape. */
const justBefore = ({ timesMs }: TrackedEngine, i: number): { readonly atMs: number } => ({
  atMs: (timesMs[i] ?? 0) - 1,
});

/** The span over which most are missed: where it begins, the missing began. */
function mostMissed(steps: readonly Step[], known: Legs & Pick<MissedLegs, 'untilMs'>): MissedLegs | undefined {
  const sum = { got: 0, taken: 0, waiting: 0, failed: 0 };
  const growing: Unserved[] = [];
  const failedMs = steps.reduce((last, { failed, atMs }) => (failed > 0 ? Math.max(last, atMs) : last), -Infinity);
  for (const step of [...steps].sort((a, b) => b.atMs - a.atMs)) {
    const most = growing.at(-1);
    if (most && most.sinceMs - step.atMs > quietMs(most, known)) {
      break;
    }
    sum.got += step.got;
    sum.taken += step.taken;
    sum.waiting += step.waiting;
    sum.failed += step.failed;
    const missed = Math.min(sum.got - sum.taken, sum.waiting);
    // Probes come to the door and leave it, so where schedulers count this says best when it began.
    const unserved = known.source === 'http' ? missed : sum.waiting;
    if (unserved > (most?.unserved ?? 0)) {
      const standing = sum.waiting - sum.failed;
      growing.push({
        unserved,
        missed,
        asked: sum.got,
        sinceMs: step.atMs,
        lastMs: most?.lastMs ?? Math.max(step.atMs, failedMs),
        standing,
        askedAfter: sum.got - step.got,
      });
    }
  }
  return beginningOf(growing, known);
}

function beginningOf(growing: readonly Unserved[], known: Legs & Pick<MissedLegs, 'untilMs'>): MissedLegs | undefined {
  const began = growing.find(({ unserved }) => unserved >= beyondStrays(growing.at(-1)?.unserved ?? 0, known));
  // Of those that wait, probes that only one side has explain no more than a few.
  const latest = growing[0];
  return began && latest && began.missed >= began.unserved / 2
    ? { ...known, ...began, latest: { sinceMs: latest.sinceMs, asked: latest.askedAfter } }
    : undefined;
}

type Unserved = Pick<MissedLegs, 'missed' | 'asked' | 'sinceMs' | 'lastMs' | 'standing'> & {
  readonly unserved: number;
  /** Legs that the other side got later. */
  readonly askedAfter: number;
};

const quietMs = ({ unserved, sinceMs }: Unserved, { untilMs }: Pick<MissedLegs, 'untilMs'>): number =>
  Math.max(QUIET_MS, (QUIET_GAPS * (untilMs - sinceMs)) / unserved);

/** Clients that left at the door, and requests that were just on their way through it. */
const beyondStrays = (most: number, { source }: Legs): number =>
  source === 'http' ? most : most - Math.min(STRAYS_AT_MOST, Math.max(STRAYS, most * STRAY_SHARE));
