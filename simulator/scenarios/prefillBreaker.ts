import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const REQUESTS = 12;

/**
 * #31206: an abort burst opens the router's breaker on prefill; it becomes half-open and never closes. Whoever is
 * routed there has only a decode leg, which waits for a handshake until the client leaves.
 */
export const prefillBreaker: Scenario = {
  name: 'prefill-breaker',
  summary: '12 aborts at T0; the breaker of prefill-0 opens at T0 + 1 s, is half-open from T0 + 31 s on, never closes.',
  minMinutes: 13,
  script: ({ at, traffic, faults, agent, router, prefill }) => {
    const via = { prefill: prefill.instance };
    traffic.start();
    at(-4, () => repeat(REQUESTS, () => agent.send({ promptTokens: 8_000, outputTokens: 200, via })));
    at(0, () => agent.cancel());
    at(1, () => {
      router.workers.setBreaker(prefill, 'open');
      faults.trouble(prefill, 'the router sends it nothing: breaker open', () => undefined);
    });
    at(31, () => router.workers.setBreaker(prefill, 'half_open'));
  },
};
