import { type Scenario } from '../scenario';

/** A quiet night: the only requests are the router's health probes. */
export const idle: Scenario = {
  name: 'idle',
  summary: 'No client traffic at all, health probes only.',
  minMinutes: 1,
  script: () => undefined,
};
