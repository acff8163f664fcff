import { type Scenario } from '../scenario';

/** Nothing is wrong. Now and then a single client leaves early, and both sides absorb it. */
export const healthy: Scenario = {
  name: 'healthy',
  summary: 'Steady mixed traffic with mild bursts and a few single client aborts that are absorbed.',
  minMinutes: 1,
  script: ({ traffic }) => traffic.start(),
};
