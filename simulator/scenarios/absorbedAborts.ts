import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const RUNNING = 11;
const IN_TRANSFER = 5;

/** The cancellation of the founding story without its consequence. */
export const absorbedAborts: Scenario = {
  name: 'absorbed-aborts',
  summary:
    'Healthy: an agent of 16 on decode-0 is cancelled at T0 (11 running, 5 in transfer); all is absorbed at once.',
  minMinutes: 13,
  script: ({ at, traffic, agent, prefill, decode }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    traffic.start();
    at(-8, () => repeat(RUNNING, () => agent.send({ promptTokens: 400, outputTokens: 2_000, via })));
    at(-0.4, () => repeat(IN_TRANSFER, () => agent.send({ promptTokens: 5_000, outputTokens: 200, via })));
    at(0, () => agent.cancel());
  },
};
