import { type Scenario } from '../scenario';

/** One request slot in transfer is never given back. That is all: everybody is served. */
export const leakedSlot: Scenario = {
  name: 'leaked-slot',
  summary: 'At T0 a single transfer leaks on decode-0; its depth is never 0 again, traffic does not notice.',
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.trouble(decode, 'the next transfer leaks', (troubles) => (troubles.transfersToLeak = 1)));
  },
};
