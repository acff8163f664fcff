import { type Scenario } from '../scenario';
import { usualSpec } from '../traffic';

/** All ask decode-0, whose KV just suffices: somebody waits for room most of the time, and never for long. */
export const kvNearlyFull: Scenario = {
  name: 'kv-nearly-full',
  summary: 'Healthy: the usual traffic on decode-0 alone, with little KV: usage near 1, short waits, all is served.',
  config: { kvCapacityTokens: 40_960, clientTimeoutMs: 120_000 },
  minMinutes: 3,
  script: ({ traffic, decode }) =>
    traffic.start({ spec: (random) => ({ ...usualSpec(random), via: { decode: decode.instance } }) }),
};
