import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const RUNNING = 11;
const IN_TRANSFER = 5;

/**
 * 16 aborts are counted as sent and never reach decode's scheduler. 11 answers go on to their end for nobody;
 * 5 transfers, which prefill has given up, wait until their 300 s are over. Later aborts are read again.
 */
export const abortsNotAbsorbed: Scenario = {
  name: 'aborts-not-absorbed',
  summary: 'At T0 an agent of 16 is cancelled (11 running, 5 in transfer on decode-0); the aborts get lost for 5 s.',
  minMinutes: 13,
  script: ({ at, traffic, faults, agent, prefill, decode }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    traffic.start();
    at(-14, () => repeat(RUNNING, () => agent.send({ promptTokens: 400, outputTokens: 2_000, via })));
    at(-3, () => repeat(IN_TRANSFER, () => agent.send({ promptTokens: 40_000, outputTokens: 200, via })));
    at(-0.1, () => faults.trouble(decode, 'aborts get lost', (troubles) => (troubles.losesAborts = true)));
    at(0, () => agent.cancel());
    at(5, () => faults.cure(decode, 'aborts are read again', (troubles) => (troubles.losesAborts = false)));
  },
};
