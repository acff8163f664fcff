import { demandOn } from '../demand';
import type { TrackedEngine } from '../fleet';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import { countsStages, openToTheEnd } from '../occupancy';
import { once } from '../once';
import type { AnySignalId } from '../profiles/sglang';
import { indexAt, quantile, sum, sumAfter } from '../series';
import { trackOf } from '../stalls';
import type { Wedge } from './decode';

/** Rules about one data-parallel rank whose loop stands while the others of its engine work on. */

/** A rank may be busy with one batch, or load a kernel, for this long; its heart beats every second. */
const LEAST_MS = 30_000;
const LEAST_STILL_MS = 15_000;
/** Scrapes that show the same, at least; they come a little early now and then. */
const SCRAPES = 3;
const ALMOST = 0.95;
/** A longer pause of a rank was an outage or a night, not its rhythm. */
const LONGEST_PAUSE_MS = 300_000;
/** Shares are taken over this time before the rank's last move. */
const BEFORE_MS = 600_000;
/** Fewer requests do not tell a share. */
const KNOWN_SHARE = 5;

/** So many would have come to the rank at its share; where requests go to ranks at random, none comes once in 150 times. */
const MISSED = 5;
/** So many were taken by no rank, or at least this part of those that would have come to this one. */
const UNTAKEN = 3;
const UNTAKEN_PART = 1 / 3;
const UNTAKEN_MANY = 15;
/** What makes a rank a suspect only. */
const SUSPECT_MISSED = 2;

interface StandingRank {
  readonly e: EngineMoment;
  readonly rank: string;
  readonly sinceMs: number;
  /** It has stood for longer than its own rhythm allows. */
  readonly isLong: boolean;
  /** Its heartbeat (0.5.20) stands, that of another rank does not. */
  readonly isStill: boolean;
  /** Requests that would have come to it since, as the others got theirs and it had its share before. */
  readonly missed: number;
  /** Requests that came to its engine since and that no rank has taken, beyond those that none took before either. */
  readonly untaken: number;
  readonly source: Wedge['demand'];
}

const standingDecode = once((moment: Moment): readonly StandingRank[] => standingRanks(moment, 'decode'));
const standingPrefill = once((moment: Moment): readonly StandingRank[] => standingRanks(moment, 'prefill'));

/**
 * "One data-parallel rank counts nothing at all, and its heartbeat stands, or requests are taken by no rank, as many as
 * would have come to it, while the others go on." A rank that gets nothing leaves none untaken.
 */
export const wedgedRank = (moment: Moment, role: 'prefill' | 'decode'): Wedge | undefined =>
  standing(moment, role)
    .filter((r) => isProven(r) && !isLeftOut(r, moment))
    .sort((a, b) => a.sinceMs - b.sinceMs)
    .map(({ e, rank, sinceMs, isStill, untaken, source }) => ({
      engine: e,
      rank,
      sinceMs,
      untaken: Math.round(untaken),
      demand: source,
      isSure: isStill,
    }))[0];

/** "A rank of this side may stand": it counts nothing and has missed its turn, and some request was taken by none. */
export const isRankSuspected = (moment: Moment, role: 'prefill' | 'decode', sinceMs: number): boolean =>
  standing(moment, role).some(
    (r) => r.sinceMs <= sinceMs + 2 * moment.intervalMs && (r.isStill || (r.missed >= SUSPECT_MISSED && r.untaken >= 1))
  );

const standing = (moment: Moment, role: 'prefill' | 'decode'): readonly StandingRank[] =>
  role === 'decode' ? standingDecode(moment) : standingPrefill(moment);

const isProven = ({ isLong, isStill, missed, untaken }: StandingRank): boolean =>
  isLong &&
  (isStill || (missed >= MISSED && untaken >= Math.max(UNTAKEN, Math.min(missed * UNTAKEN_PART, UNTAKEN_MANY))));

/**
 * Prefill waits for decode's metadata: a rank of decode that takes nothing leaves those of prefill idle that its requests
 * went to.
 */
