import { engineOf, riseSince, serversOf, type EngineMoment, type Moment } from '../moment';
import type { Evidence, StageReading } from '../model';
import { metricName, type AnySignalId } from '../profiles/sglang';
import { readFrom, unitOf } from '../readings';
import { KV_FULL } from '../room';
import type { AdmissionCause } from '../rules/admission';
import { readingsOf } from '../rules/calm';
import { isStalled } from '../rules/decode';
import {
  alternativesTo,
  blamedFor,
  computedSince,
  isAlone,
  keptOutBy,
  kindOfStall,
  unheard,
  unseenCauses,
} from '../rules/stalled';
import { capital, count, duration, listed, STAGE_NAMES } from '../sentences';
import { indexAt, sumAfter } from '../series';
import { flowOf } from '../stages';
import { abortsBefore, after, isOlder, SUBJECT, triggerOf, type Conclusion, type Speech } from './speech';

/** A stage holds requests and hands none on. */
export function stalledStage(culprit: StageReading, sinceMs: number, { moment, words }: Speech): Conclusion {
  const stall = { culprit, sinceMs, moment };
  const cause = keptOutBy(stall);
  const kind = kindOfStall(stall, cause);
  const engine = engineOf(moment, culprit.engine);
  const blamed = blamedFor(stall, cause);
  const trigger = (kind === 'aborts-not-absorbed' ? abortsBefore : triggerOf)(moment, sinceMs);
  const age = duration(moment.atMs - sinceMs);
  const isOtherSide = culprit.stage === 'prefill.inflight' && isAlone(culprit, moment);
  const isOld = isOlder(engine, sinceMs, moment);
  return {
    kind,
    severity: 'critical',
    stage: blamed.stage,
    engine: blamed.engine,
    sinceMs,
    headline: `${SUBJECT[kind] ?? capital(STAGE_NAMES[blamed.stage])}${where(blamed, moment)} for ${isOld ? 'at least ' : ''}${age}`,
    detail: `${whatHappens(culprit, sinceMs, { moment, words })}${after(trigger)}.${cause ? wordCause(cause) : ''}${parked(culprit)}`,
    completeness: culprit.completeness,
    evidence: stallEvidence(culprit, engine, sinceMs, { moment, words }),
    alternatives: [...new Set([...alternativesTo(kind, stall, cause), ...(isOld ? unseenCauses(kind, stall) : [])])],
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
  if (isTransfer(culprit)) {
    return computedSince(moment, sinceMs) > 0
      ? `Prefill hands over, decode has concluded no transfer since ${since}`
      : `Decode has concluded no transfer since ${since}`;
  }
  return `${capital(STAGE_NAMES[culprit.stage])} of ${culprit.engine} has handed nothing on since ${since}`;
}

/** Either end of the KV transfer. */
const isTransfer = ({ stage }: StageReading): boolean => stage === 'prefill.inflight' || stage === 'decode.transfer';

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
  const unit = engine && unitOf(engine.engine, culprit);
  const since = (id: AnySignalId | undefined): number | undefined =>
    unit && id && riseSince(unit, id, sinceMs, engine.index);
  const arrivals = engine && readFrom(engine, culprit)?.arrivals;
  const entered = since(flow.entry) && unit && sumAfter(arrivals, indexAt(unit.timesMs, sinceMs), engine.index);
  const failed = since(flow.failed);
  const evidence: Evidence[] = [
    {
      text: `No departure since ${words.time(sinceMs)}, health probes left out.`,
      signal: metricName(flow.exit),
      ...span,
    },
  ];
  if (entered !== undefined && flow.entry) {
    const text = `${entered === 0 ? 'No request' : count(entered, 'request')} entered since.`;
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
