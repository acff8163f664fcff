import type { EngineMoment } from '../moment';
import { metricName } from '../profiles/sglang';
import { shareOfUnseen, type CrashLoop } from '../rules/lost';
import { passingCanary } from '../rules/witnesses';
import type { StageReading, Words } from '../model';
import { capital, count, duration, STAGE_NAMES } from '../sentences';
import { indexAt } from '../series';
import { after, isOlder, plain, triggerOf, unknown, type Conclusion, type Speech } from './speech';

/** Where Prometheus does not say that it tried, the series of an engine have just ended. */
const unseenSince = ({ engine }: EngineMoment, sinceMs: number, words: Words): string =>
  `${engine.up ? 'Its scrapes have failed' : 'It has not been seen'} since ${words.time(sinceMs)}`;

/** All engines of one side are gone. */
export function engineDown(gone: EngineMoment, { moment, words }: Speech): Conclusion {
  const { id, role } = gone.engine;
  const since = gone.lastSampleMs;
  return {
    ...plain,
    kind: 'engine-down',
    severity: 'critical',
    stage: role === 'prefill' ? 'prefill.bootstrap' : 'decode.prealloc',
    engine: id,
    sinceMs: since,
    headline: `${capital(role ?? 'engine')} ${id} down for ${isOlder(gone, since, moment) ? 'at least ' : ''}${duration(moment.atMs - since)}`,
    detail: `${unseenSince(gone, since, words)} and no other ${role ?? ''} engine answers${after(triggerOf(moment, since))}.`,
    evidence: [
      { text: `Last sample ${words.time(since)}.`, signal: 'up', engine: id, fromMs: since, toMs: moment.atMs },
    ],
    trigger: triggerOf(moment, since),
    remedy: `Start ${id}, or repair its scrape if it runs.`,
    recoverySign: `${id} is scraped again and delivers.`,
  };
}

/** No sample of any engine lately. Where Prometheus says that it tried, all of them may also be down. */
export function noData({ moment, words }: Speech): Conclusion {
  const last = Math.max(...moment.engines.map((e) => e.lastSampleMs));
  const isTried = moment.engines.some((e) => e.engine.role !== 'router' && e.state === 'lost');
  if (isTried) {
    const isAnswered = (passingCanary(moment)?.sentMs ?? -Infinity) > last;
    return unknown(
      `Nothing can be scraped for ${duration(moment.atMs - last)}`,
      `The scrapes of both sides and of the router fail since ${words.time(last)}, all at once: the network, the host or Prometheus rather than every engine by itself.${isAnswered ? ' The canary is answered, so requests still flow.' : ' Look whether the engines run.'}`,
      { sinceMs: last, alternatives: isAnswered ? [] : ['engine-down'] }
    );
  }
  return unknown(
    `No data for ${duration(moment.atMs - last)}`,
    `Prometheus has no sample of any engine after ${words.time(last)}, so nothing can be said about the pipeline. Check Prometheus and its targets.`,
    { sinceMs: last }
  );
}

/** One engine of a pool is gone with requests inside; the others go on. */
export function poolMemberDown(gone: EngineMoment, speech: Speech): Conclusion {
  const { moment, words } = speech;
  const { id, role } = gone.engine;
  const pool = moment.engines.filter((e) => e.engine.role === role);
  const live = pool.filter((e) => e.state === 'live').length;
  return {
    ...engineDown(gone, speech),
    severity: 'warning',
    detail: `${unseenSince(gone, gone.lastSampleMs, words)}. ${live} of ${pool.length} ${role} engines go on.`,
    recoverySign: `${id} is scraped again.`,
  };
}

