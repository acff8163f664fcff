import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const PROMPT = 3_072;
const CHUNK = 2 * PROMPT;

/**
 * #34572: after aborts the pipeline ranks of prefill disagree. A chunk of 6,144 tokens is the last pass that all
 * eight make; four more reach only ranks 0 to 3, which begin a pass that never ends.
 */
export const ppDivergence: Scenario = {
  name: 'pp-divergence',
  summary: 'Aborts 1.5 s before T0; from T0 on pipeline ranks 4 to 7 of prefill-0 see nothing of what 0 to 3 begin.',
  config: { prefillPpSize: 8, tpSize: 1, prefillChunkTokens: CHUNK, healthMode: 'static' },
  minMinutes: 13,
  script: ({ at, traffic, faults, agent, deployment, prefill }) => {
    const via = { prefill: prefill.instance };
    const ask = (promptTokens: number): unknown => deployment.clients.send({ promptTokens, outputTokens: 100, via });
    traffic.start();
    at(-40, () => traffic.pause());
    // Three chunks of 1.04 s; prefill reads its inbox between them, so what comes during the second waits after the third.
    at(-3, () => ask(3 * CHUNK));
    at(-2.9, () => repeat(4, () => agent.send({ promptTokens: PROMPT, outputTokens: 400, via })));
    at(-1.5, () => agent.cancel());
    at(-1.4, () => [5_000, PROMPT, PROMPT, PROMPT].forEach(ask));
    at(-0.5, () =>
      faults.trouble(prefill, 'pipeline ranks diverge after this pass', (troubles) => {
        troubles.afterPass = () => {
          troubles.ppReach = 4;
          troubles.onStuckPass = () => faults.blockLoop(prefill);
        };
      })
    );
    at(5, () => traffic.start());
  },
};
