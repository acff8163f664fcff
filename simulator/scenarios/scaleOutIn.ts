import { type Scenario } from '../scenario';

/** Autoscaling: a target appears, and two minutes later another is drained and taken off the list. No scrape fails. */
export const scaleOutIn: Scenario = {
  name: 'scale-out-in',
  summary: 'Healthy: a decode engine is added at T0 - 2 min; decode-0 is drained at T0 + 2 min and removed.',
  minMinutes: 13,
  script: ({ at, simulation, traffic, faults, deployment, truth, decode }) => {
    traffic.start();
    at(-120, () => {
      const { instance } = deployment.addEngine('decode');
      truth.note({ kind: 'added', atMs: simulation.nowMs, engine: instance });
    });
    at(120, () => faults.remove(deployment, decode));
  },
};
