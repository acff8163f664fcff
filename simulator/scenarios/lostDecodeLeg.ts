import { type Scenario } from '../scenario';
import { Users } from '../users';

const USERS = 24;
const BEFORE_END_MS = 33 * 60_000;
const MINUTE_MS = 60_000;

/**
 * #29482: what the router sends to decode gets lost on the way, and it joins both legs. Prefill gives up on the
 * orphans after 300 s; the router waits for decode until its own 1800 s are over. The users wait as well.
 */
export const lostDecodeLeg: Scenario = {
  name: 'lost-decode-leg',
  summary:
    'From 33 min before the end on nothing sent to decode-0 arrives; 24 patient users wait until the router gives up.',
  config: { routerJoin: 'waits for the other', clientTimeoutMs: 7_200_000 },
  minMinutes: 36,
  script: ({ simulation, faults, deployment, router, random, decode, startMs, endMs }) => {
    const spec = { promptTokens: 800, outputTokens: 200 };
    const users = new Users(simulation, deployment.clients, random, {
      count: USERS,
      thinkMs: [1_000, 10_000],
      spec: () => spec,
    });
    simulation.at(startMs - MINUTE_MS, () => users.start());
    simulation.at(endMs - BEFORE_END_MS, () => {
      router.unreachable.add(decode);
      faults.trouble(decode, 'what the router sends to it gets lost', () => undefined);
    });
  },
};
