import type { Side } from '../legs';
import type { Evidence } from '../model';
import type { Moment } from '../moment';
import type { RouterFault } from '../rules/router';
import { isRankSuspected } from '../rules/ranks';
import { silentSides } from '../rules/spared';
import type { Wedge } from '../rules/decode';
import { metricName, type AnySignalId } from '../profiles/sglang';
import { count, duration } from '../sentences';
import { plain, triggerOf, type Conclusion, type Speech } from './speech';
import { prefillWedged, wedged } from './wedge';

/** The router takes requests and does not send them where they belong. */
export function routerFaulty(fault: RouterFault, { moment, words }: Speech): Conclusion {
  const { router } = fault;
  const sinceMs = seenSinceMs(fault);
  const said = wordMissing(fault);
  const [age, since, trigger] =
    sinceMs === undefined
      ? ['', '', undefined]
      : [` for ${duration(moment.atMs - sinceMs)}`, ` since ${words.time(sinceMs)}`, triggerOf(moment, sinceMs)];
  return {
    ...plain,
    kind: 'router-fault',
    severity: 'critical',
    stage: 'router',
    engine: router?.engine.id,
    sinceMs,
    headline: `${said.headline}${age}`,
    detail: `${said.seen}${since}. ${doubtOf(fault)}What fails behind it is consequence, not KV transfer.`,
    evidence: routerEvidence(fault, sinceMs, moment.atMs),
    trigger,
    ...(router ? {} : { completeness: 0.7 }),
    ...wayOut(fault),
    alternatives: [
      ...(fault.source === 'scheduler' ? (['frontend-stuck'] as const) : []),
      ...new Set([...silentSides(fault, moment), ...sideOfRank(fault, moment)].map((side) => STANDS[side])),
    ],
  };
}

/** Where only schedulers count, what one of several ranks does not take looks as if it had not been sent. */
const sideOfRank = ({ source, missing, sinceMs }: RouterFault, moment: Moment): Side[] =>
  source === 'scheduler' && missing !== 'both' && isRankSuspected(moment, missing, sinceMs) ? [missing] : [];

/** What a loop that stands is called. */
const STANDS = { prefill: 'prefill-stalled', decode: 'decode-wedged' } as const;

const seenSinceMs = ({ sinceMs }: RouterFault): number | undefined => (Number.isFinite(sinceMs) ? sinceMs : undefined);

/** The router sends nothing to a side of which no engine works: that engine is to blame. */
export function spared(wedge: Wedge, fault: RouterFault, speech: Speech): Conclusion {
  const said = wedge.engine.engine.role === 'prefill' ? prefillWedged(wedge, speech) : wedged(wedge, speech);
  return {
    ...said,
    detail: `${said.detail} The router spares it: ${wordMissing(fault).seen}.`,
    evidence: [...said.evidence, ...routerEvidence(fault, seenSinceMs(fault), speech.moment.atMs)],
  };
}

function doubtOf({ isBreakerOpen, source }: RouterFault): string {
  const breaker = isBreakerOpen ? 'A circuit breaker of the router is open. ' : '';
  return source === 'scheduler'
    ? `${breaker}HTTP requests are not counted, so a front end may have lost them. `
    : breaker;
}

/** Where HTTP requests are not counted the front end may be to blame. */
function wayOut({ missing, source }: RouterFault): Partial<Conclusion> {
  const recoverySign = missing === 'both' ? 'Engines get requests again.' : 'Both sides get the same requests.';
  return source === 'scheduler'
    ? {
        completeness: 0.7,
        remedy: `Restart the router, or the ${missing} engine that takes none.`,
        recoverySign,
      }
    : { remedy: 'Restart the router, or let its breaker close.', recoverySign };
}

function wordMissing({ missing, missed, asked, isHeld }: RouterFault): {
  readonly headline: string;
  readonly seen: string;
} {
  const requests = count(asked, 'request');
  if (isHeld) {
    return { headline: 'Router holds requests', seen: `${requests} are open at the router and at no engine` };
  }
  if (missing === 'both') {
    return { headline: 'Router forwards nothing', seen: `${requests} came to the router, no engine got one` };
  }
  const other = missing === 'prefill' ? 'decode' : 'prefill';
  return missed < asked
    ? {
        headline: `Router misses part of ${missing}`,
        seen: `Of ${requests} for ${other}, ${missing} did not get ${missed}`,
      }
    : { headline: `Router misses ${missing}`, seen: `Of ${requests} for ${other}, ${missing} did not get its leg` };
}

/** What shows it. */
function counterOf({ source, missing, isHeld }: RouterFault): AnySignalId {
  switch (source) {
    case 'http':
      return 'http.requests';
    case 'scheduler':
      return missing === 'decode' ? 'decode.received' : 'prefill.entered';
    case 'router':
      return isHeld ? 'router.aged' : missing === 'both' ? 'router.requests' : `router.${missing}`;
  }
}

function routerEvidence(fault: RouterFault, fromMs: number | undefined, toMs: number): Evidence[] {
  const { router, isBreakerOpen, isHeld } = fault;
  const arrivals = {
    text: isHeld ? 'Old requests are open.' : 'The two sides count different arrivals.',
    signal: metricName(counterOf(fault)),
    fromMs,
    toMs,
  };
  const breaker = {
    text: 'A breaker is not closed.',
    signal: metricName('router.breaker'),
    engine: router?.engine.id,
    toMs,
  };
  return isBreakerOpen ? [arrivals, breaker] : [arrivals];
}

/** HTTP takes requests, the scheduler runs and is empty. */
export function frontendStuck({ engine, sinceMs, untaken }: Wedge, { moment, words }: Speech): Conclusion {
  const { id } = engine.engine;
  return {
    ...plain,
    kind: 'frontend-stuck',
    severity: 'critical',
    stage: 'decode.prealloc',
    engine: id,
    sinceMs,
    headline: `Front end of ${id} stuck for ${duration(moment.atMs - sinceMs)}`,
    detail: `${count(untaken, 'request')} reached its HTTP server since ${words.time(sinceMs)} and its scheduler, which runs and is empty, took none.`,
    evidence: [
      {
        text: `${count(untaken, 'request')} arrived.`,
        signal: metricName('http.requests'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
      {
        text: 'None was taken.',
        signal: metricName('decode.received'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    trigger: triggerOf(moment, sinceMs),
    remedy: `Restart ${id}.`,
    recoverySign: 'Its scheduler takes a request.',
  };
}
