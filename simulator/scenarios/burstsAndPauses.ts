import { type Scenario } from '../scenario';

const EVERY_S = 180;
const BURST_S = 20;
const PER_SECOND = 6;

/** Everybody asks at once, then nobody for more than two minutes. */
export const burstsAndPauses: Scenario = {
  name: 'bursts-and-pauses',
  summary: 'Healthy: 6 requests per second for 20 s, then 160 s of nothing, again and again.',
  minMinutes: 4,
  script: ({ simulation, traffic, startMs, endMs }) => {
    for (let atMs = startMs - EVERY_S * 500; atMs < endMs; atMs += EVERY_S * 1000) {
      simulation.at(atMs, () => traffic.start({ perSecond: PER_SECOND }));
      simulation.at(atMs + BURST_S * 1000, () => traffic.pause());
    }
  },
};
