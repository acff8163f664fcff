import { type Scenario } from '../scenario';

const RANK = 2;

/** The loop of one of four data-parallel ranks of decode-0 stands; every fourth request of it hangs. */
export const dpRankWedged: Scenario = {
  name: 'dp-rank-wedged',
  summary: 'From T0 on DP rank 2 of decode-0 does nothing at all; its other three ranks work on.',
  config: { decodeDpSize: 4, tpSize: 4 },
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.blockLoop(decode, RANK));
  },
};
