import { type Scenario } from '../scenario';

const DOWN_MS = 1_500;

/** A process is replaced between two scrapes while nobody asks anything: all that shows is counters that begin anew. */
export const counterReset: Scenario = {
  name: 'counter-reset',
  summary: 'Healthy: decode-0 restarts within 1.5 s at T0 + 3 s, between two scrapes and without a request on it.',
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(-20, () => traffic.pause());
    at(3, () => faults.restart(decode, DOWN_MS));
  },
};
