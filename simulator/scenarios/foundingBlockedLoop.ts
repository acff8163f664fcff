import { type Scenario, type ScenarioContext } from '../scenario';
import { cancelAtT0, playTries, playUntilT0 } from './foundingStory';

/**
 * The same evening, but decode's loop is blocked from T0 on: it reads neither aborts nor requests and its gauges
 * keep the values of its last report, at 20:38:02 (11 running, 8 in transfer). Health checks are static here, as 200s that last prove; with generating checks
 * the router would take decode out after three minutes and send nothing more.
 */
export const foundingBlockedLoop: Scenario = {
  name: 'founding-blocked-loop',
  summary: 'As founding, but the decode loop is blocked at T0: no abort is absorbed, no request is taken.',
  config: { healthMode: 'static' },
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    playUntilT0(context);
    cancelAtT0(context, () => context.faults.blockLoop(context.decode));
    playTries(context, context.endMs);
    context.simulation.at(context.endMs, () => context.traffic.retry(6_000));
  },
};
