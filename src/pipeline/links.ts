import type { Moment } from './moment';
import type { StageId, StageReading } from './model';
import { STAGE_NAMES } from './sentences';
import { flowOf, UPSTREAM_ORDER } from './stages';

/** The stages that wait, directly or through others, for `culprit` to take what they hand over. */
export function upstreamOf(culprit: StageId): ReadonlySet<StageId> {
  const waiting = new Set<StageId>();
  for (const stage of UPSTREAM_ORDER) {
    const { next } = flowOf(stage);
    if (next && (next === culprit || waiting.has(next))) {
      waiting.add(stage);
    }
  }
  return waiting;
}

/** The two ends of what both sides do together, decode's first. */
const OTHER_END: Readonly<Partial<Record<StageId, StageId>>> = {
  'decode.prealloc': 'prefill.bootstrap',
  'decode.transfer': 'prefill.inflight',
};
/** The engine to blame holds them all, those of the other side share them. */
export const CONCENTRATED = 1.5;

/**
 * The culprit: walking from delivery upstream, the first stalled stage. What waits upstream of it is consequence. Among
 * engines of that stage the one that has been stalled longest; in pools, the one engine of the other side on which most
 * of the waiting requests come together, or the only one that stands there although several do here.
 */
export function culpritOf(moment: Moment, isBroken: (r: StageReading) => boolean): StageReading | undefined {
  const broken = moment.engines.flatMap((e) => e.readings).filter(isBroken);
  for (const stage of UPSTREAM_ORDER) {
    const here = broken.filter((r) => r.stage === stage);
    const first = here.sort((a, b) => brokenSinceMs(a) - brokenSinceMs(b))[0];
    if (first) {
      const most = Math.max(...here.map(depthOf));
      const across = broken.filter((r) => r.stage === OTHER_END[stage]).sort((a, b) => depthOf(b) - depthOf(a));
      const [deepest] = across;
      const isShared = across.length === 1 && here.length > 1;
      return deepest && (isShared || depthOf(deepest) > most * CONCENTRATED) ? deepest : first;
    }
  }
  return undefined;
}

const depthOf = (r: StageReading): number => r.depth.value ?? 0;

const brokenSinceMs = (r: StageReading): number => r.stalledSinceMs ?? r.lastProgressMs ?? 0;

/** The stage that is to blame, since when, and how exactly that is known. */
export interface Blame {
  readonly stage: StageId;
  readonly engine: string;
  readonly sinceMs: number;
  readonly slackMs: number;
  /** The loop of the whole engine stands, not one stage: whoever hands something to any of its stages waits. */
  readonly isWhole: boolean;
}

/**
 * Re-reads the stages around a culprit: upstream ones that are asked for something and have handed nothing on since are
 * blocked by it, downstream ones of the same lane that get nothing are starved. Nothing else changes.
 */
export function withConsequences(readings: readonly StageReading[], blame: Blame): StageReading[] {
  const isShared = isPassedOn(readings, blame);
  return readings.map((r) => {
    const isCulprit = r.stage === blame.stage && r.engine === blame.engine;
    const isApart = !isShared && r.engine !== blame.engine && isSameSide(r, blame);
    return isCulprit || isApart || r.state === 'lost' || r.state === 'unknown' ? r : consequence(r, blame);
  });
}

const isSameSide = (a: Pick<StageReading, 'stage'>, b: Pick<StageReading, 'stage'>): boolean =>
  flowOf(a.stage).role === flowOf(b.stage).role;

/** The engines of one side wait for each other only through the other side, where that hands nothing on any more. */
function isPassedOn(readings: readonly StageReading[], blame: Blame): boolean {
  const shared = flowOf(blame.stage).role === 'decode' ? 'prefill.inflight' : 'decode.transfer';
  return !readings.some((r) => r.stage === shared && r.state === 'flowing' && !isStill(r, blame));
}

/**
 * What stalls for a reason of its own beside a culprit, one stage per engine, longest first: on another engine of its side,
 * at another stage. Whatever stands on the other side may wait for it.
 */
export function independentStalls(readings: readonly StageReading[], culprit: Place): StageReading[] {
  const isOwn = (r: StageReading): boolean =>
    r.state === 'stalled' && r.engine !== culprit.engine && r.stage !== culprit.stage && isSameSide(r, culprit);
  const found = UPSTREAM_ORDER.flatMap((stage) => readings.filter((r) => r.stage === stage && isOwn(r)));
  return found
    .filter((r, i) => found.findIndex((o) => o.engine === r.engine) === i)
    .sort((a, b) => brokenSinceMs(a) - brokenSinceMs(b));
}

type Place = Pick<StageReading, 'stage' | 'engine'>;

function consequence(r: StageReading, blame: Blame): StageReading {
  const name = STAGE_NAMES[blame.stage];
  if (waitingFor(blame).has(r.stage) && (r.state === 'stalled' || (isStill(r, blame) && isAsked(r)))) {
    return { ...r, state: 'blocked', waitingOn: blame.stage, reason: `Waiting on ${name}.` };
  }
  const isBehind = upstreamOf(r.stage).has(blame.stage) && r.state !== 'stalled';
  return isBehind && !holdsAny(r) && (isStill(r, blame) || !isAsked(r))
    ? { ...r, state: 'starved', reason: `Gets nothing from ${name}.` }
    : r;
}

/** Where a whole loop stands: whoever hands something to any of its stages. Decode's handshake needs prefill's loop too. */
function waitingFor({ stage, isWhole }: Blame): ReadonlySet<StageId> {
  const last = flowOf(stage).role === 'decode' ? 'decode.running' : 'decode.transfer';
  return upstreamOf(isWhole ? last : stage);
}

const isStill = (r: StageReading, { sinceMs, slackMs }: Blame): boolean =>
  (r.lastProgressMs ?? -Infinity) <= sinceMs + slackMs;

const holdsAny = (r: StageReading): boolean => (r.depth.value ?? 0) > 0 || r.parkedSinceMs !== undefined;

const isAsked = (r: StageReading): boolean => holdsAny(r) || (r.arrivalsPerSec ?? 0) > 0;