/** An engine ends and starts again and again. */
export function restartsAgain({ engine: looping, sinceMs, restartsMs }: CrashLoop, speech: Speech): Conclusion {
  const { moment, words } = speech;
  const { id, role } = looping.engine;
  const times = count(restartsMs.length, 'time');
  return {
    ...engineDown(looping, speech),
    severity: 'warning',
    sinceMs,
    headline: `${capital(role ?? 'engine')} ${id} restarted ${times} within ${duration(moment.atMs - sinceMs)}`,
    detail: `Its process ended with requests inside or on their way, and clients were dropped. Last restart ${words.time(restartsMs.at(-1) ?? sinceMs)}.`,
    evidence: [
      {
        text: `New process at ${restartsMs.map(words.time).join(', ')}.`,
        signal: metricName('requests.finished'),
        engine: id,
        fromMs: sinceMs,
        toMs: moment.atMs,
      },
    ],
    trigger: undefined,
    remedy: `Look into the log of ${id} for what ends it.`,
    recoverySign: `${id} runs for five minutes without a restart.`,
  };
}

/** One engine of a pool was taken away, target and all, with requests inside. */
export function takenAway(gone: EngineMoment, speech: Speech): Conclusion {
  const { moment, words } = speech;
  const { id, role } = gone.engine;
  const live = moment.engines.filter((e) => e.engine.role === role && e.state === 'live').length;
  return {
    ...engineDown(gone, speech),
    severity: 'warning',
    detail: `It is no target of Prometheus any more since ${words.time(gone.lastSampleMs)}. Requests were inside, and clients were dropped. ${count(live, `other ${role} engine`)} ${live === 1 ? 'goes' : 'go'} on.`,
    remedy: `Find out why ${id} was taken away before it was drained.`,
    recoverySign: `As many ${role} engines are scraped as before.`,
  };
}

/** An engine is not scraped; the other side may prove that it works. */
export function unscraped(missing: EngineMoment, { moment, words }: Speech): Conclusion {
  const { id, role } = missing.engine;
  const last = missing.lastSampleMs;
  const isOnly = moment.engines.filter((e) => e.engine.role === role).length === 1;
  const { up } = missing.engine;
  const isAnswering = up?.values[indexAt(up.timesMs, moment.atMs)] === 1;
  const isAlive = (isOnly && missing.state === 'unscraped') || shareOfUnseen(missing, moment) === 'there';
  const alive = isAnswering
    ? 'Its target answers and shows no series of SGLang: a new process that has counted nothing yet, or another one.'
    : isAlive
      ? 'KV transfers with the other side go on, so requests still flow: repair the scrape, not the engine.'
      : 'Nobody fails because of it so far: look whether it runs, then repair its scrape.';
  return unknown(
    `${id} is not scraped`,
    `Prometheus has no sample of it after ${words.time(last)} (${duration(moment.atMs - last)}). ${alive}`,
    { engine: id, sinceMs: last, alternatives: isAlive ? [] : ['engine-down'], completeness: 0.5 }
  );
}

/** Only prefill or only decode engines are seen. */
export function oneSided(missing: 'prefill' | 'decode'): Conclusion {
  return unknown(
    `No ${missing} engine is seen`,
    `A stall can be proven only with both sides. Scrape the ${missing} engines too, or set the role mapping if they are there under another role.`
  );
}

/** Only a router is seen. */
export const routerOnly = (): Conclusion =>
  unknown(
    'No prefill or decode engine is seen',
    'Only router series are there. Start the SGLang servers with --enable-metrics and let Prometheus scrape each of them.'
  );

/** Engines are there, and none tells on which side it works. */
export const rolesMissing = (): Conclusion =>
  unknown(
    'Prefill and decode cannot be told apart',
    'SGLang before 0.5.9 calls every engine "unified". Set the role mapping: a label, such as job or pod, and a pattern for each side.'
  );

/** Engines report, but nothing that proves progress. */
export function blind(reason: string): Conclusion {
  return unknown('Progress cannot be seen', reason);
}

/** The first scrapes of the range: there is nothing to compare them with. */
export const tooEarly = (): Conclusion =>
  unknown(
    'Too little data yet',
    'Progress is the difference between two scrapes; wait for the next one, or choose a range and a step that hold more of them.'
  );

/** Requests were inside when the range began, and it is too early to say whether they move. */
export const notYetProven = ({ engine, stage }: StageReading): Conclusion =>
  unknown(
    'Too little data yet',
    `Requests were in ${STAGE_NAMES[stage]} of ${engine} before this time range, and none has been handed on since. Wait for the next scrapes, or choose a range that begins earlier.`
  );
