import type { Evidence, VerdictKind } from '../model';
import { serversOf, type Moment } from '../moment';
import type { RouterFault } from '../rules/router';
import type { Wedge } from '../rules/decode';
import { metricName } from '../profiles/sglang';
import { count, duration } from '../sentences';
import { plain, triggerOf, type Conclusion, type Speech } from './speech';

/** The router takes requests and does not send them where they belong. */
export function routerFaulty(fault: RouterFault, { moment, words }: Speech): Conclusion {
  const { router, missing, isBreakerOpen } = fault;
  const sinceMs = Number.isFinite(fault.sinceMs) ? fault.sinceMs : undefined;
  const age = sinceMs === undefined ? '' : ` for ${duration(moment.atMs - sinceMs)}`;
  const said = wordMissing(fault);
  return {
    ...plain,
    kind: 'router-fault',
    severity: 'critical',
    stage: 'router',
    engine: router?.engine.id,
    sinceMs,
    headline: `${said.headline}${age}`,
    detail: `${said.seen}${sinceMs === undefined ? '' : ` since ${words.time(sinceMs)}`}.${isBreakerOpen ? ' A circuit breaker of the router is open.' : ''} What fails behind it is consequence, not KV transfer.`,
    completeness: router ? 1 : 0.7,
    evidence: routerEvidence(fault, sinceMs, moment.atMs),
    alternatives: silentLoops(moment, fault.sinceMs),
    trigger: sinceMs === undefined ? undefined : triggerOf(moment, sinceMs),
    remedy: 'Restart the router, or let its breaker close.',
    recoverySign: missing === 'both' ? 'Engines get requests again.' : 'Both sides get the same requests.',
  };
}

/** The router may spare an engine whose loop stands: no move of it was seen in the range, or none since, though the other side moved. */
function silentLoops(moment: Moment, sinceMs: number): VerdictKind[] {
  const moved = (role: 'prefill' | 'decode', afterMs: number): boolean =>
    serversOf(moment, role).some((e) => e.lastMoveMs !== undefined && e.lastMoveMs > afterMs);
  const slackMs = 1.5 * moment.intervalMs;
  const isSilent = (role: 'prefill' | 'decode', other: 'prefill' | 'decode'): boolean =>
    !moved(role, -Infinity) || (!moved(role, sinceMs + slackMs) && moved(other, sinceMs + slackMs));
  return [
    ...(isSilent('prefill', 'decode') ? ['prefill-stalled' as const] : []),
    ...(isSilent('decode', 'prefill') ? ['decode-wedged' as const] : []),
  ];
}

function wordMissing({ missing, asked }: RouterFault): { readonly headline: string; readonly seen: string } {
  const requests = count(asked, 'request');
  if (missing === 'both') {
    return { headline: 'Router forwards nothing', seen: `${requests} came to the router, no engine got one` };
  }
  const other = missing === 'prefill' ? 'decode' : 'prefill';
  return { headline: `Router misses ${missing}`, seen: `Of ${requests} for ${other}, ${missing} did not get its leg` };
}

function routerEvidence({ router, isBreakerOpen }: RouterFault, fromMs: number | undefined, toMs: number): Evidence[] {
  const arrivals = {
    text: 'The two sides count different arrivals.',
    signal: metricName('http.requests'),
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
