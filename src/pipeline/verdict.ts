import { healthy, idle, staleGauge } from './conclusions/calm';
import {
  blind,
  engineDown,
  noData,
  notYetProven,
  oneSided,
  poolMemberDown,
  restartsAgain,
  rolesMissing,
  routerOnly,
  takenAway,
  tooEarly,
  unscraped,
} from './conclusions/missing';
import { admitsFew, backlog, decodeSlow } from './conclusions/pressure';
import { abortsLost, leaked, ranksApart, slotsLeaked, unheard, zombieRequests } from './conclusions/requests';
import { frontendStuck, routerFaulty, spared } from './conclusions/router';
import type { Conclusion, Speech } from './conclusions/speech';
import { prefillDeaf, silent } from './conclusions/silence';
import { stalledStage } from './conclusions/stall';
import { prefillWedged, wedged } from './conclusions/wedge';
import { unanswered, withWitnesses } from './conclusions/witnesses';
import { tracksOf, type Pipeline } from './fleet';
import { culpritOf } from './links';
import type { StageId, StageReading } from './model';
import { momentOf, serversOf, type EngineMoment, type Moment } from './moment';
import {
  deliveredPerSec,
  isResting,
  isUntried,
  justAsked,
  staleGauges,
  underWay,
  unprovenStage,
  verifiedIdle,
  type StaleGauge,
} from './rules/calm';
import { missingSide, noEngines, nothingScraped, rolesUnknown, sideGone } from './rules/data';
import { isStalled, stuckFrontend, wedgedDecode } from './rules/decode';
import { deafPrefill, silentDecode } from './rules/gauges';
import { crashLoop, crashedEngine, tornEngine, unscrapedEngine } from './rules/lost';
import { isFullOfTransfers, wedgedPrefill } from './rules/prefill';
import { slowDecode } from './rules/pace';
import { fewAdmitted, growingBacklog, slowTransfer, type Backlog } from './rules/pressure';
import { fillingAborts, lostAborts, untoldAborts, type LostAborts } from './rules/aborts';
import { leak, leakedSlots, type Leak } from './rules/leaks';
import { wedgedRank } from './rules/ranks';
import { divergedRanks, zombies } from './rules/requests';
import { routerFault, type RouterFault } from './rules/router';
import { sparedEngine } from './rules/spared';
import { unheardDecode } from './rules/unheard';
import { failingCanary } from './rules/witnesses';
import { once } from './once';
import { lastIndex } from './series';
import type { Outage } from './follower';
import type { StageTrack } from './stalls';

/** A recovery is worth saying for this long. */
const RECOVERY_MEMORY_MS = 300_000;
/** Neighbouring stages follow the one that was to blame within this time. */
const ECHO_MS = 60_000;
const SLOW_PAUSE_MS = 60_000;

type Rule = (speech: Speech) => Conclusion | undefined;

/**
 * The order of the rules, first hit wins. What cannot be judged comes first, then a side that is gone, then faults from
 * the way in (ranks apart, the router, the front end) to the stages, since those explain what stalls behind them; then
 * what works badly; then what is not seen; and the calm states last. Whatever no rule explains is unknown, never healthy.
 */