const isLeftOut = ({ e, isStill, sinceMs }: StandingRank, moment: Moment): boolean =>
  e.engine.role === 'prefill' &&
  !isStill &&
  standingDecode(moment).some(
    (d) => d.isLong && d.missed >= SUSPECT_MISSED && d.sinceMs <= sinceMs + 2 * moment.intervalMs
  );

const standingRanks = (moment: Moment, role: 'prefill' | 'decode'): StandingRank[] =>
  serversOf(moment, role)
    .filter((e) => e.state === 'live' && countsStages(e.engine))
    .flatMap((e) => e.engine.ranks.flatMap((rank) => standingRank(e, rank, moment) ?? []));

function standingRank(e: EngineMoment, rank: TrackedEngine, moment: Moment): StandingRank | undefined {
  const { index, lastSampleMs } = e;
  const hasHeart = rank.columns.has('heartbeat');
  const sinceMs = rank.lastMoveMs[index] ?? (hasHeart ? rank.timesMs[0] : undefined);
  const stoodMs = (lastSampleMs - (sinceMs ?? lastSampleMs)) / ALMOST;
  if (sinceMs === undefined || stoodMs < (SCRAPES - 1) * moment.intervalMs) {
    return undefined;
  }
  const others = e.engine.ranks.filter((r) => r !== rank);
  const isGoingOn = ({ lastMoveMs }: TrackedEngine): boolean =>
    lastSampleMs - (lastMoveMs[index] ?? -Infinity) <= 1.5 * moment.intervalMs;
  const isStill = hasHeart && others.some(isGoingOn);
  return {
    e,
    rank: rank.id,
    sinceMs,
    isLong: stoodMs >= (isStill ? LEAST_STILL_MS : LEAST_MS) && stoodMs >= rhythmOf(rank, index) - moment.intervalMs,
    isStill,
    missed: missedBy(rank, others, { sinceMs, index }),
    ...untakenOn(e, sinceMs, moment),
  };
}

/** Twice the longest usual pause of this rank, and longer than it usually takes for a batch. */
function rhythmOf(rank: TrackedEngine, index: number): number {
  const moves = [...new Set(rank.lastMoveMs.slice(0, index + 1))].filter((t) => t !== undefined);
  const pauses = moves.map((t, i) => t - (moves[i - 1] ?? t)).filter((ms) => ms <= LONGEST_PAUSE_MS);
  const batchMs = trackOf(rank, 'prefill.forward')?.windowMs[index] ?? 0;
  return Math.max(batchMs, Math.min(2 * (quantile(pauses, 0.99) ?? 0), LONGEST_PAUSE_MS));
}

interface Since {
  readonly sinceMs: number;
  readonly index: number;
}

/** What each rank counts first of a request. */
const firstSeen = ({ role, rises }: TrackedEngine): AnySignalId =>
  role === 'decode' ? 'decode.received' : rises.has('prefill.entered') ? 'prefill.entered' : 'prefill.bootstrapped';

function missedBy(rank: TrackedEngine, others: readonly TrackedEngine[], { sinceMs, index }: Since): number {
  const at = indexAt(rank.timesMs, sinceMs);
  const from = indexAt(rank.timesMs, sinceMs - BEFORE_MS);
  const id = firstSeen(rank);
  const own = sumAfter(rank.rises.get(id), from, at);
  const before = sum(others.map((r) => sumAfter(r.rises.get(id), from, at)));
  const since = sum(others.map((r) => sumAfter(r.rises.get(id), at, index)));
  return own >= KNOWN_SHARE && before > 0 ? (since * own) / before : 0;
}

/** Requests that came, and those that were taken, from an instant on up to another one. */
interface Ledger {
  readonly source: Wedge['demand'];
  readonly came: Count;
  readonly taken: Count;
  /** No more than these can be left untaken. */
  readonly most?: Count;
}

type Count = (fromMs: number, toMs: number) => number;

