import type { SlowDecode } from '../rules/pace';
import type { Backlog, FewAdmitted } from '../rules/pressure';
import { capital, count, duration, rate, STAGE_NAMES } from '../sentences';
import { flowOf } from '../stages';
import { KV_TIGHT } from '../room';
import { metricName } from '../profiles/sglang';
import { plain, type Conclusion, type Speech } from './speech';

/** A stage works, but fewer requests leave than enter. */
export function backlog(
  { engine, stage, depth, drainMs, perSec, sinceMs }: Backlog,
  { moment, words }: Speech
): Conclusion {
  const isTransfer = stage === 'prefill.inflight' || stage === 'decode.transfer';
  const { id } = engine.engine;
  return {
    ...plain,
    kind: isTransfer ? 'transfer-slow' : 'prefill-saturated',
    severity: 'warning',
    stage,
    engine: id,
    sinceMs,
    headline: isTransfer ? `KV transfer slow: ${depth} wait` : `Prefill saturated: ${depth} wait`,
    detail: `${capital(STAGE_NAMES[stage])} of ${id} hands on ${rate(perSec)} requests/s, fewer than enter, since ${words.time(sinceMs)}; what waits takes ${duration(drainMs)} to drain. It moves: it is not stalled.`,
    evidence: [
      {
        text: `${count(depth, 'request')} wait, ${rate(perSec)} leave per second.`,
        signal: metricName(flowOf(stage).exit),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    remedy: isTransfer ? 'Look at the KV link: page size, path, load.' : 'Send less, or add prefill engines.',
    recoverySign: `The queue of ${STAGE_NAMES[stage]} falls.`,
  };
}

/** Decode's KV room lets requests in one by one while many wait. */
export function admitsFew(
  { engine, depth, drainMs, usage, sinceMs }: FewAdmitted,
  { moment, words }: Speech
): Conclusion {
  const { id } = engine.engine;
  const used = Math.round(usage * 100);
  const isTight = usage >= KV_TIGHT;
  return {
    ...plain,
    kind: 'decode-admission-blocked',
    severity: 'critical',
    stage: 'decode.prealloc',
    engine: id,
    sinceMs,
    headline: `Decode admits few: ${depth} wait`,
    detail: `The KV room of ${id} is ${isTight ? '' : 'only '}${used} % used, so requests have waited for ${isTight ? 'it' : 'its request slots'} all the time since ${words.time(sinceMs)}; at this pace those that wait now need ${duration(drainMs)}.`,
    evidence: [
      { text: `${used} % of the KV room used.`, signal: metricName('gauge.usage'), engine: id, toMs: moment.atMs },
      { text: `${depth} wait.`, signal: metricName('decode.received'), engine: id, fromMs: sinceMs, toMs: moment.atMs },
    ],
    remedy: `Give ${id} more ${isTight ? 'KV room' : 'request slots (--max-running-requests)'} or send it less: shorter answers, fewer running requests, another decode engine.`,
    recoverySign: 'The queue at decode prealloc gets shorter.',
  };
}

/** Decode steps go on, far slower than before. */
export function decodeSlow({ engine, nowMs, usualMs, sinceMs }: SlowDecode, { moment, words }: Speech): Conclusion {
  const { id } = engine.engine;
  return {
    ...plain,
    kind: 'decode-slow',
    severity: 'warning',
    stage: 'decode.running',
    engine: id,
    sinceMs,
    headline:
      usualMs === undefined
        ? `Decode slow: ${Math.round(nowMs)} ms per token`
        : `Decode slow: ${Math.round(nowMs / usualMs)} times longer per token`,
    detail: `${id} makes a token of a request in ${Math.round(nowMs)} ms,${usualMs === undefined ? '' : ` usually ${Math.round(usualMs)} ms,`} since ${words.time(sinceMs)}. It moves: it is not stopped.`,
    evidence: [
      {
        text: `${Math.round(nowMs)} ms per token of a request.`,
        signal: metricName('passes.decode'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    remedy: `Look at retractions, KV usage and the GPUs of ${id}.`,
    recoverySign: 'Steps take as long as before.',
  };
}
