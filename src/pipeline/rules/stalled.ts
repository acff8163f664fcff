import { legSource, otherSide } from '../legs';
import { engineOf, readingOf, riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { StageReading, VerdictKind } from '../model';
import { KV_FULL, KV_SHORT, kvUsage, tellsUsage } from '../room';
import { sum } from '../series';
import { flowOf } from '../stages';
import { leftSince } from '../stalls';
import { triggerBefore } from '../triggers';
import { lostAborts, lostBefore, untoldSince } from './aborts';
import { admissionCause, type AdmissionCause } from './admission';
import { isSilent, loopMovedSince } from './decode';
import { waitsForMetadata, wedgedPrefill } from './prefill';
import { isRankSuspected } from './ranks';
import { seemsToMiss } from './router';

/** Rules about a stage that holds requests and hands none on: which fault that is, and which else it may be. */

const KIND_OF_STAGE: Readonly<Record<StageReading['stage'], VerdictKind>> = {
  router: 'router-fault',
  'prefill.bootstrap': 'handshake-stalled',
  'prefill.waiting': 'prefill-stalled',
  'prefill.forward': 'prefill-stalled',
  'prefill.inflight': 'transfer-stalled',
  'decode.prealloc': 'handshake-stalled',
  'decode.transfer': 'transfer-stalled',
  'decode.waiting': 'decode-wedged',
  'decode.running': 'decode-wedged',
};

/** Clients that gave up this long before a stall may have left requests behind. */
const ORPHANED_MS = 60_000;

/** A stage to blame, and since when it hands nothing on. */
export interface Stall {
  readonly culprit: StageReading;
  readonly sinceMs: number;
  readonly moment: Moment;
}

/** The fault, with what keeps requests out of decode as far as something does. */
export function kindOfStall(stall: Stall, cause: AdmissionCause | undefined): VerdictKind {
  if (cause) {
    return 'decode-admission-blocked';
  }
  return isOrphaned(stall) ? 'aborts-not-absorbed' : kindOfStage(stall);
}

/**
 * Decode has sent its metadata, so a request that does not leave the bootstrap queue is held up by prefill itself, if its
 * loop shows no life; else the metadata may be lost. In a pool it may be for another one.
 */
function kindOfStage(stall: Stall): VerdictKind {
  const { culprit, sinceMs, moment } = stall;
  const isPrefill =
    culprit.stage === 'prefill.bootstrap' &&
    isAlone(culprit, moment) &&
    isSilentSide('prefill', stall) &&
    admittedSince(moment, sinceMs + 1.5 * moment.intervalMs) > 0;
  if (unheard(culprit, moment) === 'sure') {
    return 'handshake-stalled';
  }
  return isPrefill ? 'prefill-stalled' : KIND_OF_STAGE[culprit.stage];
}

/** Fewer may as well be some that only just came. */
const FEW_HELD = 3;

/** What decode holds stands before prefill's compute: its metadata has not come there. `unsure`: it may. */
export function unheard({ stage, depth }: StageReading, moment: Moment): 'sure' | 'unsure' | 'no' {
  const held = stage === 'decode.transfer' ? (depth.value ?? 0) : 0;
  if (held >= FEW_HELD && waitsForMetadata(held, moment, 'atMost')) {
    return 'sure';
  }
  return waitsForMetadata(held, moment, 'balance') ? 'unsure' : 'no';
}

/** The one engine of its side: what stands there stands for the whole pipeline. */
export const isAlone = ({ stage, rank }: StageReading, moment: Moment): boolean =>
  rank === undefined && serversOf(moment, flowOf(stage).role).length === 1;

/** What else a stall of this kind may be. */
export function alternativesTo(kind: VerdictKind, stall: Stall, cause: AdmissionCause | undefined): VerdictKind[] {
  switch (kind) {
    case 'decode-admission-blocked':
      return [
        ...(isHandshakeToo(cause, stall) ? ['handshake-stalled' as const] : []),
        ...(lacksLegs(stall) ? ['router-fault' as const] : []),
      ];
    case 'transfer-stalled':
      return alternativesToTransfer(stall);
    case 'handshake-stalled':
      return alternativesToHandshake(stall);
    case 'aborts-not-absorbed':
      // Nobody had left when it began: who did later may have left because of it.
      return triggerBefore(stall.moment, stall.sinceMs) ? [] : [KIND_OF_STAGE[stall.culprit.stage]];
    default:
      return [];
  }
}

function alternativesToTransfer(stall: Stall): VerdictKind[] {
  const isDecodeSilent = !isDecodeAlive(stall) || isRankStanding('decode', stall);
  const isPrefillSilent = wedgedPrefill(stall.moment) !== undefined || isRankStanding('prefill', stall);
  return [
    ...(isDecodeSilent ? ['decode-wedged' as const] : []),
    ...(isPrefillSilent ? ['prefill-stalled' as const] : []),
    ...(unheard(stall.culprit, stall.moment) === 'unsure' ? ['handshake-stalled' as const] : []),
    ...(lacksLegs(stall) ? ['router-fault' as const] : []),
  ];
}

/** Decode's loop has provably moved since; one prefill engine of several does not call it in question. */
function isDecodeAlive({ culprit, sinceMs, moment }: Stall): boolean {
  const engine = engineOf(moment, culprit.engine);
  return culprit.stage === 'prefill.inflight'
    ? !isAlone(culprit, moment)
    : loopMovedSince(engine, sinceMs, moment.intervalMs * 1.5);
}

/** The room is tight only, or its slots are held by requests of which prefill has computed none since. */
const isHandshakeToo = (cause: AdmissionCause | undefined, { sinceMs, moment }: Stall): boolean =>
  (cause?.kind === 'kv' && cause.usage < KV_FULL) || (cause?.kind === 'slots' && computedSince(moment, sinceMs) === 0);

/** A loop that shows no life since may be what keeps the handshake from completing. */
function alternativesToHandshake(stall: Stall): VerdictKind[] {
  const { culprit, moment } = stall;
  const isFront = culprit.stage === 'prefill.bootstrap' && !isSilentSide('prefill', stall);
  return [
    ...(isSilentSide('prefill', stall) || isRankStanding('prefill', stall) ? ['prefill-stalled' as const] : []),
    ...(isFront ? ['frontend-stuck' as const] : []),
    ...(mayLackLegs(culprit, moment) || lacksLegs(stall) ? ['router-fault' as const] : []),
    ...(isSilentSide('decode', stall) || isRankStanding('decode', stall) ? ['decode-wedged' as const] : []),
    ...(mayLackRoom(stall) ? ['decode-admission-blocked' as const] : []),
  ];
}

/** Nothing shows that the loop of the culprit, where it is of this side, or of another one there has run since. */
const isSilentSide = (role: 'prefill' | 'decode', { culprit, sinceMs, moment }: Stall): boolean =>
  isSilent(moment, role, { sinceMs, culprit: culprit.engine });

/** One data-parallel rank of this side counts nothing, and may be what others wait for. */
const isRankStanding = (role: 'prefill' | 'decode', { sinceMs, moment }: Stall): boolean =>
  isRankSuspected(moment, role, sinceMs);

/** What waits here has no other leg, as it seems so far. */
const lacksLegs = ({ culprit, moment }: Stall): boolean =>
  seemsToMiss(moment, otherSide(flowOf(culprit.stage).role === 'prefill' ? 'prefill' : 'decode'));

/** Without HTTP requests the legs of the other side are counted late and with probes among them, or not at all. */
const mayLackLegs = ({ stage }: StageReading, moment: Moment): boolean =>
  legSource(moment, stage === 'decode.prealloc' ? 'prefill' : 'decode') !== 'http';

/** A stall that is older than the range: what began it was not seen, so what leaves the same behind is not excluded. */
export function unseenCauses(kind: VerdictKind, stall: Stall): VerdictKind[] {
  switch (kind) {
    case 'transfer-stalled':
      return computedSince(stall.moment, stall.sinceMs) > 0
        ? []
        : [...(isSilentSide('prefill', stall) ? ['prefill-stalled' as const] : []), 'aborts-not-absorbed'];
    case 'handshake-stalled':
      return ['decode-admission-blocked'];
    default:
      return [];
  }
}

/** What keeps requests out of decode, where requests wait for decode to admit them. */
export function keptOutBy({ culprit, sinceMs, moment }: Stall): AdmissionCause | undefined {
  const isWaiting = culprit.stage === 'decode.prealloc' || culprit.stage === 'prefill.bootstrap';
  const decode = isWaiting ? doorOf(culprit, moment) : undefined;
  return decode && admissionCause(moment, decode, sinceMs);
}

/** The decode engine at whose door requests wait: the culprit itself, else the one with most of them. */
function doorOf(culprit: StageReading, moment: Moment): EngineMoment | undefined {
  const held = (e: EngineMoment): number => readingOf(e, 'decode.prealloc')?.depth.value ?? 0;
  const doors = serversOf(moment, 'decode');
  const deepest = [...doors].sort((a, b) => held(b) - held(a))[0];
  return doors.find((e) => e.engine.id === culprit.engine) ?? (deepest && held(deepest) > 0 ? deepest : undefined);
}

/** Where decode keeps out what all of prefill waits for, its door is to blame. */
export function blamedFor({ culprit, moment }: Stall, cause: AdmissionCause | undefined): StageReading {
  const door = cause && isAlone(culprit, moment) ? doorOf(culprit, moment) : undefined;
  return (door && readingOf(door, 'decode.prealloc')) ?? culprit;
}

/**
 * The request at the head of decode's queue may need more KV room than there is, or than is known, or may be one that was
 * aborted; or nothing is let in, health probes neither, and a slot is what they lack.
 */
function mayLackRoom({ culprit, sinceMs, moment }: Stall): boolean {
  const door = doorOf(culprit, moment);
  const isShort = door !== undefined && (!tellsUsage(door.engine) || kvUsage(door.engine, door.index) >= KV_SHORT);
  return isShort || (door && isShut(door, sinceMs + moment.intervalMs)) || triggerBefore(moment, sinceMs) !== undefined;
}

const isShut = ({ engine, index }: EngineMoment, sinceMs: number): boolean =>
  (riseSince(engine, 'decode.bootstrapped', sinceMs, index) ?? 0) === 0;

/**
 * Most of what stands there has no client any more, and nothing that prefill has computed since was refused: the aborts
 * were lost, the stage only keeps what they left. Either decode holds more than its clients have open, or prefill has
 * dropped as many and has told nobody.
 */
function isOrphaned({ culprit, sinceMs, moment }: Stall): boolean {
  const isDecode = culprit.stage === 'decode.transfer' || culprit.stage === 'decode.prealloc';
  const held = culprit.depth.value ?? 0;
  const isRefused = serversOf(moment, 'prefill').length === 1 && computedSince(moment, sinceMs + moment.intervalMs) > 0;
  if (!isDecode || held === 0 || isRefused) {
    return false;
  }
  return Math.max(orphansOf(culprit.engine, moment), untoldSince(moment, sinceMs - ORPHANED_MS)) >= held / 2;
}

/** Requests without a client that aborts have left on an engine, in this range or before it. */
function orphansOf(id: string, moment: Moment): number {
  const lost = lostAborts(moment);
  const own = engineOf(moment, id);
  return Math.max(lost?.engine === own ? (lost?.orphans ?? 0) : 0, own ? lostBefore(own) : 0);
}

/** Real requests that prefill has computed. */
export const computedSince = (moment: Moment, sinceMs: number): number =>
  allLeftSince(moment, 'prefill.forward', sinceMs);

/** Real requests for which decode has sent its metadata. */
const admittedSince = (moment: Moment, sinceMs: number): number => allLeftSince(moment, 'decode.prealloc', sinceMs);

const allLeftSince = (moment: Moment, stage: StageReading['stage'], sinceMs: number): number =>
  sum(serversOf(moment, flowOf(stage).role).map((e) => leftSince(e, stage, sinceMs)));
