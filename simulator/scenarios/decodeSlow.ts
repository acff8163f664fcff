import { type Scenario } from '../scenario';

const STEP_FACTOR = 20;

/** Steps go on and tokens come, but each takes 20 times as long. Nothing is stuck. */
export const decodeSlow: Scenario = {
  name: 'decode-slow',
  summary: 'From T0 on a decode step of decode-0 takes 20 times as long.',
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () =>
      faults.trouble(decode, 'steps take 20 times as long', (troubles) => (troubles.stepFactor = STEP_FACTOR))
    );
  },
};
