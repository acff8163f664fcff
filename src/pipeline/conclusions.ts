import { sizeUntil } from './events';
import type { Pipeline } from './fleet';
import { riseSince, type EngineMoment, type Moment } from './moment';
import type { Evidence, StageReading, Trigger, Verdict, VerdictKind, Words } from './model';
import { metricName, type AnySignalId } from './profiles/sglang';
import { type StaleGauge, deliveredPerSec, readingsOf, underWay } from './rules/calm';
import { type Wedge, loopMovedSince } from './rules/decode';
import { capital, count, duration, rate, STAGE_NAMES } from './sentences';
import { flowOf } from './stages';
import type { Outage } from './stalls';

/** What a rule concluded, in words. */
export type Conclusion = Verdict;

/** A burst that precedes a stall by at most this long is taken as its trigger. */
const TRIGGER_REACH_MS = 300_000;

/** Clients that give up after a stall began abort too: what comes later than this is consequence, not cause. */
const TRIGGER_SLACK_MS = 10_000;

export interface Speech {
  readonly moment: Moment;
  readonly words: Words;
}

const plain = { completeness: 1, evidence: [], alternatives: [] } as const;

/** The abort burst that led to a stall: the latest one before it, allowing for the scrape that shows both. */
export function triggerOf(pipeline: Pipeline, moment: Moment, sinceMs: number): Trigger | undefined {
  const before = pipeline.bursts.filter(
    (b) =>
      b.atMs <= moment.atMs &&
      b.atMs >= sinceMs - TRIGGER_REACH_MS &&
      b.atMs <= sinceMs + Math.min(moment.intervalMs, TRIGGER_SLACK_MS)
  );
  const last = before[before.length - 1];
  return last && { kind: 'abort-burst', atMs: last.atMs, size: sizeUntil(last, moment.atMs) };
}

const after = (trigger: Trigger | undefined): string =>
  trigger ? `, right after ${count(trigger.size, 'abort')}` : '';

const KIND_OF_STAGE: Readonly<Record<StageReading['stage'], VerdictKind>> = {
  router: 'router-fault',
  'prefill.bootstrap': 'handshake-stalled',
  'prefill.waiting': 'prefill-stalled',
  'prefill.forward': 'prefill-stalled',
  'prefill.inflight': 'transfer-stalled',
  'decode.prealloc': 'handshake-stalled',
  'decode.transfer': 'transfer-stalled',
  'decode.waiting': 'decode-wedged',
  'decode.running': 'decode-wedged',
};

/** What has happened, in the words of a headline. */
export const SUBJECT: Readonly<Partial<Record<VerdictKind, string>>> = {
  'engine-down': 'Engine down',
  'router-fault': 'Router hands nothing on',
  'handshake-stalled': 'Handshake stalled',
  'prefill-stalled': 'Prefill stalled',
  'transfer-stalled': 'KV transfer stalled',
  'decode-wedged': 'Decode stopped',
};

/** A stage holds requests and hands none on. */
export function stalledStage(culprit: StageReading, sinceMs: number, { moment, words }: Speech): Conclusion {
  const kind = kindOf(culprit, sinceMs, moment);
  const engine = moment.engines.find((e) => e.engine.id === culprit.engine);
  const trigger = triggerOf(moment.pipeline, moment, sinceMs);
  const age = duration(moment.atMs - sinceMs);
  const isOtherSide = culprit.stage === 'prefill.inflight';
  const isSettled = !isOtherSide && loopMovedSince(engine, sinceMs, moment.intervalMs * 1.5);
  return {
    kind,
    severity: 'critical',
    stage: culprit.stage,
    engine: culprit.engine,
    sinceMs,
    headline: `${SUBJECT[kind] ?? capital(STAGE_NAMES[culprit.stage])} for ${isOlder(engine, sinceMs, moment) ? 'at least ' : ''}${age}`,
    detail: `${whatHappens(culprit, sinceMs, { moment, words })}${after(trigger)}.${parked(moment, culprit)}`,
    completeness: culprit.completeness,
    evidence: stallEvidence(culprit, engine, sinceMs, { moment, words }),
    alternatives: kind === 'transfer-stalled' && !isSettled ? ['decode-wedged'] : [],
    trigger,
    remedy: isOtherSide
      ? `Look at decode, whose metrics show no stall or are not scraped: it does not take what ${culprit.engine} hands over.`
      : `Restart ${culprit.engine}.`,
    recoverySign: `${culprit.engine} hands on a request from ${STAGE_NAMES[culprit.stage]} after ${words.time(sinceMs)}.`,
  };
}

