import { type Scenario } from '../scenario';

const STEP_MS = 30_000;

/** The clock of Prometheus was 30 s slow until T0; the samples before T0 bear times that are 30 s too early. */
export const clockStep: Scenario = {
  name: 'clock-step',
  summary: 'Healthy traffic; at T0 the clock of Prometheus is set 30 s ahead, and sample times jump.',
  minMinutes: 13,
  script: ({ traffic, faults, t0Ms }) => {
    traffic.start();
    faults.stepSampleClock(t0Ms, STEP_MS);
  },
};
