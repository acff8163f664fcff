import { engineOf } from '../moment';
import type { Evidence, VerdictKind } from '../model';
import { CANARY, GPU, NIXL } from '../profiles/witnesses';
import {
  answeredSince,
  failingCanary,
  kvBytesSince,
  loopSign,
  passingCanary,
  type Unanswered,
} from '../rules/witnesses';
import { byteCount, count, duration } from '../sentences';
import { wordFailure } from '../witnesses/canary';
import { ofMachine } from './machines';
import { after, sumSince, triggerOf, unknown, type Conclusion, type Speech } from './speech';

/** Nothing of the kind gets through any more, says each of these: one answer since then disproves it. */
const NOTHING_PASSES: readonly VerdictKind[] = [
  'transfer-stalled',
  'decode-wedged',
  'handshake-stalled',
  'prefill-stalled',
  'frontend-stuck',
  'engine-down',
];
/** Verdicts about which GPUs, the scheduler's CPU time, and KV bytes have something to say. */
const OF_GPU: readonly VerdictKind[] = [
  'decode-wedged',
  'transfer-stalled',
  'prefill-stalled',
  'frontend-stuck',
  'zombie-requests',
  'rank-divergence',
  'stale-gauge',
];
const OF_CPU: readonly VerdictKind[] = ['decode-wedged', 'transfer-stalled', 'handshake-stalled', 'frontend-stuck'];
const OF_KV: readonly VerdictKind[] = ['transfer-stalled', 'transfer-slow'];

/** Somebody asks and gets no answer, and no stage shows why. */
export function unanswered(failing: Unanswered, { moment, words }: Speech): Conclusion {
  const { sinceMs, last, answered } = failing;
  const trigger = triggerOf(moment, sinceMs);
  // What was counted up to the next scrape may have come before.
  const arrived = sumSince(moment, 'http.requests', sinceMs + moment.intervalMs);
  const before = answered ? `; the one of ${words.time(answered.sentMs)} was answered` : '';
  const isLostBefore = arrived === 0;
  const way = isLostBefore
    ? 'None of them has reached an engine: look at the router and at the way to it.'
    : 'No stage of the engines shows why.';
  return unknown(
    `Canary unanswered for ${duration(moment.atMs - sinceMs)}`,
    `What the canary posts through the router has had no answer since ${words.time(sinceMs)}${after(trigger)} (the last one ${wordFailure(last)})${before}. ${way}`,
    {
      severity: 'warning',
      sinceMs,
      alternatives: isLostBefore ? ['router-fault'] : [],
      completeness: 0.5,
      trigger,
      remedy: 'Post the same request by hand, to the router and to what stands before it.',
      recoverySign: `The canary is answered after ${words.time(sinceMs)}.`,
    }
  );
}

/**
 * What other witnesses add to a verdict, or take from it. A stall of the whole pipeline that a canary disproves becomes
 * unknown; what is unknown while a canary fails is worth a warning; all else stays what it is, with more evidence.
 */
export function withWitnesses(conclusion: Conclusion, speech: Speech): Conclusion {
  const disproof = NOTHING_PASSES.includes(conclusion.kind) ? passesAnyway(conclusion, speech) : undefined;
  const c = disproof ?? conclusion;
  const evidence = [...canaryEvidence(c, speech), ...machineEvidence(c, speech), ...kvEvidence(c, speech)];
  const isAlarm = c.kind === 'unknown' && failingCanary(speech.moment) !== undefined;
  return evidence.length === 0
    ? c
    : {
        ...c,
        severity: isAlarm ? 'warning' : c.severity,
        evidence: [...c.evidence, ...evidence],
        alternatives: stillPossible(c, speech),
      };
}

/** Requests pass although their counters say that none does. */
function passesAnyway(c: Conclusion, { moment, words }: Speech): Conclusion | undefined {
  const last = c.sinceMs !== undefined && c.severity === 'critical' ? answeredSince(moment, c.sinceMs) : undefined;
  return (
    last &&
    unknown(
      'Looks stalled, but the canary passes',
      `${c.detail} Yet every canary request since then was answered, the last at ${words.time(last.sentMs)}, and there is one engine of each side. Either an engine serves that is not scraped, or only the requests that stand there are stuck.`,
      {
        engine: c.engine,
        sinceMs: c.sinceMs,
        evidence: c.evidence,
        alternatives: [c.kind, 'leaked-bookkeeping'],
        completeness: 0.5,
      }
    )
  );
}

/** A scheduler that provably stands or turns leaves fewer kinds to choose from. */
function stillPossible(c: Conclusion, { moment }: Speech): readonly VerdictKind[] {
  const engine = engineOf(moment, c.engine);
  const sign = engine && loopSign(moment, engine, fromMs(c, moment));
  const refuted = sign === 'turns' ? 'decode-wedged' : sign === 'stands' ? 'frontend-stuck' : undefined;
  return c.alternatives.filter((kind) => kind !== refuted);
}

/** Machines are asked about the time since the fault began. */
const fromMs = ({ sinceMs }: Conclusion, { intervalMs }: Speech['moment']): number =>
  sinceMs === undefined ? -Infinity : sinceMs + 1.5 * intervalMs;

function canaryEvidence(c: Conclusion, { moment, words }: Speech): Evidence[] {
  const failing = failingCanary(moment);
  if (failing) {
    const before = failing.answered ? `, after an answer to that of ${words.time(failing.answered.sentMs)}` : '';
    const text = `The canary has had no answer since ${words.time(failing.sinceMs)}${before}.`;
    return [{ text, signal: CANARY.success, engine: failing.id, fromMs: failing.sinceMs, toMs: moment.atMs }];
  }
  const passing = c.severity === 'none' ? undefined : passingCanary(moment);
  return passing
    ? [
        {
          text: `The canary's request of ${words.time(passing.sentMs)} was answered.`,
          signal: CANARY.success,
          toMs: moment.atMs,
        },
      ]
    : [];
}

function machineEvidence(c: Conclusion, { moment }: Speech): Evidence[] {
  const engine = engineOf(moment, c.engine);
  const told = engine ? ofMachine(moment, engine, fromMs(c, moment)) : [];
  return told.filter(({ signal }) => (signal === GPU.util ? OF_GPU : OF_CPU).includes(c.kind));
}

function kvEvidence(c: Conclusion, { moment }: Speech): Evidence[] {
  const from = c.sinceMs === undefined ? moment.atMs : c.sinceMs + 1.5 * moment.intervalMs;
  const kv = OF_KV.includes(c.kind) ? kvBytesSince(moment, from) : undefined;
  if (!kv) {
    return [];
  }
  const over = { fromMs: from, toMs: moment.atMs };
  const moved = kv.bytes > 0 ? `NIXL has moved ${byteCount(kv.bytes)} meanwhile.` : 'NIXL has moved no byte meanwhile.';
  const errors = { text: `${count(kv.errors, 'NIXL error')}.`, signal: NIXL.errors, ...over };
  return [{ text: moved, signal: NIXL.sent, ...over }, ...(kv.errors > 0 ? [errors] : [])];
}
