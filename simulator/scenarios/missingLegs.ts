import { type Scenario } from '../scenario';

const EVERY = 8;

/**
 * The router keeps back the decode leg of every eighth request: no breaker, no error. Prefill waits for the handshake
 * until the client leaves; all other requests are served.
 */
export const missingDecodeLegs: Scenario = {
  name: 'missing-decode-legs',
  summary: `From T0 on the decode leg of every ${EVERY}th request gets lost on the way, whichever engine it is for.`,
  minMinutes: 13,
  script: ({ at, traffic, faults, router, decode }) => {
    traffic.start();
    at(0, () => {
      router.lossy = { role: 'decode', every: EVERY };
      faults.trouble(decode, 'some of what the router sends to decode gets lost', () => undefined);
    });
  },
};

/** The same on the other side, every second time: decode waits for the handshake. */
export const missingPrefillLegs: Scenario = {
  name: 'missing-prefill-legs',
  summary: 'From T0 on the prefill leg of every second request gets lost on the way, whichever engine it is for.',
  minMinutes: 13,
  script: ({ at, traffic, faults, router, prefill }) => {
    traffic.start();
    at(0, () => {
      router.lossy = { role: 'prefill', every: 2 };
      faults.trouble(prefill, 'some of what the router sends to prefill gets lost', () => undefined);
    });
  },
};
