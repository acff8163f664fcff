import { type Scenario } from '../scenario';

const EVERY_S = 5;
const OUTPUT = 8_192;
const RESERVED = 6_144;

/**
 * Long answers to long prompts: after two minutes they hold all the KV of decode, which keeps room for most of what each
 * may still generate. Steps go on, nobody is admitted until the first answer ends, and then one for one.
 */
export const decodeKvExhausted: Scenario = {
  name: 'decode-kv-exhausted',
  summary:
    'From T0 on every 5 s a request of 24,000 tokens with 8,192 to answer for decode-0; its KV runs out after 2 min.',
  config: { reservedDecodeTokens: RESERVED },
  minMinutes: 13,
  script: ({ at, traffic, truth, deployment, prefill, decode, t0Ms, endMs }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    const spec = { promptTokens: 24_000, outputTokens: OUTPUT, patienceMs: 3_600_000, via };
    traffic.start();
    truth.note({ kind: 'note', atMs: t0Ms, what: 'long requests begin' });
    for (let seconds = 0; t0Ms + seconds * 1000 < endMs; seconds += EVERY_S) {
      at(seconds, () => deployment.clients.send(spec));
    }
  },
};
