import { type Scenario } from '../scenario';
import { Users } from '../users';

const USERS = 40;
const TIMER_S = 300;

/** #10110: everything falls silent, because every user waits; the first error comes exactly 300 s later, and ends it. */
export const bootstrapTimer: Scenario = {
  name: 'bootstrap-timer',
  summary: 'From T0 on prefill-0 loses handshakes until its bootstrap timer expires at T0 + 300 s; then all is well.',
  config: { clientTimeoutMs: 1_200_000 },
  minMinutes: 13,
  script: ({ at, simulation, faults, deployment, random, prefill, startMs }) => {
    const spec = { promptTokens: 600, outputTokens: 150 };
    const users = new Users(simulation, deployment.clients, random, {
      count: USERS,
      thinkMs: [500, 4_000],
      spec: () => spec,
    });
    simulation.at(startMs - 60_000, () => users.start());
    at(0, () => faults.trouble(prefill, 'handshakes get lost', (troubles) => (troubles.losesHandshakes = true)));
    at(TIMER_S, () => faults.cure(prefill, 'the timer expires', (troubles) => (troubles.losesHandshakes = false)));
  },
};
