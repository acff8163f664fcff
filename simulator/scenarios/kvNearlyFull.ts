import { type Scenario } from '../scenario';
import { usualSpec } from '../traffic';

/** All ask decode-0, whose KV just suffices: somebody waits for room most of the time, and never for long. */
export const kvNearlyFull: Scenario = {
  name: 'kv-nearly-full',
  summary:
    'Healthy: 3 requests per second on decode-0 alone, with little KV: usage up to 0.95, waits of seconds, all is served.',
  config: { pageTokens: 64, kvCapacityTokens: 32_768, reservedDecodeTokens: 128, clientTimeoutMs: 120_000 },
  minMinutes: 3,
  script: ({ traffic, decode }) =>
    traffic.start({ perSecond: 3, spec: (random) => ({ ...usualSpec(random), via: { decode: decode.instance } }) }),
};
