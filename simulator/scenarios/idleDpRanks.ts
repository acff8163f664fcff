import { type Scenario } from '../scenario';
import { Users } from '../users';

const USERS = 4;

/**
 * Four data-parallel ranks. From T0 on only rank 0 of decode-0 has work; the others run empty batches with it, which
 * are no steps and no idleness, so their gauges keep what they last said when they were busy.
 */
export const idleDpRanks: Scenario = {
  name: 'idle-dp-ranks',
  summary: 'Healthy: from T0 on only DP rank 0 of decode-0 works; the gauges of ranks 1 to 3 freeze at busy values.',
  config: { decodeDpSize: 4, tpSize: 4 },
  minMinutes: 13,
  script: ({ at, simulation, traffic, deployment, random, decode }) => {
    const via = { decode: decode.instance };
    const users = new Users(simulation, deployment.clients, random, {
      count: USERS,
      thinkMs: [50, 150],
      spec: (source) => ({ promptTokens: 300, outputTokens: source.integer(400, 900), via, dpRank: 0 }),
    });
    traffic.start();
    at(-60, () => users.start());
    at(-10, () => traffic.pause());
  },
};
