import { serversOf, type EngineMoment, type Moment } from '../moment';
import { failingCanary } from './witnesses';

/** Rules about what is there to be judged. Each rule is one sentence and one predicate over a moment. */

/** "No engine of the pipeline has been scraped lately." */
export const nothingScraped = (moment: Moment): boolean =>
  moment.engines.length > 0 &&
  (moment.engines.every((e) => e.engine.role === 'router' || e.state === 'unscraped') || isGoneAtOnce(moment));

/**
 * Both sides and the router failed at the same scrape: the network or Prometheus rather than every process, unless a
 * canary gets no answer either.
 */
function isGoneAtOnce(moment: Moment): boolean {
  const sides = (['prefill', 'decode', 'router'] as const).map((role) => serversOf(moment, role));
  const [prefill = [], decode = []] = sides;
  const slackMs = 1.5 * moment.intervalMs;
  const lastMs = sides.filter((pool) => pool.length > 0).map((pool) => Math.max(...pool.map((e) => e.lastSampleMs)));
  return (
    prefill.length > 0 &&
    decode.length > 0 &&
    moment.engines.some((e) => e.state === 'lost') &&
    // Each target is scraped at an instant of its own, so the first to be lost may be an interval ahead.
    moment.engines.every((e) => e.state !== 'live' || moment.atMs - e.lastSampleMs > slackMs) &&
    Math.max(...lastMs) - Math.min(...lastMs) <= slackMs &&
    failingCanary(moment) === undefined
  );
}

/** "No server of either side is seen, at most a router." */
export const noEngines = (moment: Moment): boolean => moment.engines.every((e) => e.engine.role === 'router');

/** "No engine tells on which side it works." */
export const rolesUnknown = (moment: Moment): boolean =>
  moment.engines.every((e) => e.engine.role !== 'prefill' && e.engine.role !== 'decode');

/** "Every engine of one side is gone, so nothing can be served." */
export function sideGone(moment: Moment): EngineMoment | undefined {
  for (const role of ['decode', 'prefill'] as const) {
    const pool = serversOf(moment, role);
    if (pool.length > 0 && pool.every((e) => e.state === 'lost')) {
      return [...pool].sort((a, b) => a.lastSampleMs - b.lastSampleMs)[0];
    }
  }
  return undefined;
}

/** "Only one side of the pair is seen." */
export function missingSide(moment: Moment): 'prefill' | 'decode' | undefined {
  const roles = new Set(moment.engines.map((e) => e.engine.role));
  return roles.has('prefill') === roles.has('decode') ? undefined : roles.has('prefill') ? 'decode' : 'prefill';
}
