import type { EngineMoment, Moment } from '../moment';
import type { VerdictKind } from '../model';
import { metricName, type AnySignalId } from '../profiles/sglang';
import type { Wedge } from '../rules/decode';
import { count, duration } from '../sentences';
import { after, isOlder, triggerOf, type Conclusion, type Speech } from './speech';

/** The HTTP side of a decode engine takes requests, its scheduler does nothing at all. */
export const wedged = (wedge: Wedge, speech: Speech): Conclusion => ({
  ...standing(wedge, 'Decode stopped', speech),
  kind: 'decode-wedged',
  stage: 'decode.prealloc',
  alternatives: wedge.isSure ? [] : doubtsOf(wedge),
  recoverySign: `${wedge.engine.engine.id} makes a decode step after ${speech.words.time(wedge.sinceMs)}.`,
});

/** The same on a prefill engine that has been given something to compute. */
export const prefillWedged = (wedge: Wedge, speech: Speech): Conclusion => ({
  ...standing(wedge, 'Prefill stalled', speech),
  kind: 'prefill-stalled',
  stage: 'prefill.forward',
  alternatives: wedge.isSure ? [] : doubtsOf(wedge),
  recoverySign: `${wedge.engine.engine.id} computes a request after ${speech.words.time(wedge.sinceMs)}.`,
});

/**
 * What else it could be: what is lost before the scheduler, what the router does not send to decode, or metadata that
 * does not come to a loop that lives.
 */
function doubtsOf({ demand }: Wedge): readonly VerdictKind[] {
  switch (demand) {
    case 'prefill':
      return ['router-fault', 'frontend-stuck'];
    case 'metadata':
      return ['handshake-stalled'];
    default:
      return ['frontend-stuck'];
  }
}

type Standing = Omit<Conclusion, 'kind' | 'stage' | 'alternatives' | 'recoverySign'>;

/** How it is known that requests reach the engine, and how many did since. */
const ASKED: Readonly<
  Record<Wedge['demand'], { readonly sign: string; readonly signal: AnySignalId; readonly said: (n: number) => string }>
> = {
  http: {
    sign: 'takes HTTP requests',
    signal: 'http.requests',
    said: (n) => `${count(n, 'request')} never taken.`,
  },
  aborts: {
    sign: 'clients give up on it',
    signal: 'requests.aborted',
    said: (n) => `${count(n, 'client')} gave up since.`,
  },
  open: {
    sign: 'has answers open',
    signal: 'http.active',
    said: (n) =>
      `${count(n, 'client')} ${n === 1 ? 'waits' : 'wait'} for the rest of ${n === 1 ? 'an answer' : 'theirs'}.`,
  },
  checks: {
    sign: 'is sent health checks',
    signal: 'checks.failed',
    said: (n) => `${count(n, 'health check')} failed since.`,
  },
  prefill: {
    sign: 'prefill gets requests',
    signal: 'prefill.entered',
    said: (n) => `${count(n, 'request')} reached prefill since.`,
  },
  metadata: {
    sign: 'decode has admitted requests for it',
    signal: 'decode.bootstrapped',
    said: (n) => `${count(n, 'request')} admitted by decode, and not taken by prefill.`,
  },
};

/** A loop that lives books time every second (SGLang 0.5.20), asked or not. */
const STILL = 'Even its heartbeat stands.';

function standing(wedge: Wedge, subject: string, { moment, words }: Speech): Standing {
  const { engine, sinceMs, untaken, demand } = wedge;
  const trigger = triggerOf(moment, sinceMs);
  const asked = ASKED[demand];
  const id = engine.engine.id;
  const span = { engine: id, fromMs: sinceMs, toMs: moment.atMs };
  return {
    severity: 'critical',
    engine: id,
    sinceMs,
    headline: `${subject}${where(wedge, moment)} for ${isOlder(engine, sinceMs, moment) ? 'at least ' : ''}${duration(moment.atMs - sinceMs)}`,
    detail: `${id} answers scrapes${untaken > 0 ? ` and ${asked.sign}` : ''}, but ${who(wedge)} nothing since ${words.time(sinceMs)}${after(trigger)}. ${untaken > 0 ? asked.said(untaken) : STILL}`,
    completeness: Math.min(1, ...engine.readings.map((r) => r.completeness)),
    evidence: [
      {
        text: `No stage, token or pass counted ${wedge.rank === undefined ? '' : `by dp_rank ${wedge.rank} `}since ${words.time(sinceMs)}.`,
        signal: metricName(engine.engine.role === 'decode' ? 'decode.received' : 'prefill.bootstrapped'),
        ...span,
      },
      untaken > 0
        ? { text: asked.said(untaken), signal: metricName(asked.signal), ...span }
        : { text: STILL, signal: metricName('heartbeat'), ...span },
    ],
    trigger,
    remedy: `Restart ${id}.`,
  };
}

/** Where others work on, the headline says who does not. */
function where({ engine, rank }: Wedge, moment: Moment): string {
  const { id } = engine.engine;
  if (rank !== undefined) {
    return ` on dp_rank ${rank} of ${id}`;
  }
  return isAlone(engine, moment) ? '' : ` on ${id}`;
}

const who = ({ rank }: Wedge): string =>
  rank === undefined
    ? 'its scheduler has counted'
    : `the scheduler of dp_rank ${rank}, alone of its ranks, has counted`;

const isAlone = ({ engine }: EngineMoment, moment: Moment): boolean =>
  moment.engines.filter((e) => e.engine.role === engine.role).length === 1;
