import { NEVER_UNHEALTHY } from '../config';
import { type Scenario } from '../scenario';

const SPIKE_PER_SECOND = 8;
const SPIKE_S = 45;

/**
 * #28651: clients give up on a spike of long prompts, prefill drops them, and nobody tells decode. Every orphan holds
 * a request slot there until its 300 s are over, then the next one from prealloc takes it, for 300 s again. Health
 * probes queue behind them and fail; this router does not act on that.
 */
export const abortNotPropagated: Scenario = {
  name: 'abort-not-propagated',
  summary: 'A spike of 8/s for 45 s at T0 on prefill-0 and decode-0; clients leave after 12 s and decode is not told.',
  config: { clientTimeoutMs: 12_000, failuresToUnhealthy: NEVER_UNHEALTHY },
  minMinutes: 13,
  script: ({ at, traffic, faults, deployment, router, prefill, decode, truth, t0Ms }) => {
    const via = { prefill: prefill.instance, decode: decode.instance };
    traffic.start();
    at(0, () => {
      router.silentAborts.add(prefill);
      faults.trouble(prefill, 'decode is not told of its aborts', () => undefined);
    });
    truth.note({ kind: 'note', atMs: t0Ms, what: `${SPIKE_PER_SECOND}/s of 3,000 tokens for ${SPIKE_S} s` });
    for (let seconds = 0; seconds < SPIKE_S; seconds += 1 / SPIKE_PER_SECOND) {
      at(seconds, () => deployment.clients.send({ promptTokens: 3_000, outputTokens: 100, via }));
    }
  },
};
