import { type Scenario, type ScenarioContext } from '../scenario';
import { cancelAtT0, playTries, playUntilT0 } from './foundingStory';

/**
 * The incident that founded the project. At T0 (20:38:03) an agent with 16 open requests (11 running, 5 in
 * transfer) is cancelled, and from that instant decode's receiver is dead while its loop lives. All 16 aborts
 * are absorbed: 11 end with their next step, 5 count as failed transfers. The last two of them end in the step
 * that decode reports, so that its last report says 2 running and, with three bystanders, 3 in transfer.
 * The bystanders never get a byte and leave after 35 s. A first try at T0 + 30 s keeps decode from being fully
 * idle, so the "3" stands until that client leaves too; then an idle refresh writes zeros, which no later try
 * can change. Prefill computes the bystanders (inflight 3), then reads 1 with the first try; from there on its gauge
 * moves between 0 and 1, one more whenever a health probe is computed while a request is parked, and up to 6
 * in the last minute, when people press retry. After the end a retry every 8 to 12 s, until decode is restarted.
 */
export const founding: Scenario = {
  name: 'founding',
  summary: 'A cancelled agent (16 aborts at T0) leaves decode with a dead receiver; everything else looks healthy.',
  minMinutes: 13,
  script: (context: ScenarioContext) => {
    playUntilT0(context);
    cancelAtT0(context, () => context.faults.killReceiver(context.decode));
    playTries(context, context.endMs);
    context.simulation.at(context.endMs, () => context.traffic.retry(6_000));
  },
};
