import { type Request } from '../request';
import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const REQUESTS = 60;
const TIMER_S = 300;

/**
 * #25561 (fixed in 0.5.13): decode does not poll its prealloc queue while every request in it has shaken hands, so
 * aborted ones stay at its head until their 300 s are over. Those that were running or in transfer are absorbed.
 */
export const preallocPinned: Scenario = {
  name: 'prealloc-pinned',
  summary:
    'An agent of 60 is cancelled at T0; its requests in prealloc of decode-0 stay at the head of the queue for 300 s.',
  config: { requestSlots: 40 },
  minMinutes: 13,
  script: ({ at, traffic, faults, agent, decode }) => {
    const asked: Request[] = [];
    const via = { decode: decode.instance };
    traffic.start();
    at(-6, () => repeat(REQUESTS, () => asked.push(agent.send({ promptTokens: 400, outputTokens: 1_500, via }))));
    at(0, () => {
      const stuck = asked.filter((request) => request.decode.stage === 'prealloc');
      faults.trouble(decode, `${stuck.length} aborted requests stay at the head of prealloc`, ({ pinned }) =>
        stuck.forEach((request) => pinned.add(request))
      );
      agent.cancel();
    });
    at(TIMER_S, () => faults.cure(decode, 'their timer has expired', ({ pinned }) => pinned.clear()));
  },
};
