import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const REQUESTS = 40;

/** Long answers outgrow the KV of decode-0: some are moved out, and come back as soon as others have ended. */
export const retractionRecovers: Scenario = {
  name: 'retraction-recovers',
  summary: 'Healthy: 40 answers of 1,000 tokens outgrow the KV of decode-0; some are retracted and resumed.',
  config: { kvCapacityTokens: 49_152 },
  minMinutes: 13,
  script: ({ at, traffic, deployment, decode }) => {
    traffic.start({ perSecond: 1 });
    at(-20, () =>
      repeat(REQUESTS, () =>
        deployment.clients.send({
          promptTokens: 250,
          outputTokens: 1_000,
          patienceMs: 300_000,
          via: { decode: decode.instance },
        })
      )
    );
  },
};
