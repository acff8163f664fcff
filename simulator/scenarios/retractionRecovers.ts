import { type Scenario } from '../scenario';
import { repeat } from '../repeat';
import { usualSpec } from '../traffic';

const REQUESTS = 40;

/** Long answers outgrow the KV of decode-0: some are moved out and come back when others have ended,
 * some ten seconds later. */
export const retractionRecovers: Scenario = {
  name: 'retraction-recovers',
  summary: 'Healthy: 40 answers of 500 to 970 tokens outgrow the KV of decode-0; some are retracted and resumed.',
  config: { pageTokens: 64, kvCapacityTokens: 32_768, reservedDecodeTokens: 64 },
  minMinutes: 13,
  script: ({ at, traffic, deployment, decode }) => {
    const via = { decode: decode.instance };
    traffic.start({ perSecond: 1, spec: (random) => ({ ...usualSpec(random), via }) });
    at(-20, () =>
      repeat(REQUESTS, (index) =>
        deployment.clients.send({
          promptTokens: 250,
          outputTokens: 500 + 12 * index,
          patienceMs: 300_000,
          via,
        })
      )
    );
  },
};