const RULES: readonly Rule[] = [
  (s) => (noEngines(s.moment) ? routerOnly() : undefined),
  (s) => (nothingScraped(s.moment) ? noData(s) : undefined),
  (s) => (rolesUnknown(s.moment) ? rolesMissing() : undefined),
  (s) => (s.moment.engines.every((e) => e.index < 1) ? tooEarly() : undefined),
  (s) => apply(wedgedDecode(s.moment), (wedge) => (wedge.isSure ? wedged(wedge, s) : undefined)),
  (s) => apply(sideGone(s.moment), (gone) => engineDown(gone, s)),
  (s) => apply(divergedRanks(s.moment), (divergence) => ranksApart(divergence, s)),
  (s) => apply(wedgedRank(s.moment, 'decode'), (wedge) => wedged(wedge, s)),
  (s) =>
    apply(wedgedRank(s.moment, 'prefill'), (wedge) =>
      wedge.isSure || isFirst(wedge.sinceMs, s) ? prefillWedged(wedge, s) : undefined
    ),
  (s) => apply(routerFault(s.moment), (fault) => (isFirst(fault.sinceMs, s) ? routerOrSpared(fault, s) : undefined)),
  (s) => apply(stuckFrontend(s.moment), (stuck) => frontendStuck(stuck, s)),
  (s) => apply(wedgedDecode(s.moment), (wedge) => wedged(wedge, s)),
  (s) =>
    apply(wedgedPrefill(s.moment), (wedge) =>
      isFullOfTransfers(wedge, s.moment) ? undefined : prefillWedged(wedge, s)
    ),
  (s) => (isAdmission(s) || isPause(s) ? apply(slowLink(s.moment), (slow) => backlog(slow, s)) : undefined),
  (s) => (isAdmission(s) ? apply(slowDecode(s.moment), (slow) => decodeSlow(slow, s)) : undefined),
  (s) => (isAdmission(s) ? apply(slotsBeyondAborts(s.moment), (found) => slotsLeaked(found, s)) : undefined),
  (s) =>
    isBeforeTransfer(s)
      ? apply(fillingAborts(s.moment) ?? untoldAborts(s.moment), (lost) => abortsLost(lost, s))
      : undefined,
  (s) => apply(culprit(s.moment), (c) => stalledStage(c, stalledSinceMs(s.moment, c), s)),
  (s) => apply(missingSide(s.moment), oneSided),
  (s) => apply(blindReason(s.moment), () => apply(silentDecode(s.moment), (silence) => silent(silence, s))),
  (s) => apply(blindReason(s.moment), () => apply(deafPrefill(s.moment), (deaf) => prefillDeaf(deaf, s))),
  (s) => apply(crashLoop(s.moment), (loop) => restartsAgain(loop, s)),
  (s) => apply(crashedEngine(s.moment), (crashed) => poolMemberDown(crashed, s)),
  (s) => apply(tornEngine(s.moment), (torn) => takenAway(torn, s)),
  (s) => apply(abortsBeforeQueue(s.moment), (lost) => abortsLost(lost, s)),
  (s) => apply(zombies(s.moment), (found) => zombieRequests(found, s)),
  (s) => apply(unheardDecode(s.moment), (found) => unheard(found, s)),
  (s) => apply(growingBacklog(s.moment, PRESSED), (pressed) => backlog(pressed, s)),
  (s) => apply(fewAdmitted(s.moment), (few) => admitsFew(few, s)),
  (s) => apply(unscrapedEngine(s.moment), (missing) => unscraped(missing, s)),
  (s) => apply(failingCanary(s.moment), (failing) => unanswered(failing, s)),
  (s) => apply(blindReason(s.moment), (reason) => blindOr(reason, s)),
  (s) => apply(leak(s.moment), (found) => leaked(found, s)),
  (s) => apply(restingStaleGauge(s.moment), (stale) => staleGauge(stale, s)),
  (s) => apply(unprovenStage(s.moment), notYetProven),
  (s) => (isUntried(s.moment) ? tooEarly() : undefined),
  (s) =>
    deliveredPerSec(s.moment) !== undefined || underWay(s.moment).length > 0 || justAsked(s.moment)
      ? healthy(s, recentOutage(s.moment))
      : undefined,
  (s) => apply(lastingStaleGauge(s.moment), (stale) => staleGauge(stale, s)),
  (s) => (verifiedIdle(s.moment) ? idle(s, recentOutage(s.moment)) : undefined),
];

/** Where a growing queue is the stage's own fault, most downstream first. */
const PRESSED = ['prefill.forward', 'prefill.waiting'] as const;

const culprit = once((moment: Moment): StageReading | undefined => culpritOf(moment, isStalled));

/** Nothing stalls, or only what waits for decode to admit it: slowness behind the door explains that. */
function isAdmission({ moment }: Speech): boolean {
  const stage = culprit(moment)?.stage;
  return (
    stage === undefined || stage === 'decode.prealloc' || stage === 'prefill.bootstrap' || stage === 'decode.waiting'
  );
}

/** A slow transfer, unless the engine was saturated before: its loop looks after transfers between two batches only. */
function slowLink(moment: Moment): Backlog | undefined {
  const slow = slowTransfer(moment);
  const pressed = slow && growingBacklog(moment, PRESSED);
  const isBefore = pressed && pressed.engine === slow.engine && pressed.sinceMs < slow.sinceMs;
  return isBefore ? undefined : slow;
}

/** Lost aborts, unless those clients gave up because few were admitted already. */
function abortsBeforeQueue(moment: Moment): LostAborts | undefined {
  const lost = lostAborts(moment);
  return lost && (fewAdmitted(moment)?.sinceMs ?? Infinity) < lost.atMs ? undefined : lost;
}

/** Leaked slots, unless lost aborts explain most of them. */
function slotsBeyondAborts(moment: Moment): Leak | undefined {
  const found = leakedSlots(moment);
  const lost = lostAborts(moment) ?? untoldAborts(moment);
  return found && (lost?.orphans ?? 0) < found.count / 2 ? found : undefined;
}

const BEFORE_TRANSFER: ReadonlySet<StageId | undefined> = new Set([
  'decode.prealloc',
  'prefill.bootstrap',
  'prefill.waiting',
  'prefill.forward',
] as const);

/** Nobody is let in, or prefill computes nothing: where decode keeps what lost aborts left, that is why. */
const isBeforeTransfer = ({ moment }: Speech): boolean => BEFORE_TRANSFER.has(culprit(moment)?.stage);

/** A slow link pauses between two transfers: within the time over which it was found slow that is no stall. */
function isPause({ moment }: Speech): boolean {
  const stalled = culprit(moment);
  const isTransfer = stalled?.stage === 'prefill.inflight' || stalled?.stage === 'decode.transfer';
  return stalled !== undefined && isTransfer && moment.atMs - stalledSinceMs(moment, stalled) < SLOW_PAUSE_MS;
}