/** By the account that shows most: each counts at least those that were taken. */
function untakenOn(e: EngineMoment, sinceMs: number, moment: Moment): Pick<StandingRank, 'untaken' | 'source'> {
  const ledgers = e.engine.role === 'decode' ? ledgersOfDecode(e, moment) : ledgersOfPrefill(e, moment);
  return {
    untaken: Math.max(0, ...ledgers.map((ledger) => untakenBy(ledger, e, sinceMs))),
    source: ledgers[0]?.source ?? 'http',
  };
}

/**
 * Those that came and were not taken, beyond the part that was not taken before either: refused ones, for instance. The
 * last two scrapes agree, so that what is under way between the two counts is none.
 */
function untakenBy({ came, taken, most }: Ledger, { engine, index }: EngineMoment, sinceMs: number): number {
  const cameBefore = came(sinceMs - BEFORE_MS, sinceMs);
  const lost = cameBefore > 0 ? Math.max(0, 1 - taken(sinceMs - BEFORE_MS, sinceMs) / cameBefore) : 0;
  const untaken = [index, index - 1].map((i) => {
    const toMs = engine.timesMs[i] ?? 0;
    return Math.min(came(sinceMs, toMs) * (1 - lost) - taken(sinceMs, toMs), most?.(sinceMs, toMs) ?? Infinity);
  });
  return Math.min(...untaken);
}

/**
 * Those that entered; health probes may be among them. And those that got their first token, which no probe does, are
 * still inside, failed, or were given up.
 */
function ledgersOfDecode(e: EngineMoment, moment: Moment): Ledger[] {
  const { engine } = e;
  const { asked, source } = demandOn(e, moment);
  if (source === 'aborts') {
    return [];
  }
  const of = (id: AnySignalId): Count => counted(engine, engine.rises.get(id));
  const ends = (['tokens.first', 'transfer.failed', 'bootstrap.failed', 'requests.aborted'] as const).map(of);
  const inside: Count = (_, toMs) => sum(engine.stages.map((t) => t.balance[indexAt(engine.timesMs, toMs)] ?? 0));
  const entered = counted(engine, trackOf(engine, 'decode.prealloc')?.arrivals);
  const common = { source, came: counted(engine, asked), most: openOrAborted(engine) };
  return [
    { ...common, taken: entered },
    ...(engine.rises.has('tokens.first') ? [{ ...common, taken: together([...ends, inside]) }] : []),
  ];
}

/** A request that nobody took is open until its client gives up: one that was refused is not. */
const openOrAborted =
  (engine: TrackedEngine): Count =>
  (fromMs, toMs) =>
    (openToTheEnd(engine, indexAt(engine.timesMs, toMs)) ?? Infinity) +
    counted(engine, engine.rises.get('requests.aborted'))(fromMs, toMs);

/**
 * Prefill counts requests as they come up to 0.5.9. Later on those count for which decode has sent its metadata, on
 * whichever engine they are.
 */
function ledgersOfPrefill(e: EngineMoment, moment: Moment): Ledger[] {
  const requests = e.engine.rises.get('http.requests');
  if (requests && e.engine.rises.has('prefill.entered')) {
    const taken = trackOf(e.engine, 'prefill.bootstrap')?.arrivals;
    return [{ source: 'http', came: counted(e.engine, requests), taken: counted(e.engine, taken) }];
  }
  const prefill = serversOf(moment, 'prefill');
  const decode = serversOf(moment, 'decode');
  const isSeen = [...prefill, ...decode].every((one) => one.state === 'live');
  const metadata: Ledger = {
    source: 'metadata',
    came: together(decode.map((d) => counted(d.engine, trackOf(d.engine, 'decode.prealloc')?.departures))),
    taken: together(prefill.map((p) => counted(p.engine, trackOf(p.engine, 'prefill.bootstrap')?.departures))),
  };
  return isSeen ? [metadata] : [];
}

const counted =
  ({ timesMs }: TrackedEngine, counts: readonly number[] | undefined): Count =>
  (fromMs, toMs) =>
    sumAfter(counts, indexAt(timesMs, fromMs), indexAt(timesMs, toMs));

const together =
  (counts: readonly Count[]): Count =>
  (fromMs, toMs) =>
    sum(counts.map((count) => count(fromMs, toMs)));
