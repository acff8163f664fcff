import { type Scenario } from '../scenario';

/**
 * #31144 (fixed in 0.5.17): decode tells its prefill peer of metadata and aborts from the scheduler thread, by a send
 * without a timeout. The peer is gone, the send never returns. Prefill stays away: restarting it would not help.
 */
export const decodeBlockedOnDeadPrefill: Scenario = {
  name: 'decode-blocked-on-dead-prefill',
  summary: 'Prefill-0 crashes at T0; decode-0 blocks for ever in its next message to it.',
  minMinutes: 13,
  script: ({ at, traffic, faults, deployment, prefill, decode }) => {
    traffic.start();
    at(-60, () =>
      faults.trouble(decode, 'messages to prefill have no timeout', (troubles) => {
        troubles.onLostPeer = () => {
          troubles.onLostPeer = undefined;
          faults.blockLoop(decode);
        };
      })
    );
    // Still being computed at T0, so that decode has somebody to tell that it is aborted.
    const via = { prefill: prefill.instance, decode: decode.instance };
    at(-1, () => deployment.clients.send({ promptTokens: 24_000, outputTokens: 100, via }));
    at(0, () => faults.crash(prefill));
  },
};
