import { serversOf } from '../moment';
import { metricName } from '../profiles/sglang';
import { deliveredPerSec, readingsOf, underWay, type StaleGauge } from '../rules/calm';
import { count, duration, rate, STAGE_NAMES } from '../sentences';
import { flowOf } from '../stages';
import type { Outage } from '../follower';
import { plain, type Conclusion, type Speech } from './speech';

const DELIVERY = 'requests.finished';

/** Requests are delivered, or on their way. */
export function healthy({ moment, words }: Speech, outage: Outage | undefined): Conclusion {
  const delivered = deliveredPerSec(moment);
  const busy = underWay(moment);
  const inside = busy.reduce((sum, r) => sum + (r.depth.value ?? 0), 0);
  const oldest = Math.min(...busy.map((r) => r.parkedSinceMs ?? Infinity));
  const flow =
    delivered === undefined
      ? `${count(Math.max(1, inside), 'request')} under way`
      : `Flowing: ${rate(delivered)} requests/s delivered`;
  const waiting = Number.isFinite(oldest) ? `; the oldest has waited since ${words.time(oldest)}` : '';
  const isCounted = serversOf(moment, 'decode').some(({ engine }) => engine.columns.has(DELIVERY));
  const undelivered = isCounted
    ? `None delivered in the last minute${waiting}.`
    : `Whether answers are finished is not known: ${metricName(DELIVERY)} was never seen on decode.`;
  const calm = delivered === undefined ? undelivered : 'Every stage hands on what it gets.';
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
