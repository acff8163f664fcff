import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const LEAKS = 47;
const EVERY_S = 8;

/**
 * #31800: the "done" of a transfer is lost now and then. Prefill has concluded, decode waits for ever: the timer covers
 * only transfers that have not begun, and not even an abort ends them. One of 48 request slots is left in the end.
 */
export const transferLeak: Scenario = {
  name: 'transfer-leak',
  summary: 'From T0 on a transfer leaks on decode-0 every 8 s, 47 of its 48 request slots in all.',
  config: { requestSlots: 48 },
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    repeat(LEAKS, (index) =>
      at(index * EVERY_S, () =>
        faults.trouble(decode, 'the next transfer leaks', (troubles) => (troubles.transfersToLeak += 1))
      )
    );
  },
};