/** The range shows no progress at all, so the stall may be older than the range. */
const isOlder = (engine: EngineMoment | undefined, sinceMs: number, moment: Moment): boolean =>
  engine !== undefined && sinceMs <= (engine.engine.timesMs[0] ?? 0) + moment.intervalMs / 2;

function whatHappens(culprit: StageReading, sinceMs: number, { moment, words }: Speech): string {
  const since = words.time(sinceMs);
  if (KIND_OF_STAGE[culprit.stage] === 'transfer-stalled') {
    const handed = sumSince(moment, 'prefill.forwarded', sinceMs) ?? 0;
    return handed > 0
      ? `Prefill hands over, decode has concluded no transfer since ${since}`
      : `Decode has concluded no transfer since ${since}`;
  }
  return `${capital(STAGE_NAMES[culprit.stage])} of ${culprit.engine} has handed nothing on since ${since}`;
}

/** Decode has sent its metadata, so a request that does not leave the bootstrap queue is held up by prefill itself. */
function kindOf(culprit: StageReading, sinceMs: number, moment: Moment): VerdictKind {
  const isPrefill =
    culprit.stage === 'prefill.bootstrap' && (sumSince(moment, 'decode.bootstrapped', sinceMs) ?? 0) > 0;
  return isPrefill ? 'prefill-stalled' : KIND_OF_STAGE[culprit.stage];
}

const sumSince = (moment: Moment, id: AnySignalId, sinceMs: number): number | undefined =>
  moment.engines.reduce<number | undefined>((sum, e) => {
    const rise = riseSince(e.engine, id, sinceMs, e.index);
    return rise === undefined ? sum : (sum ?? 0) + rise;
  }, undefined);

function parked(moment: Moment, culprit: StageReading): string {
  const inside = culprit.depth.value;
  if (!inside || culprit.parkedSinceMs === undefined) {
    return ' No request is inside now: clients have given up.';
  }
  const span = duration(moment.atMs - culprit.parkedSinceMs);
  return ` ${count(inside, 'request')} parked; never empty for ${span}.`;
}

function stallEvidence(
  culprit: StageReading,
  engine: EngineMoment | undefined,
  sinceMs: number,
  { moment, words }: Speech
): Evidence[] {
  const flow = flowOf(culprit.stage);
  const span = { engine: culprit.engine, fromMs: sinceMs, toMs: moment.atMs };
  const entered = engine && flow.entry ? riseSince(engine.engine, flow.entry, sinceMs, engine.index) : undefined;
  const failed = engine && flow.failed ? riseSince(engine.engine, flow.failed, sinceMs, engine.index) : undefined;
  const evidence: Evidence[] = [
    { text: `No departure since ${words.time(sinceMs)}.`, signal: metricName(flow.exit), ...span },
  ];
  if (entered !== undefined && flow.entry) {
    const text = entered === 0 ? 'No request entered since.' : `${count(entered, 'request')} entered since.`;
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

/** The HTTP side of a decode engine takes requests, its scheduler does nothing at all. */
export function wedged(wedge: Wedge, { moment, words }: Speech): Conclusion {
  const { engine, sinceMs } = wedge;
  const trigger = triggerOf(moment.pipeline, moment, sinceMs);
  const id = engine.engine.id;
  const span = { engine: id, fromMs: sinceMs, toMs: moment.atMs };
  return {
    kind: 'decode-wedged',
    severity: 'critical',
    stage: 'decode.prealloc',
    engine: id,
    sinceMs,
    headline: `Decode stopped for ${isOlder(engine, sinceMs, moment) ? 'at least ' : ''}${duration(moment.atMs - sinceMs)}`,
    detail: `${id} answers scrapes and takes HTTP requests, but its scheduler has counted nothing since ${words.time(sinceMs)}${after(trigger)}. ${count(wedge.untaken, 'request')} never taken.`,
    completeness: Math.min(1, ...engine.readings.map((r) => r.completeness)),
    evidence: [
      {
        text: `No stage, token or pass counted since ${words.time(sinceMs)}.`,
        signal: metricName('decode.received'),
        ...span,
      },
      { text: `${count(wedge.untaken, 'request')} arrived since.`, signal: metricName('http.requests'), ...span },
    ],
    alternatives: [],
    trigger,
    remedy: `Restart ${id}.`,
    recoverySign: `${id} makes a decode step after ${words.time(sinceMs)}.`,
  };
}

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
    headline: `${capital(role ?? 'engine')} ${id} down for ${duration(moment.atMs - since)}`,
    detail: `Its scrapes have failed since ${words.time(since)} and no other ${role ?? ''} engine answers${after(triggerOf(moment.pipeline, moment, since))}.`,
    evidence: [
      { text: `Last sample ${words.time(since)}.`, signal: 'up', engine: id, fromMs: since, toMs: moment.atMs },
    ],
    trigger: triggerOf(moment.pipeline, moment, since),
    remedy: `Start ${id}, or repair its scrape if it runs.`,
    recoverySign: `${id} is scraped again and delivers.`,
  };
}

