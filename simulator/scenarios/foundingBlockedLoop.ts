import { type Scenario, type Stage } from '../scenario';
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
  script: (stage: Stage) => {
    playUntilT0(stage);
    cancelAtT0(stage, () => stage.faults.blockLoop(stage.decode));
    playTries(stage, stage.endMs);
    stage.simulation.at(stage.endMs, () => stage.traffic.retry(6_000));
  },
};
