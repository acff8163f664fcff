import { type Scenario } from '../scenario';

/** Not even users: health probes every 10 s look like traffic to whoever counts edges. */
export const probesOnly: Scenario = {
  name: 'probes-only',
  summary: 'Healthy: no client traffic at all, health probes every 10 s.',
  config: { healthIntervalMs: 10_000, healthPhaseMs: 0 },
  minMinutes: 1,
  script: () => undefined,
};
