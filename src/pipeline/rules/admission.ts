import { riseSince, type EngineMoment, type Moment } from '../moment';
import { KV_FULL, KV_TIGHT, kvUsage } from '../room';
import { trackOf } from '../stalls';
import { triggerBefore } from '../triggers';
import { lostAbortsOn } from './aborts';
import { BACKLOG } from './pressure';

/** Why decode admits nobody. */
export type AdmissionCause =
  | { readonly kind: 'kv'; readonly usage: number }
  | { readonly kind: 'slots'; readonly held: number }
  | { readonly kind: 'head'; readonly aborted: number; readonly held: number };

/**
 * "Decode has the requests, but its KV room, its request slots or the head of its queue keep them out." Without any of
 * these signs a handshake that does not complete is a handshake fault.
 */
export function admissionCause(moment: Moment, decode: EngineMoment, sinceMs: number): AdmissionCause | undefined {
  const { engine, index } = decode;
  const usage = kvUsage(engine, index);
  const held = trackOf(engine, 'decode.transfer')?.balance[index] ?? 0;
  const isMoving = (riseSince(engine, 'decode.transferred', sinceMs, index) ?? 0) > 0;
  if (usage >= KV_FULL) {
    return { kind: 'kv', usage };
  }
  if (held >= BACKLOG && !isMoving) {
    return { kind: 'slots', held };
  }
  return pinnedHead(moment, decode, sinceMs) ?? (usage >= KV_TIGHT ? { kind: 'kv', usage } : undefined);
}

/** A burst of aborts led to the stall, and decode still holds what some of them left. */
function pinnedHead(moment: Moment, decode: EngineMoment, sinceMs: number): AdmissionCause | undefined {
  const lost = lostAbortsOn(decode, moment);
  return lost && triggerBefore(moment, sinceMs)?.burst.atMs === lost.atMs
    ? { kind: 'head', aborted: lost.aborted, held: lost.orphans }
    : undefined;
}
