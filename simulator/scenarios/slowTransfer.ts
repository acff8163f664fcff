import { type Scenario } from '../scenario';

const LINK_SHARE = 0.002;

/** #5450: the KV goes over in thousands of tiny copies. Transfers take their turn and do conclude, far below the need. */
export const slowTransfer: Scenario = {
  name: 'slow-transfer',
  summary: 'From T0 on the KV of prefill-0 moves at 0.2 % of the link, 24 MB/s, one transfer after the other.',
  config: { clientTimeoutMs: 1_800_000 },
  minMinutes: 13,
  script: ({ at, traffic, faults, prefill }) => {
    traffic.start();
    at(0, () => faults.trouble(prefill, 'the link is down to 0.2 %', (troubles) => (troubles.linkShare = LINK_SHARE)));
  },
};
