import { NEVER_UNHEALTHY } from '../config';
import { type Scenario } from '../scenario';

/**
 * The HTTP process accepts, its link to the scheduler is dead. The scheduler has nothing to do and idles. Health checks
 * fail with it, but this router does not act on them.
 */
export const frontendStuck: Scenario = {
  name: 'frontend-stuck',
  summary: 'From T0 on nothing that decode-0 accepts reaches its scheduler, health probes neither.',
  config: { failuresToUnhealthy: NEVER_UNHEALTHY },
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.trouble(decode, 'link to the scheduler dead', (troubles) => (troubles.lostLink = 'everybody')));
  },
};

/** The same for requests of clients only: probes go through the scheduler and say that all is well. */
export const frontendStuckProbesPass: Scenario = {
  name: 'frontend-stuck-probes-pass',
  summary: 'From T0 on no request of a client reaches the scheduler of decode-0; health probes do.',
  minMinutes: 13,
  script: ({ at, traffic, faults, decode }) => {
    traffic.start();
    at(0, () => faults.trouble(decode, 'link to the scheduler dead', (troubles) => (troubles.lostLink = 'clients')));
  },
};
