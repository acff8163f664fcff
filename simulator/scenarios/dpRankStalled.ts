import { type Scenario } from '../scenario';

const RANK = 2;

/** One of four data-parallel ranks of decode-0 concludes no transfer any more; every fourth request of it hangs. */
export const dpRankStalled: Scenario = {
  name: 'dp-rank-stalled',
  summary: 'From T0 on the receiver of DP rank 2 of decode-0 is dead; its other three ranks work on.',
  config: { decodeDpSize: 4, tpSize: 4 },
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.killReceiver(decode, RANK));
  },
};
