import { decodeSteps } from './departures';
import type { TrackedEngine } from './fleet';
import { riseSince, serversOf, type EngineMoment, type Moment } from './moment';
import { indexAt } from './series';
import { trackOf } from './stalls';

/** What shows that requests reach an engine although its scheduler may count none of them. */
export interface Demand {
  /** `http`: its HTTP server counts them. `aborts`: clients give up on it. `prefill`: the other leg of each counts. */
  readonly source: 'http' | 'aborts' | 'prefill';
  /** Per scrape of the engine. */
  readonly asked: readonly number[];
}

/**
 * HTTP requests where they are counted (SGLang 0.5.7); before, the aborts, which are counted by the HTTP process too, and
 * for the only decode engine what reaches the prefill side, since every request goes to both.
 */
export function demandOn(e: EngineMoment, moment: Moment): Demand {
  const requests = e.engine.rises.get('http.requests');
  if (requests) {
    return { source: 'http', asked: requests };
  }
  const isOnlyDecode = e.engine.role === 'decode' && serversOf(moment, 'decode').length === 1;
  const others = isOnlyDecode ? serversOf(moment, 'prefill').filter((p) => p.engine.rises.has('prefill.entered')) : [];
  return others.length > 0
    ? {
        source: 'prefill',
        asked: enteredAt(
          e.engine.timesMs,
          others.map((p) => p.engine)
        ),
      }
    : { source: 'aborts', asked: e.engine.rises.get('requests.aborted') ?? [] };
}

/**
 * Real requests that entered the prefill side, on the scrapes of another engine: each at the first scrape that may have
 * seen it there, which is the one after prefill's scrape before.
 */
function enteredAt(timesMs: readonly number[], prefill: readonly TrackedEngine[]): number[] {
  const entered = timesMs.map(() => 0);
  for (const engine of prefill) {
    const arrivals = trackOf(engine, 'prefill.bootstrap')?.arrivals ?? [];
    arrivals.forEach((n, i) => {
      const at = indexAt(timesMs, engine.timesMs[i - 1] ?? 0) + 1;
      entered[at] = (entered[at] ?? 0) + n;
    });
  }
  return entered.slice(0, timesMs.length);
}

/** The first scrape after `afterMs`, up to the moment, that shows demand. */
export function firstAskedAfter(
  { engine, index }: EngineMoment,
  { asked }: Demand,
  afterMs: number
): number | undefined {
  const at = engine.timesMs.findIndex((t, i) => t > afterMs && (asked[i] ?? 0) > 0);
  return at >= 0 && at <= index ? engine.timesMs[at] : undefined;
}

/** Requests after `afterMs`, up to the moment. */
export const askedSince = ({ engine, index }: EngineMoment, { asked }: Demand, afterMs: number): number =>
  asked.reduce((n, one, i) => (i <= index && (engine.timesMs[i] ?? 0) > afterMs ? n + one : n), 0);

/**
 * Requests that came to the HTTP server after `afterMs` and were not answered, clients that gave up on them included; at
 * least, since answers to earlier ones are taken for theirs.
 */
export function hangingSince({ engine, index }: EngineMoment, afterMs: number): number {
  const since = (id: 'http.requests' | 'http.responses' | 'requests.aborted'): number =>
    riseSince(engine, id, afterMs, index) ?? 0;
  return since('http.requests') - since('http.responses') + since('requests.aborted');
}

/** Requests are open at three scrapes in a row in which decode makes no step: none of them is being served. */
export function isOpenUnserved({ engine, index }: EngineMoment): boolean {
  const steps = decodeSteps(engine);
  const isOpen = (i: number): boolean => (engine.columns.get('http.active')?.[i] ?? 0) > 0 && (steps[i] ?? 0) === 0;
  return [index, index - 1, index - 2].every(isOpen);
}

/** Somebody waits, or has asked lately. */
export function isAskedSince(e: EngineMoment, sinceMs: number): boolean {
  const { engine, index } = e;
  return (
    (engine.columns.get('http.active')?.[index] ?? 0) > 0 ||
    (riseSince(engine, 'http.requests', sinceMs, index) ?? 0) > 0
  );
}

/** One health check may fail at any time. */
const FAILED_CHECKS = 2;

/** Health checks that the HTTP server has answered with a failure: no sign of the scheduler had come for 20 s. */
export const failedChecksSince = ({ engine, index }: EngineMoment, sinceMs: number): number =>
  riseSince(engine, 'checks.failed', sinceMs, index) ?? 0;

/** "Health checks reach this engine, and nothing of it answers them." */
export const failsChecksSince = (e: EngineMoment, sinceMs: number): boolean =>
  failedChecksSince(e, sinceMs) >= FAILED_CHECKS;