/** A router that stops sending after a stage had stalled reacts to that, it did not cause it. */
function isFirst(sinceMs: number, { moment }: Speech): boolean {
  const stalled = culprit(moment);
  return stalled === undefined || sinceMs <= stalledSinceMs(moment, stalled) + 2 * moment.intervalMs;
}

const routerOrSpared = (fault: RouterFault, s: Speech): Conclusion =>
  apply(sparedEngine(fault, s.moment), (wedge) => spared(wedge, fault, s)) ?? routerFaulty(fault, s);

/** Without stage counters finished requests can still tell that decode works. */
const blindOr = (reason: string, s: Speech): Conclusion =>
  deliveredPerSec(s.moment) === undefined
    ? blind(reason)
    : { ...healthy(s, undefined), completeness: 0.4, detail: `Requests finish. ${reason}` };

const apply = <T, R>(value: T | undefined, then: (value: T) => R): R | undefined =>
  value === undefined ? undefined : then(value);

/** The one primary verdict of a moment, with what other witnesses add. */
export const conclude = (speech: Speech): Conclusion => withWitnesses(firstOf(speech), speech);

function firstOf(speech: Speech): Conclusion {
  for (const rule of RULES) {
    const conclusion = rule(speech);
    if (conclusion) {
      return conclusion;
    }
  }
  return blind(
    'Requests arrive, but no stage shows one. Check that both sides are scraped and that --enable-metrics is on.'
  );
}

const stalledSinceMs = (moment: Moment, stalled: StageReading): number => stalled.stalledSinceMs ?? moment.atMs;

/** Engines report, but not one stage of a side can be judged: the first reason. */
function blindReason(moment: Moment): string | undefined {
  for (const role of ['prefill', 'decode'] as const) {
    const readings = serversOf(moment, role).flatMap((e) => (e.state === 'live' ? e.readings : []));
    if (readings.length > 0 && readings.every((r) => r.state === 'unknown')) {
      return readings[0]?.reason;
    }
  }
  return undefined;
}

/** Nothing has moved for three scrapes and nobody asks, yet a gauge says that requests run. */
const restingStaleGauge = (moment: Moment): StaleGauge | undefined =>
  isResting(moment) ? staleGauges(moment).find((g) => isLasting(g, moment)) : undefined;

const isLasting = (g: StaleGauge, moment: Moment): boolean =>
  moment.atMs - (g.trueAtMs ?? moment.atMs) > 2 * moment.intervalMs;

function lastingStaleGauge(moment: Moment): StaleGauge | undefined {
  const lasting = staleGauges(moment).filter((g) => moment.atMs - (g.trueAtMs ?? moment.atMs) > 3 * moment.intervalMs);
  return verifiedIdle(moment) ? lasting[0] : undefined;
}

/**
 * The longest outage that ended lately: shorter ones beside it are its echoes in neighbouring stages. One that ended while
 * another stage still stood was not the end of the trouble, and one that was explained (decode that waited for a long
 * prefill) was none.
 */
export const recentOutage = once((moment: Moment): Outage | undefined => {
  const tracks = moment.engines.flatMap((e) => tracksOf(e.engine).map((track) => ({ track, e })));
  const recent = tracks.flatMap(({ track, e }) =>
    track.outages
      .filter((o) => o.knownMs <= moment.atMs && moment.atMs - o.endMs <= RECOVERY_MEMORY_MS)
      .map((outage) => ({ outage, stage: track.flow.stage, e }))
  );
  const stoodMs = recent.length > 0 ? Math.max(...tracks.map(({ track, e }) => lastStoodMs(track, e))) : -Infinity;
  return recent
    .filter(({ outage }) => outage.knownMs >= stoodMs - ECHO_MS)
    .sort((a, b) => lengthOf(b.outage) - lengthOf(a.outage))
    .find(({ outage, stage, e }) => wasStalled(moment, outage, { stage, engine: e.engine.id }))?.outage;
});

const lengthOf = ({ sinceMs, endMs }: Outage): number => endMs - sinceMs;

/** The moments just before outages ended. */
const lastMoments = once((_: Pipeline) => new Map<number, Moment>());

function justBefore(now: Moment, endMs: number): Moment {
  const known = lastMoments(now.pipeline);
  const found = known.get(endMs) ?? momentOf(now, now.pipeline, endMs - 1);
  known.set(endMs, found);
  return found;
}

/** What was said of the stage just before the outage ended. */
const wasStalled = (now: Moment, { endMs }: Outage, at: { stage: StageId; engine: string }): boolean =>
  justBefore(now, endMs)
    .engines.filter((e) => e.engine.id === at.engine)
    .some((e) => e.state !== 'live' || e.readings.some((r) => r.stage === at.stage && isStalled(r)));

const lastStoodMs = ({ stalledSinceMs }: StageTrack, { engine, index }: EngineMoment): number =>
  engine.timesMs[lastIndex(index, (i) => stalledSinceMs[i] !== undefined)] ?? -Infinity;
