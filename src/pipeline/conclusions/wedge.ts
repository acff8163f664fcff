import type { EngineMoment, Moment } from '../moment';
import { metricName } from '../profiles/sglang';
import type { Wedge } from '../rules/decode';
import { count, duration } from '../sentences';
import { after, isOlder, triggerOf, type Conclusion, type Speech } from './speech';

/** The HTTP side of a decode engine takes requests, its scheduler does nothing at all. */
export const wedged = (wedge: Wedge, speech: Speech): Conclusion => ({
  ...standing(wedge, 'Decode stopped', speech),
  kind: 'decode-wedged',
  stage: 'decode.prealloc',
  alternatives: wedge.isSure ? [] : ['frontend-stuck'],
  recoverySign: `${wedge.engine.engine.id} makes a decode step after ${speech.words.time(wedge.sinceMs)}.`,
});

/** The same on a prefill engine that has been given something to compute. */
export const prefillWedged = (wedge: Wedge, speech: Speech): Conclusion => ({
  ...standing(wedge, 'Prefill stalled', speech),
  kind: 'prefill-stalled',
  stage: 'prefill.forward',
  alternatives: [],
  recoverySign: `${wedge.engine.engine.id} computes a request after ${speech.words.time(wedge.sinceMs)}.`,
});

type Standing = Omit<Conclusion, 'kind' | 'stage' | 'alternatives' | 'recoverySign'>;

function standing({ engine, sinceMs, untaken }: Wedge, subject: string, { moment, words }: Speech): Standing {
  const trigger = triggerOf(moment, sinceMs);
  const id = engine.engine.id;
  const span = { engine: id, fromMs: sinceMs, toMs: moment.atMs };
  return {
    severity: 'critical',
    engine: id,
    sinceMs,
    headline: `${subject}${isAlone(engine, moment) ? '' : ` on ${id}`} for ${isOlder(engine, sinceMs, moment) ? 'at least ' : ''}${duration(moment.atMs - sinceMs)}`,
    detail: `${id} answers scrapes and takes HTTP requests, but its scheduler has counted nothing since ${words.time(sinceMs)}${after(trigger)}. ${count(untaken, 'request')} never taken.`,
    completeness: Math.min(1, ...engine.readings.map((r) => r.completeness)),
    evidence: [
      {
        text: `No stage, token or pass counted since ${words.time(sinceMs)}.`,
        signal: metricName(engine.engine.role === 'decode' ? 'decode.received' : 'prefill.bootstrapped'),
        ...span,
      },
      { text: `${count(untaken, 'request')} arrived since.`, signal: metricName('http.requests'), ...span },
    ],
    trigger,
    remedy: `Restart ${id}.`,
  };
}

const isAlone = ({ engine }: EngineMoment, moment: Moment): boolean =>
  moment.engines.filter((e) => e.engine.role === engine.role).length === 1;
