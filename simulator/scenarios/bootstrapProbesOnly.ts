import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

/** Seconds after T0, and how many ask then: the bootstrap queue reads 18, 22, 27, 28, 35, as in the report. */
const ARRIVALS = [
  [1, 18],
  [6, 4],
  [11, 5],
  [16, 1],
  [21, 7],
] as const;

/** #22877: no handshake completes on prefill, so it never hears of metadata; health probes of one token go on each second. */
export const bootstrapProbesOnly: Scenario = {
  name: 'bootstrap-probes-only',
  summary: 'From T0 on no handshake of prefill-0 completes; its bootstrap queue grows 18, 22, 27, 28, 35, probes pass.',
  config: { healthIntervalMs: 1_000, healthPhaseMs: 0 },
  minMinutes: 13,
  script: ({ at, traffic, faults, deployment, prefill }) => {
    const via = { prefill: prefill.instance };
    traffic.start();
    at(-30, () => traffic.pause());
    at(0, () => faults.trouble(prefill, 'handshakes get lost', (troubles) => (troubles.losesHandshakes = true)));
    for (const [seconds, count] of ARRIVALS) {
      at(seconds, () => repeat(count, () => deployment.clients.send({ promptTokens: 800, outputTokens: 100, via })));
    }
    at(30, () => traffic.start());
  },
};
