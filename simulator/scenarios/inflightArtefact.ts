import { type Scenario } from '../scenario';

const EVERY_MS = 75_000;

/** Prefill reports a batch while it counts as inflight: 1 after each request, 0 with the idle refresh half a minute later. */
export const inflightArtefact: Scenario = {
  name: 'inflight-artefact',
  summary: 'Healthy: one request every 75 s and prefill engine; their inflight gauges go to 1 and back to 0.',
  minMinutes: 3,
  script: ({ simulation, deployment, startMs, endMs }) => {
    const engines = deployment.engines.filter(({ role }) => role === 'prefill');
    for (let atMs = startMs; atMs < endMs; atMs += EVERY_MS) {
      for (const { instance } of engines) {
        simulation.at(atMs, () =>
          deployment.clients.send({ promptTokens: 600, outputTokens: 100, via: { prefill: instance } })
        );
      }
    }
  },
};
