import { NEVER_UNHEALTHY } from '../config';
import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const REQUESTS = 400;
const SPREAD_S = 5;

/**
 * #8177 (fixed in 0.4.9.post5): decode does not act on aborts. Clients leave after 60 s; prefill drops them, their
 * KV pages on decode stay. No timer helps. What then queues on prefill is back-pressure. Health
 * probes find no room either; this router does not act on that.
 */
export const decodeFullOfAborted: Scenario = {
  name: 'decode-full-of-aborted',
  summary: '400 requests at T0 on decode-0, which ignores aborts; clients leave after 60 s and its KV stays full.',
  config: {
    clientTimeoutMs: 60_000,
    requestSlots: 512,
    waitingTimeoutMs: 7_200_000,
    failuresToUnhealthy: NEVER_UNHEALTHY,
  },
  minMinutes: 13,
  script: ({ at, traffic, faults, deployment, prefill, decode }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    traffic.start();
    at(0, () => faults.trouble(decode, 'aborts get lost', (troubles) => (troubles.losesAborts = true)));
    repeat(REQUESTS, (index) =>
      at((index * SPREAD_S) / REQUESTS, () => deployment.clients.send({ promptTokens: 4_000, outputTokens: 500, via }))
    );
  },
};
