import { type Random } from '../random';
import { type RequestSpec } from '../request';
import { type Scenario } from '../scenario';
import { usualSpec } from '../traffic';

const whole = (random: Random): RequestSpec => ({ ...usualSpec(random), isWhole: true });

/** What decode makes for those who leave is heard by nobody, and ends with their aborts. */
export const halfCancelled: Scenario = {
  name: 'half-cancelled',
  summary:
    'Healthy: answers come at their end, and from T0 on every second client leaves within 5 s; all aborts are absorbed.',
  minMinutes: 13,
  script: ({ at, traffic }) => {
    traffic.start({ spec: whole });
    at(0, () => traffic.start({ spec: whole, cancelShare: 0.5 }));
  },
};
