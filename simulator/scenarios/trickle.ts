import { type Scenario } from '../scenario';

const EVERY_MS = 120_000;

/** Hardly anybody is here. Decode makes too few steps for a report, so its gauges skip whole requests. */
export const trickle: Scenario = {
  name: 'trickle',
  summary: 'Healthy: one short request every 2 minutes, and health probes.',
  minMinutes: 5,
  script: ({ simulation, deployment, random, startMs, endMs }) => {
    for (let atMs = startMs; atMs < endMs; atMs += EVERY_MS) {
      const outputTokens = random.integer(10, 35);
      simulation.at(atMs + random.between(0, 30_000), () =>
        deployment.clients.send({ promptTokens: 400, outputTokens })
      );
    }
  },
};
