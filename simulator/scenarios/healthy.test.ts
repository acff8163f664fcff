import { HEALTHY_SCENARIOS } from '../scenarioList';
import { balancesOf, count, play, type Play, SIZES } from '../testing/play';
import { healthy } from './healthy';

const EVERY_S = 15;
const CASES = HEALTHY_SCENARIOS.flatMap((scenario) => SIZES.map((size) => [scenario.name, size, scenario] as const));

/** How many aborts met a request in a waiting queue, which no counter tells. */
function abortsWhileWaiting({ truth }: Play): number {
  const stages = truth.events.flatMap((event) => ('stage' in event ? event.stage.split('/') : []));
  return stages.filter((stage) => stage === 'waiting').length;
}

function expectBalance(p: Play): void {
  let drift = 0;
  for (const engine of p.deployment.engines.filter(({ isUp }) => isUp)) {
    const { waiting = 0, ...balances } = balancesOf(engine);
    const stages = engine.stages();
    const real = Object.fromEntries(Object.keys(balances).map((queue) => [queue, stages[queue] ?? 0]));
    expect({ atMs: p.simulation.nowMs, engine: engine.instance, ...balances }).toEqual({
      atMs: p.simulation.nowMs,
      engine: engine.instance,
      ...real,
    });
    drift += waiting - (stages.waiting ?? 0);
  }
  expect(drift).toBeGreaterThanOrEqual(0);
  expect(drift).toBeLessThanOrEqual(abortsWhileWaiting(p));
}

function expectBalanceAlways(p: Play): void {
  for (let seconds = (p.startMs - p.t0Ms) / 1000; seconds <= 240; seconds += EVERY_S) {
    p.to(seconds);
    expectBalance(p);
  }
}

describe('a healthy deployment', () => {
  it.each(CASES)('%s, %s engines: counters tell every depth, and nobody is let down', (_name, size, scenario) => {
    const p = play(scenario, size);
    expectBalanceAlways(p);
    expect(p.truth.events.filter(({ kind, atMs }) => kind === 'client-timeout' && atMs >= p.startMs)).toEqual([]);
    const answers = (p.router.scrape() ?? []).filter(({ name }) => name === 'smg_http_responses_total');
    expect(answers.filter(({ labels }) => !labels.includes('status_code="200"'))).toEqual([]);
  });

  it.each(SIZES.map((size) => [size] as const))('tells the bootstrap queue of %s early engines as well', (size) => {
    const p = play(healthy, size, 'early');
    expectBalanceAlways(p);
    expect(balancesOf(p.prefill)).toHaveProperty('bootstrap');
    expect(count(p.decode, 'realtime_tokens_total')).toBe(0);
  });
});
