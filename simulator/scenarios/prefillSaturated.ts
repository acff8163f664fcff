import { type Scenario } from '../scenario';

const PER_PREFILL = 2;

/** More is asked than prefill can compute (1.5 such prompts a second each): the queue grows and moves all the time. */
export const prefillSaturated: Scenario = {
  name: 'prefill-saturated',
  summary: 'From T0 on 2 prompts of 4,000 tokens per second and prefill engine, a third more than they can compute.',
  config: { requestSlots: 1_024, kvCapacityTokens: 8_388_608, clientTimeoutMs: 1_200_000 },
  minMinutes: 13,
  script: ({ at, traffic, truth, deployment, t0Ms }) => {
    const perSecond = PER_PREFILL * deployment.engines.filter(({ role }) => role === 'prefill').length;
    traffic.start();
    at(0, () =>
      traffic.start({
        perSecond,
        cancelShare: 0,
        spec: (random) => ({ promptTokens: 4_000, outputTokens: random.integer(40, 120) }),
      })
    );
    truth.note({ kind: 'note', atMs: t0Ms, what: `${perSecond} prompts of 4,000 tokens per second` });
  },
};
