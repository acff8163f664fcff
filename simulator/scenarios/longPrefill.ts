import { type Scenario } from '../scenario';

/** #22511: a very long prompt is computed in 44 chunks, one minute in all; who comes after it waits, patiently. */
export const longPrefill: Scenario = {
  name: 'long-prefill',
  summary: 'Healthy: a prompt of 360,000 tokens at T0 keeps prefill-0 busy for 60 s, chunk by chunk.',
  config: { clientTimeoutMs: 600_000 },
  minMinutes: 13,
  script: ({ at, traffic, deployment, prefill, decode }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    traffic.start();
    at(-40, () => traffic.start({ perSecond: 0.2 }));
    at(0, () => deployment.clients.send({ promptTokens: 360_000, outputTokens: 200, via }));
    at(90, () => traffic.start({ perSecond: 3.5 }));
  },
};
