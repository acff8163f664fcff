import { legSource } from '../legs';
import { riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { Evidence, StageReading, VerdictKind } from '../model';
import { metricName } from '../profiles/sglang';
import { admissionCause, type AdmissionCause } from '../rules/admission';
import { readingsOf } from '../rules/calm';
import { isSilent, isStalled, loopMovedSince } from '../rules/decode';
import { waitsForMetadata } from '../rules/prefill';
import { KV_FULL, KV_SHORT, kvUsage, tellsUsage } from '../room';
import { lostAborts, lostBefore, untoldSince } from '../rules/aborts';
import { capital, count, duration, listed, STAGE_NAMES } from '../sentences';
import { sum } from '../series';
import { flowOf } from '../stages';
import { abortsBefore, after, isOlder, SUBJECT, triggerOf, type Conclusion, type Speech } from './speech';
import { leftSince } from '../stalls';

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

/** A stage holds requests and hands none on. */
export function stalledStage(culprit: StageReading, sinceMs: number, { moment, words }: Speech): Conclusion {
  const cause = causeOf(culprit, sinceMs, moment);
  const kind = cause
    ? 'decode-admission-blocked'
    : orphaned(culprit, sinceMs, moment)
      ? 'aborts-not-absorbed'
      : kindOf(culprit, sinceMs, moment);
  const engine = moment.engines.find((e) => e.engine.id === culprit.engine);
  const blamed = blamedFor(cause, culprit, moment);
  const trigger = (kind === 'aborts-not-absorbed' ? abortsBefore : triggerOf)(moment, sinceMs);
  const age = duration(moment.atMs - sinceMs);
  const isInflight = culprit.stage === 'prefill.inflight';
  const isOtherSide = isInflight && isAlone(culprit, moment);
  const isSettled = isInflight ? !isOtherSide : loopMovedSince(engine, sinceMs, moment.intervalMs * 1.5);
  return {
    kind,
    severity: 'critical',
    stage: blamed.stage,
    engine: blamed.engine,
    sinceMs,
    headline: `${SUBJECT[kind] ?? capital(STAGE_NAMES[blamed.stage])}${where(blamed, moment)} for ${isOlder(engine, sinceMs, moment) ? 'at least ' : ''}${age}`,
    detail: `${whatHappens(culprit, sinceMs, { moment, words })}${after(trigger)}.${cause ? wordCause(cause) : ''}${parked(culprit)}`,
    completeness: culprit.completeness,
    evidence: stallEvidence(culprit, engine, sinceMs, { moment, words }),
    alternatives: [
      ...new Set([
        ...alternativesTo(kind, { culprit, isSettled, cause, sinceMs, moment }),
        ...(isOlder(engine, sinceMs, moment) ? unseenCauses(kind, { sinceMs, culprit: culprit.engine }, moment) : []),
      ]),
    ],
    trigger,
    remedy: isOtherSide
      ? `Look at decode, whose metrics show no stall or are not scraped: it does not take what ${culprit.engine} hands over.`
      : `Restart ${listed(stalledWith(blamed, moment))}.`,
    recoverySign: `${culprit.engine} hands on a request from ${STAGE_NAMES[culprit.stage]} after ${words.time(sinceMs)}.`,
  };
}

function whatHappens(culprit: StageReading, sinceMs: number, { moment, words }: Speech): string {
  const since = words.time(sinceMs);
  if (!isAlone(culprit, moment)) {
    return `${whoseName(culprit)} has handed nothing on from ${STAGE_NAMES[culprit.stage]} since ${since}`;
  }
  if (unheard(culprit, moment) === 'sure') {
    return `Prefill has computed nothing of what ${culprit.engine} holds: no metadata has come there since ${since}`;
  }
  if (KIND_OF_STAGE[culprit.stage] === 'transfer-stalled') {
    return computedSince(moment, sinceMs) > 0
      ? `Prefill hands over, decode has concluded no transfer since ${since}`
      : `Decode has concluded no transfer since ${since}`;
  }
  return `${capital(STAGE_NAMES[culprit.stage])} of ${culprit.engine} has handed nothing on since ${since}`;
}

/** The one engine of its side: what stands there stands for the whole pipeline. */
const isAlone = ({ stage, rank }: StageReading, moment: Moment): boolean =>
  rank === undefined && serversOf(moment, flowOf(stage).role).length === 1;

const whoseName = ({ engine, rank }: StageReading): string =>
  rank === undefined ? engine : `dp_rank ${rank} of ${engine}`;

/** Where others of the same side may well work, the headline says who does not. */
function where(culprit: StageReading, moment: Moment): string {
  const { role } = flowOf(culprit.stage);
  const all = serversOf(moment, role).length;
  const stalled = stalledWith(culprit, moment).length;
  if (isAlone(culprit, moment) || stalled === all) {
    return '';
  }
  return stalled > 1 ? ` on ${stalled} of ${all} ${role} engines` : ` on ${whoseName(culprit)}`;
}

/** The engines that stand at the same stage, the culprit first. */
function stalledWith({ stage, engine }: StageReading, moment: Moment): string[] {
  const others = readingsOf(moment, stage).filter((r) => isStalled(r) && r.engine !== engine);
  return [engine, ...others.map((r) => r.engine)];
}

interface Doubts {
  readonly culprit: StageReading;
  /** Decode's loop provably lives. */
  readonly isSettled: boolean;
  readonly cause: AdmissionCause | undefined;
  readonly sinceMs: number;
  readonly moment: Moment;
}

function alternativesTo(kind: VerdictKind, doubts: Doubts): VerdictKind[] {
  const { isSettled, cause, culprit, moment } = doubts;
  switch (kind) {
    case 'decode-admission-blocked':
      return isHandshakeToo(cause, doubts) ? ['handshake-stalled'] : [];
    case 'transfer-stalled':
      return [
        ...(isSettled ? [] : ['decode-wedged' as const]),
        ...(unheard(culprit, moment) === 'unsure' ? ['handshake-stalled' as const] : []),
      ];
    case 'handshake-stalled':
      return alternativesToHandshake(doubts);
    default:
      return [];
  }
}

/** The room is tight only, or its slots are held by requests of which prefill has computed none since. */
const isHandshakeToo = (cause: AdmissionCause | undefined, { sinceMs, moment }: Doubts): boolean =>
  (cause?.kind === 'kv' && cause.usage < KV_FULL) || (cause?.kind === 'slots' && computedSince(moment, sinceMs) === 0);

/** A loop that shows no life since may be what keeps the handshake from completing. */
function alternativesToHandshake({ culprit, sinceMs, moment }: Doubts): VerdictKind[] {
  const isSilentSide = (role: 'prefill' | 'decode'): boolean =>
    isSilent(moment, role, { sinceMs, culprit: culprit.engine });
  const isFront = culprit.stage === 'prefill.bootstrap' && !isSilentSide('prefill');
  return [
    ...(isSilentSide('prefill') ? ['prefill-stalled' as const] : []),
    ...(isFront ? ['frontend-stuck' as const] : []),
    ...(mayLackLegs(culprit, moment) ? ['router-fault' as const] : []),
    ...(isSilentSide('decode') ? ['decode-wedged' as const] : []),
    ...(mayLackRoom(culprit, sinceMs, moment) ? ['decode-admission-blocked' as const] : []),
  ];
}

/** Without HTTP requests the legs of the other side are counted late and with probes among them, or not at all. */
const mayLackLegs = ({ stage }: StageReading, moment: Moment): boolean =>
  legSource(moment, stage === 'decode.prealloc' ? 'prefill' : 'decode') !== 'http';

/** A stall that is older than the range: what began it was not seen, so what leaves the same behind is not excluded. */
function unseenCauses(
  kind: VerdictKind,
  since: { readonly sinceMs: number; readonly culprit: string },
  moment: Moment
): VerdictKind[] {
  switch (kind) {
    case 'transfer-stalled':
      return computedSince(moment, since.sinceMs) > 0
        ? []
        : [...(isSilent(moment, 'prefill', since) ? ['prefill-stalled' as const] : []), 'aborts-not-absorbed'];
    case 'handshake-stalled':
      return ['decode-admission-blocked'];
    default:
      return [];
  }
}

/** What keeps requests out of decode, where requests wait for decode to admit them. */
function causeOf(culprit: StageReading, sinceMs: number, moment: Moment): AdmissionCause | undefined {
  const isWaiting = culprit.stage === 'decode.prealloc' || culprit.stage === 'prefill.bootstrap';
  const decode = isWaiting ? doorOf(culprit, moment) : undefined;
  return decode && admissionCause(moment, decode, sinceMs);
}

/** The decode engine at whose door requests wait: the culprit itself, else the one with most of them. */
function doorOf(culprit: StageReading, moment: Moment): EngineMoment | undefined {
  const held = (e: EngineMoment): number => e.readings.find((r) => r.stage === 'decode.prealloc')?.depth.value ?? 0;
  const doors = serversOf(moment, 'decode');
  const deepest = [...doors].sort((a, b) => held(b) - held(a))[0];
  return doors.find((e) => e.engine.id === culprit.engine) ?? (deepest && held(deepest) > 0 ? deepest : undefined);
}

/** Where decode keeps out what all of prefill waits for, its door is to blame. */
function blamedFor(cause: AdmissionCause | undefined, culprit: StageReading, moment: Moment): StageReading {
  const door = cause && isAlone(culprit, moment) ? doorOf(culprit, moment) : undefined;
  return door?.readings.find((r) => r.stage === 'decode.prealloc') ?? culprit;
}

/**
 * The request at the head of decode's queue may need more KV room than there is, or than is known, or may be one that was
 * aborted.
 */
function mayLackRoom(culprit: StageReading, sinceMs: number, moment: Moment): boolean {
  const door = doorOf(culprit, moment);
  const isShort = door !== undefined && (!tellsUsage(door.engine) || kvUsage(door.engine, door.index) >= KV_SHORT);
  return isShort || triggerOf(moment, sinceMs) !== undefined;
}

/**
 * Most of what stands there has no client any more, and nothing that prefill has computed since was refused: the aborts
 * were lost, the stage only keeps what they left. Either decode holds more than its clients have open, or prefill has
 * dropped as many and has told nobody.
 */
function orphaned(culprit: StageReading, sinceMs: number, moment: Moment): boolean {
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
  const own = moment.engines.find((e) => e.engine.id === id);
  return Math.max(lost?.engine === own ? (lost?.orphans ?? 0) : 0, own ? lostBefore(own) : 0);
}

/** Real requests that prefill has computed. */
const computedSince = (moment: Moment, sinceMs: number): number => allLeftSince(moment, 'prefill.forward', sinceMs);

/** Real requests for which decode has sent its metadata. */
const admittedSince = (moment: Moment, sinceMs: number): number => allLeftSince(moment, 'decode.prealloc', sinceMs);

const allLeftSince = (moment: Moment, stage: StageReading['stage'], sinceMs: number): number =>
  sum(serversOf(moment, flowOf(stage).role).map((e) => leftSince(e, stage, sinceMs)));

function wordCause(cause: AdmissionCause): string {
  switch (cause.kind) {
    case 'kv':
      return ` Its KV room is ${cause.usage >= KV_FULL ? 'full' : 'tight'} (${Math.round(cause.usage * 100)} % used).`;
    case 'slots':
      return ` ${count(cause.held, 'request')} in transfer hold its slots and do not move.`;
    case 'head':
      return ` It still holds ${cause.held} of the requests of ${count(cause.aborted, 'abort')}: the head of its queue is pinned.`;
  }
}

/**
 * Decode has sent its metadata, so a request that does not leave the bootstrap queue is held up by prefill itself, if its
 * loop shows no life; else the metadata may be lost. In a pool it may be for another one.
 */
function kindOf(culprit: StageReading, sinceMs: number, moment: Moment): VerdictKind {
  const isPrefill =
    culprit.stage === 'prefill.bootstrap' &&
    isAlone(culprit, moment) &&
    isSilent(moment, 'prefill', { sinceMs, culprit: culprit.engine }) &&
    admittedSince(moment, sinceMs + 1.5 * moment.intervalMs) > 0;
  if (unheard(culprit, moment) === 'sure') {
    return 'handshake-stalled';
  }
  return isPrefill ? 'prefill-stalled' : KIND_OF_STAGE[culprit.stage];
}

/** Fewer may as well be some that only just came. */
const FEW_HELD = 3;

/** What decode holds stands before prefill's compute: its metadata has not come there. `unsure`: it may. */
function unheard({ stage, depth }: StageReading, moment: Moment): 'sure' | 'unsure' | 'no' {
  const held = stage === 'decode.transfer' ? (depth.value ?? 0) : 0;
  if (held >= FEW_HELD && waitsForMetadata(held, moment, 'atMost')) {
    return 'sure';
  }
  return waitsForMetadata(held, moment, 'balance') ? 'unsure' : 'no';
}

function parked(culprit: StageReading): string {
  if (culprit.rank !== undefined) {
    return ' Its other ranks hand on.';
  }
  const inside = culprit.depth.value;
  if (!inside || culprit.parkedSinceMs === undefined) {
    return ' No request is inside now: clients have given up.';
  }
  return ` ${count(inside, 'request')} parked now.`;
}

function stallEvidence(
  culprit: StageReading,
  engine: EngineMoment | undefined,
  sinceMs: number,
  { moment, words }: Speech
): Evidence[] {
  const flow = flowOf(culprit.stage);
  const span = { engine: culprit.engine, fromMs: sinceMs, toMs: moment.atMs };
  const entered = engine && flow.entry ? riseSince(engine.engine, flow.entry, sinceMs, engine.index) : undefined;
  const failed = engine && flow.failed ? riseSince(engine.engine, flow.failed, sinceMs, engine.index) : undefined;
  const evidence: Evidence[] = [
    {
      text: `No departure since ${words.time(sinceMs)}, health probes left out.`,
      signal: metricName(flow.exit),
      ...span,
    },
  ];
  if (entered !== undefined && flow.entry) {
    const text = entered === 0 ? 'No request entered since.' : `${count(entered, 'request')} entered since.`;
    evidence.push({ text, signal: metricName(flow.entry), ...span });
  }
  if (failed !== undefined && flow.failed) {
    evidence.push({
      text: `${count(failed, 'request')} failed or aborted inside.`,
      signal: metricName(flow.failed),
      ...span,
    });
  }
  return evidence;
}
