import { engineOf, serversOf, type EngineMoment, type Moment } from '../moment';
import type { Evidence, StageId, VerdictKind } from '../model';
import { metricName } from '../profiles/sglang';
import { signsOf, type Signs } from '../rules/signs';
import { DEAF, suspectsOf, type Suspects } from '../rules/suspects';
import type { Deaf, Silence } from '../rules/gauges';
import { givenUpSince, takenOut } from '../rules/givenUp';
import { count, duration } from '../sentences';
import { after, SUBJECT, triggerOf, type Conclusion, type Speech } from './speech';

/** What is said where SGLang counts no stages: the likeliest kind, and every other that would look the same. */

/** Decode delivers nothing. */
export function silent(silence: Silence, speech: Speech): Conclusion {
  const { moment, words } = speech;
  const signs = signsOf(silence, moment);
  const suspects = suspectsOf(signs);
  if (suspects.kind === 'prefill-stalled' && signs.deaf) {
    return prefillDeaf(signs.deaf, speech);
  }
  const { engine, sinceMs, isFrozen } = silence;
  const { id } = engine.engine;
  const sign = isFrozen
    ? 'its gauges still show a running batch, which an idle engine would have cleared'
    : 'clients give up one after the other';
  return {
    ...standing(suspects, { sinceMs, ...culpritOf(suspects.kind, engine, signs, moment) }, speech),
    detail: `Nothing has finished on ${id} since ${words.time(sinceMs)}${after(triggerOf(moment, sinceMs))}, and ${sign}. ${decidedBy(suspects)}`,
    evidence: [
      {
        text: 'No request finished since.',
        signal: metricName('requests.finished'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
      ...[engine, ...serversOf(moment, 'prefill')].flatMap((e) => givenUpEvidence(e, sinceMs, moment)),
    ],
    recoverySign: `A request finishes on ${id} after ${words.time(sinceMs)}.`,
  };
}

/** A prefill engine does nothing at all while clients give up on it. */
export function prefillDeaf({ engine, sinceMs }: Deaf, speech: Speech): Conclusion {
  const { id } = engine.engine;
  const since = speech.words.time(sinceMs);
  const suspects: Suspects = { kind: 'prefill-stalled', others: [...DEAF, 'rank-divergence'] };
  return {
    ...standing(suspects, { engine: id, stage: 'prefill.forward', sinceMs }, speech),
    detail: `${id} has neither transferred a request, nor pushed its gauges, nor taken out those whose clients gave up since ${since}${after(triggerOf(speech.moment, sinceMs))}. ${decidedBy(suspects)}`,
    evidence: givenUpEvidence(engine, sinceMs, speech.moment),
    recoverySign: `${id} transfers a request after ${since}.`,
  };
}

interface Culprit {
  readonly engine: string | undefined;
  readonly stage: StageId;
}

/** Decode itself, or whom it waits for. */
function culpritOf(kind: VerdictKind, { engine }: EngineMoment, { lost, crowded }: Signs, moment: Moment): Culprit {
  switch (kind) {
    case 'router-fault':
      return { engine: serversOf(moment, 'router')[0]?.engine.id, stage: 'router' };
    case 'engine-down':
      return { engine: lost?.engine.id, stage: 'prefill.bootstrap' };
    case 'handshake-stalled':
      return crowded
        ? { engine: crowded.engine.id, stage: 'prefill.bootstrap' }
        : { engine: engine.id, stage: 'decode.prealloc' };
    case 'transfer-stalled':
      return { engine: engine.id, stage: 'decode.transfer' };
    case 'decode-wedged':
      return { engine: engine.id, stage: 'decode.running' };
    default:
      return { engine: engine.id, stage: 'decode.prealloc' };
  }
}

const REMEDY: Readonly<Partial<Record<VerdictKind, (id: string) => string>>> = {
  'router-fault': () => 'Look at the router: its breakers, its workers and whom they reach.',
  'engine-down': (id) => `Start ${id}, or repair its scrape if it runs.`,
};

type Standing = Omit<Conclusion, 'detail' | 'evidence' | 'recoverySign'>;

function standing({ kind, others }: Suspects, culprit: Culprit & { sinceMs: number }, { moment }: Speech): Standing {
  const { engine, stage, sinceMs } = culprit;
  const role = engineOf(moment, engine)?.engine.role;
  const isAlone = role === undefined || serversOf(moment, role).length === 1;
  return {
    kind,
    severity: 'critical',
    stage,
    engine,
    sinceMs,
    headline: `${SUBJECT[kind]}${isAlone ? '' : ` on ${engine}`} for ${duration(moment.atMs - sinceMs)}`,
    completeness: 0.4,
    alternatives: [...others],
    trigger: triggerOf(moment, sinceMs),
    remedy: REMEDY[kind]?.(engine ?? '') ?? `Restart ${engine}.`,
  };
}

const decidedBy = ({ others }: Suspects): string =>
  others.length === 0
    ? 'This SGLang counts no stages: what became of the requests that were given up tells it.'
    : 'This SGLang counts no stages, so it could be something else: per_stage_req_latency_seconds (0.5.3) would decide.';

/** Who gave up, and what the loop has taken out. */
function givenUpEvidence(e: EngineMoment, fromMs: number, { atMs }: Moment): Evidence[] {
  const { id } = e.engine;
  const givenUp = givenUpSince(e, fromMs);
  const { aborted, atDoor, inTransfer } = givenUp;
  const span = { engine: id, fromMs, toMs: atMs };
  const taken = takenOut(givenUp) === 0 ? 'none' : `${atDoor} before, ${inTransfer} during the transfer`;
  return aborted + takenOut(givenUp) === 0
    ? []
    : [
        { text: `${count(aborted, 'client')} gave up on ${id}.`, signal: metricName('requests.aborted'), ...span },
        {
          text: `${id} has taken out: ${taken}.`,
          signal: metricName(inTransfer > atDoor ? 'transfer.failed' : 'bootstrap.failed'),
          ...span,
        },
      ];
}
