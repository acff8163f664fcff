import type { VerdictKind } from '../model';
import { KV_FULL } from '../room';
import { isPersistent, takenOut, type GivenUp } from './givenUp';
import { LEAST_LOST, LOST_SHARE, type Place, type Signs } from './signs';

/**
 * Where only gauges tell, several faults look alike. What became of the requests whose clients gave up, and what prefill's
 * gauges showed when they were last pushed, tells some of them apart: the likeliest is named, and with it each that
 * nothing refutes.
 */

/** Decode's loop takes nobody out: it stands, or nothing reaches it. */
const isDeaf = ({ isCounted, own }: Signs): boolean => isCounted && isPersistent(own) && takenOut(own) === 0;

/** Clients gave up on prefill, and decode has not heard of most of them. */
const isUntold = ({ own, decode, prefill }: Signs): boolean =>
  own.aborted === 0 && prefill.aborted - decode.aborted >= Math.max(LEAST_LOST, prefill.aborted * LOST_SHARE);

/** Clients gave up on decode, and prefill has not had their requests. */
const isPrefillMissed = ({ own, isAnyPrefillAsked }: Signs): boolean => isPersistent(own) && !isAnyPrefillAsked;

const isAt = ({ place, hint }: Signs, where: Place): boolean => (place ?? hint) === where;

/** All who were taken out had been admitted by decode. */
const isAdmitted = ({ place, own, prefill }: Signs): boolean =>
  place === 'transfer' && own.atDoor + prefill.atDoor === 0;

const isAbsorbed = (own: GivenUp): boolean => takenOut(own) >= own.aborted * LOST_SHARE;

const isDecodeAsked = ({ own, isFrozen }: Signs): boolean => own.aborted + takenOut(own) > 0 || isFrozen;

/** A pinned head of the queue keeps a living loop from admitting anybody; a loop that stands looks the same. */
const isCause = ({ cause, own }: Signs): boolean => cause !== undefined && (cause.kind !== 'head' || takenOut(own) > 0);

/** The likeliest: the first hit wins. */
const LIKELY: ReadonlyArray<readonly [VerdictKind, (s: Signs) => boolean]> = [
  ['prefill-stalled', (s) => s.deaf !== undefined && !isDeaf(s)],
  ['engine-down', (s) => s.lost !== undefined && !isDeaf(s) && isAt(s, 'door')],
  ['aborts-not-absorbed', (s) => s.unabsorbed > 0 || (isUntold(s) && s.isFrozen)],
  ['router-fault', (s) => isUntold(s) && s.place !== 'transfer'],
  // Before 0.5.13 aborts are not looked for among those that only wait for room.
  ['decode-admission-blocked', (s) => isDeaf(s) && s.cause?.kind === 'kv' && s.cause.usage >= KV_FULL],
  ['frontend-stuck', (s) => isDeaf(s) && s.isIdleAmidDemand],
  ['decode-wedged', isDeaf],
  ['router-fault', isPrefillMissed],
  ['decode-admission-blocked', (s) => isAt(s, 'door') && isCause(s)],
  // Nobody was taken out, not even the aborted ones from which it began.
  ['decode-wedged', (s) => s.cause?.kind === 'head' && takenOut(s.own) === 0],
  ['handshake-stalled', (s) => isAt(s, 'door')],
  ['transfer-stalled', (s) => isAt(s, 'transfer')],
];

/** What looks like it, and what refutes that. */
const REFUTED: ReadonlyArray<readonly [VerdictKind, (s: Signs) => boolean]> = [
  ['decode-wedged', (s) => takenOut(s.own) > 0 || isUntold(s)],
  ['transfer-stalled', (s) => isDeaf(s) || (s.place === 'door' && s.own.inTransfer + s.prefill.inTransfer === 0)],
  ['handshake-stalled', (s) => isDeaf(s) || isAdmitted(s)],
  ['decode-admission-blocked', isAdmitted],
  ['engine-down', (s) => s.lost === undefined],
  ['prefill-stalled', (s) => s.isPrefillAlive],
  ['aborts-not-absorbed', (s) => s.unabsorbed === 0 && !isUntold(s) && isAbsorbed(s.own)],
  ['frontend-stuck', (s) => takenOut(s.own) > 0 || s.isFrozen || isUntold(s)],
  ['router-fault', (s) => s.place === 'transfer' || (isDecodeAsked(s) && s.isPrefillAsked)],
];

export interface Suspects {
  readonly kind: VerdictKind;
  /** Every other kind that would look the same. */
  readonly others: readonly VerdictKind[];
}

export function suspectsOf(signs: Signs): Suspects {
  const kind = LIKELY.find(([, isLikely]) => isLikely(signs))?.[0] ?? 'decode-wedged';
  const others = signs.deaf && kind === 'prefill-stalled' ? DEAF : standing(signs).filter((other) => other !== kind);
  const isLoop = [kind, ...others].some((one) => one === 'decode-wedged' || one === 'prefill-stalled');
  // One rank that waits for the others stands like a loop.
  return { kind, others: isLoop ? [...others, 'rank-divergence'] : others };
}

/** Nothing reaches a loop that lives, which looks the same. */
export const DEAF: readonly VerdictKind[] = ['frontend-stuck'];

const standing = (signs: Signs): VerdictKind[] =>
  REFUTED.flatMap(([kind, isRefuted]) => (isRefuted(signs) ? [] : [kind]));
