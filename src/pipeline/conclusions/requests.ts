import type { LostAborts } from '../rules/aborts';
import type { Leak } from '../rules/leaks';
import type { Divergence, Zombies } from '../rules/requests';
import type { Unheard } from '../rules/unheard';
import { metricName } from '../profiles/sglang';
import { count, duration, STAGE_NAMES } from '../sentences';
import { plain, triggerOf, unknown, type Conclusion, type Speech } from './speech';

/** Decode works for requests that nobody waits for. */
export function zombieRequests(found: Zombies, speech: Speech): Conclusion {
  const { engine, count: n, sinceMs, heard } = found;
  const { moment, words } = speech;
  const { id } = engine.engine;
  const isAlone = !heard || heard.streamed === 0;
  const signs = heard
    ? ([
        [`${heard.tokens} tokens decoded in a minute.`, 'tokens.decode'],
        [`${heard.streamed} streamed.`, 'tokens.streamed'],
      ] as const)
    : ([['No request open.', 'http.active']] as const);
  const what = heard
    ? `Decode makes tokens that reach no client since ${words.time(sinceMs)}: of ${heard.tokens} in the last minute ${heard.streamed} were streamed.`
    : `Decode makes step after step, and no client has had a request open since ${words.time(sinceMs)}.`;
  const span = { engine: id, fromMs: sinceMs, toMs: moment.atMs };
  return {
    ...plain,
    kind: 'zombie-requests',
    severity: isAlone ? 'critical' : 'warning',
    stage: 'decode.running',
    engine: id,
    sinceMs,
    headline: `${count(n, 'zombie request')} on ${id} for ${duration(moment.atMs - sinceMs)}`,
    detail: `${what} The loop works: an abort was lost between the HTTP server and the scheduler.`,
    evidence: signs.map(([text, id]) => ({ text, signal: metricName(id), ...span })),
    trigger: triggerOf(moment, sinceMs),
    remedy: `Abort all requests of ${id} (/abort_request with abort_all), or restart it.`,
    recoverySign: 'No more requests run than clients wait.',
  };
}

/** The same where tokens are not counted; without streaming before, an answer may come at its end. */
export function unheard({ engine, sinceMs, running, isStreamed }: Unheard, { moment, words }: Speech): Conclusion {
  const { id } = engine.engine;
  const span = { engine: id, fromMs: sinceMs, toMs: moment.atMs };
  const detail = `${id} reports ${count(running, 'running request')} again and again, and since ${words.time(sinceMs)} no token has reached a client. This SGLang counts no tokens: realtime_tokens_total (0.5.7) would decide.`;
  const evidence = [
    { text: `Reads ${running}, pushed again and again.`, signal: metricName('gauge.running'), ...span },
    { text: 'No token streamed.', signal: metricName('tokens.streamed'), ...span },
  ];
  return isStreamed
    ? {
        ...plain,
        kind: 'zombie-requests',
        severity: 'critical',
        stage: 'decode.running',
        engine: id,
        sinceMs,
        headline: `${count(running, 'zombie request')} on ${id} for ${duration(moment.atMs - sinceMs)}`,
        detail,
        completeness: 0.5,
        evidence,
        alternatives: ['frontend-stuck'],
        trigger: triggerOf(moment, sinceMs),
        remedy: `Abort all requests of ${id} (/abort_request with abort_all), or restart it.`,
        recoverySign: `A token of ${id} reaches a client, or its gauges read zero.`,
      }
    : unknown(`Nobody hears what ${id} decodes`, detail, {
        engine: id,
        sinceMs,
        evidence,
        alternatives: ['zombie-requests', 'frontend-stuck'],
      });
}

/** Clients are gone, the scheduler still holds their requests. */
export function abortsLost({ engine, atMs, aborted, orphans }: LostAborts, { moment, words }: Speech): Conclusion {
  const { id } = engine.engine;
  return {
    ...plain,
    kind: 'aborts-not-absorbed',
    severity: 'warning',
    stage: 'decode.prealloc',
    engine: id,
    sinceMs: atMs,
    headline: `${orphans} of ${aborted} aborts not absorbed`,
    detail: `${id} still holds ${count(orphans, 'request')} whose clients left at ${words.time(atMs)}. They keep slots and KV room until a timer frees them.`,
    evidence: [
      {
        text: `${count(aborted, 'abort')} counted.`,
        signal: metricName('requests.aborted'),
        engine: id,
        fromMs: atMs,
        toMs: moment.atMs,
      },
    ],
    trigger: { kind: 'abort-burst', atMs, size: aborted },
    remedy: `Watch whether ${id} frees them; restart it if its queues stay.`,
    recoverySign: 'Its queues hold no more requests than clients wait.',
  };
}

/** Leaked transfers hold the slots that waiting requests need. */
export function slotsLeaked({ engine, count: held, stage, sinceMs }: Leak, { moment, words }: Speech): Conclusion {
  const { id } = engine.engine;
  return {
    ...plain,
    kind: 'decode-admission-blocked',
    severity: 'critical',
    stage,
    engine: id,
    sinceMs,
    headline: `Decode admits few: ${held} slots leaked`,
    detail: `${count(held, 'transfer')} of ${id} never conclude and hold its request slots, so requests have waited for admission all the time since ${words.time(sinceMs)}. No timer covers them.`,
    evidence: [
      {
        text: `${held} requests stay in transfer.`,
        signal: metricName('decode.transferred'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    remedy: `Restart ${id}.`,
    recoverySign: `Requests pass prealloc of ${id} without waiting.`,
  };
}

/** A stage that never empties, and nobody is held up. */
export function leaked({ engine, stage, count: n, sinceMs }: Leak, { words }: Speech): Conclusion {
  const { id } = engine.engine;
  return {
    ...plain,
    kind: 'leaked-bookkeeping',
    severity: 'info',
    stage,
    engine: id,
    sinceMs,
    headline: `${capitalised(stage)} of ${id} never empties`,
    detail: `It has held ${count(n, 'request')} since ${words.time(sinceMs)} at the latest, and nobody waits for that: leaked bookkeeping. No traffic is affected now; slots are lost until a restart.`,
  };
}

const capitalised = (stage: Leak['stage']): string =>
  STAGE_NAMES[stage].charAt(0).toUpperCase() + STAGE_NAMES[stage].slice(1);

/** Ranks of one engine run apart. */
export function ranksApart({ engine, sinceMs, spread }: Divergence, { moment, words }: Speech): Conclusion {
  const { id, role } = engine.engine;
  const trigger = triggerOf(moment, sinceMs);
  return {
    ...plain,
    kind: 'rank-divergence',
    severity: 'critical',
    stage: role === 'decode' ? 'decode.running' : 'prefill.forward',
    engine: id,
    sinceMs,
    headline: `Ranks of ${id} apart for ${duration(moment.atMs - sinceMs)}`,
    detail: `Its ranks have counted requests differently since ${words.time(sinceMs)}, by ${spread} now, and the difference does not close: some ranks saw no batch.`,
    evidence: [
      {
        text: `Counts differ by ${spread}.`,
        signal: metricName('prefill.forwarded'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    trigger,
    remedy: `Restart ${id}.`,
    recoverySign: 'All ranks count the same requests.',
  };
}
