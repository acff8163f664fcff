import { type Scenario, type ScenarioContext } from '../scenario';
import { cancelAtT0, playTries, playUntilT0 } from './foundingStory';

const RESTART_AFTER_MS = 6 * 60_000;

/** The founding fault, cured as the record says: decode is restarted, and traffic returns at once. */
export const decodeRestartRecovers: Scenario = {
  name: 'decode-restart-recovers',
  summary: 'The founding fault; decode is restarted 6 min after T0 and traffic recovers.',
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    const restartMs = context.t0Ms + RESTART_AFTER_MS;
    playUntilT0(context);
    cancelAtT0(context, () => context.faults.killReceiver(context.decode));
    playTries(context, restartMs);
    context.simulation.at(restartMs, () => context.faults.restart(context.decode));
  },
};