const unknown = (headline: string, detail: string, more: Partial<Conclusion> = {}): Conclusion => ({
  ...plain,
  kind: 'unknown',
  severity: 'info',
  headline,
  detail,
  completeness: 0,
  ...more,
});

/** No sample of any engine lately. */
export function noData({ moment, words }: Speech): Conclusion {
  const last = Math.max(...moment.engines.map((e) => e.lastSampleMs));
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
    detail: `It had requests inside when its scrapes stopped at ${words.time(gone.lastSampleMs)}. ${live} of ${pool.length} ${role} engines go on.`,
    recoverySign: `${id} is scraped again.`,
  };
}

/** An engine is not scraped; where it is the only one of its side, its counterpart proves that it works. */
export function unscraped(missing: EngineMoment, { moment, words }: Speech): Conclusion {
  const { id, role } = missing.engine;
  const last = missing.lastSampleMs;
  const isOnly = moment.engines.filter((e) => e.engine.role === role).length === 1;
  const alive =
    isOnly && missing.state === 'unscraped'
      ? 'KV transfers with the other side go on, so requests still flow: repair the scrape, not the engine.'
      : 'Nobody fails because of it so far: look whether it runs, then repair its scrape.';
  return unknown(
    `${id} is not scraped`,
    `Prometheus has no sample of it after ${words.time(last)} (${duration(moment.atMs - last)}). ${alive}`,
    { engine: id, sinceMs: last, alternatives: ['engine-down'], completeness: 0.5 }
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

/** Requests are delivered, or on their way. */
export function healthy({ moment, words }: Speech, outage: Outage | undefined): Conclusion {
  const delivered = deliveredPerSec(moment);
  const busy = underWay(moment);
  const inside = busy.reduce((sum, r) => sum + (r.depth.value ?? 0), 0);
  const oldest = Math.min(...busy.map((r) => r.parkedSinceMs ?? Infinity));
  const flow =
    delivered === undefined
      ? `${count(inside, 'request')} under way`
      : `Flowing: ${rate(delivered)} requests/s delivered`;
  const waiting = Number.isFinite(oldest) ? `; the oldest has waited since ${words.time(oldest)}` : '';
  const calm =
    delivered === undefined ? `None delivered in the last minute${waiting}.` : 'Every stage hands on what it gets.';
  return {
    ...plain,
    kind: 'healthy',
    severity: 'none',
    headline: outage ? recovered(outage) : flow,
    detail: outage
      ? `Delivering again since ${words.time(outage.endMs)}. Stalled from ${words.time(outage.sinceMs)}.`
      : calm,
  };
}

const recovered = (outage: Outage): string => `Recovered after ${duration(outage.endMs - outage.sinceMs)}`;

/** Nobody asks for anything. */
export function idle({ moment, words }: Speech, outage: Outage | undefined): Conclusion {
  const last = Math.max(...readingsOf(moment, 'decode.running').map((r) => r.lastProgressMs ?? -Infinity));
  const lastStep = Number.isFinite(last) ? `Last decode step ${words.time(last)}.` : 'No request in this time range.';
  return {
    ...plain,
    kind: 'idle',
    severity: 'none',
    headline: 'Idle: no requests',
    detail: outage ? `${lastStep} ${recovered(outage)}.` : lastStep,
  };
}

/** Nothing is wrong but a gauge that has not been pushed. */
export function staleGauge(stale: StaleGauge, { moment, words }: Speech): Conclusion {
  const { reading, gauge, implied, trueAtMs } = stale;
  const signal = flowOf(reading.stage).gauge;
  const since = trueAtMs === undefined ? '' : ` since ${words.time(trueAtMs)}`;
  return {
    ...plain,
    kind: 'stale-gauge',
    severity: 'info',
    stage: reading.stage,
    engine: reading.engine,
    sinceMs: trueAtMs,
    headline: `Gauge of ${STAGE_NAMES[reading.stage]} says ${gauge}, the counters say ${implied}`,
    detail: `${reading.engine} has not pushed its gauges${since}. No request is waiting: nothing needs to be done.`,
    evidence: [
      {
        text: `Reads ${gauge}, unverified${since}.`,
        signal: signal ? metricName(signal) : '',
        engine: reading.engine,
        fromMs: trueAtMs,
        toMs: moment.atMs,
      },
    ],
  };
}
