import { createRandom } from '../simulator/random';
import { type ScenarioContext } from '../simulator/scenario';
import { type DeploymentConfig } from '../simulator/config';
import { evaluate, prepare, type PipelineEvaluation } from '../src/pipeline';
import { instants, recordScenario, scrapedEvery, T0_MS, type Size } from './recording';

/** Healthy deployments that look stalled, and stalls that look healthy, played by the simulator. */
interface Story {
  readonly seed?: number;
  readonly size?: Size;
  readonly config?: Partial<DeploymentConfig>;
  readonly everyMs: number;
  readonly script: (stage: ScenarioContext) => void;
}

const SECOND = 1000;

function play({ seed = 1, size = { prefill: 1, decode: 1 }, config, everyMs, script }: Story): PipelineEvaluation[] {
  const scenario = { name: 'look-alike', summary: '', minMinutes: 1, config, script };
  const { series, startMs } = recordScenario(scenario, seed, size);
  const fleet = prepare(scrapedEvery(series, everyMs));
  return instants(everyMs, startMs).flatMap((atMs) => evaluate(fleet, atMs));
}

const alarms = (judged: readonly PipelineEvaluation[]): string[] => [
  ...new Set(
    judged.filter((e) => e.verdict.severity === 'critical').map((e) => `${e.verdict.kind} ${e.verdict.stage}`)
  ),
];

/** Exponential gaps of `perSecond` on average; every 12th request or so is followed by a pause of 1 to 4 minutes. */
function trickle(
  stage: ScenarioContext,
  perSecond: number,
  seed: number,
  send: (random: ReturnType<typeof createRandom>) => void
): void {
  const random = createRandom(seed);
  for (let atMs = stage.startMs - 120 * SECOND; atMs < stage.endMs;) {
    atMs += random.exponential(SECOND / perSecond);
    atMs += random.next() < 0.08 ? random.between(60 * SECOND, 240 * SECOND) : 0;
    stage.simulation.at(atMs, () => send(random));
  }
}

describe('healthy, but looks stalled', () => {
  const rates = [0.05, 0.1, 0.2, 0.5];
  const everies = [5 * SECOND, 15 * SECOND];
  const rows = rates.flatMap((perSecond) => everies.map((everyMs) => ({ perSecond, everyMs })));

  // A request that is computed across a scrape counts as scheduled before its tokens do, and is taken for a probe.
  it('a trickle with long pauses and answers of a minute raises no alarm, at any rate and interval', () => {
    const loud = rows.flatMap(({ perSecond, everyMs }) =>
      [1, 2, 3].flatMap((seed) => {
        const judged = play({
          seed,
          everyMs,
          script: (stage) =>
            trickle(stage, perSecond, seed * 77, (random) =>
              stage.deployment.clients.send({
                promptTokens: random.integer(200, 4200),
                outputTokens: random.integer(1500, 2300),
              })
            ),
        });
        return alarms(judged).map((alarm) => `${perSecond}/s, every ${everyMs / SECOND} s, seed ${seed}: ${alarm}`);
      })
    );
    expect(loud).toEqual([]);
  });

  // Decode's transfer stage is entered before prefill computes, so a long compute looks like a transfer that never ends.
  it('a prompt that is computed in chunks for 72 s is no stall, every 5 s', () => {
    const judged = play({
      everyMs: 5 * SECOND,
      config: { prefillTokensPerMs: 2.5, clientTimeoutMs: 600 * SECOND },
      script: ({ traffic, simulation, deployment, t0Ms }) => {
        traffic.start();
        simulation.at(t0Ms - 40 * SECOND, () => traffic.pause());
        simulation.at(t0Ms, () => deployment.clients.send({ promptTokens: 180_000, outputTokens: 100 }));
        simulation.at(t0Ms + 90 * SECOND, () => traffic.start());
      },
    });
    expect(alarms(judged)).toEqual([]);
  });

  // One who leaves may have left the queue or the forward stage uncounted, so both are known only from below.
  it.each(everies)('a long prompt in chunks, and one of those who wait behind it leaves, every %i ms', (everyMs) => {
    const judged = play({
      everyMs,
      config: { prefillTokensPerMs: 2.5, clientTimeoutMs: 600 * SECOND },
      script: ({ traffic, simulation, deployment, t0Ms }) => {
        traffic.start();
        simulation.at(t0Ms - 40 * SECOND, () => traffic.pause());
        simulation.at(t0Ms, () => deployment.clients.send({ promptTokens: 180_000, outputTokens: 100 }));
        [5, 20, 40, 45].forEach((seconds) =>
          simulation.at(t0Ms + seconds * SECOND, () =>
            deployment.clients.send({
              promptTokens: 100,
              outputTokens: 50,
              patienceMs: (seconds === 5 ? 25 : 600) * SECOND,
            })
          )
        );
        simulation.at(t0Ms + 90 * SECOND, () => traffic.start());
      },
    });
    expect(alarms(judged)).toEqual([]);
  });

  it.each(everies)('health probes every 10 s and nothing else are idle, every %i ms', (everyMs) => {
    const judged = play({
      everyMs,
      config: { healthIntervalMs: 10 * SECOND, healthPhaseMs: 0 },
      script: () => undefined,
    });
    expect(new Set(judged.slice(2).map((e) => e.verdict.kind))).toEqual(new Set(['idle']));
  });

  it.each(everies)('engines that are restarted one after the other are no stall, every %i ms', (everyMs) => {
    const judged = play({
      everyMs,
      size: { prefill: 2, decode: 3 },
      script: ({ traffic, simulation, deployment, faults, t0Ms }) => {
        traffic.start();
        deployment.engines.forEach((engine, k) => simulation.at(t0Ms + k * 60 * SECOND, () => faults.restart(engine)));
      },
    });
    expect(alarms(judged)).toEqual([]);
  });
});

describe('stalled, but looks healthy', () => {
  const everies = [5 * SECOND, 15 * SECOND];
  const firstCritical = (judged: readonly PipelineEvaluation[]): PipelineEvaluation | undefined =>
    judged.find((e) => e.verdict.severity === 'critical');

  it.each(everies)('one of eight decode engines stops receiving while seven flow, every %i ms', (everyMs) => {
    const judged = play({
      everyMs,
      size: { prefill: 4, decode: 8 },
      script: ({ traffic, simulation, deployment, faults, t0Ms }) => {
        traffic.start();
        const victim = deployment.engines.find((e) => e.instance === 'decode-3:30002');
        simulation.at(t0Ms, () => victim && faults.killReceiver(victim));
      },
    });
    const named = firstCritical(judged);
    expect(named?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: 'decode-3:30002' });
    // In a pool prefill must first have computed what the engine held: one scrape more.
    expect((named?.atMs ?? Infinity) - T0_MS).toBeLessThanOrEqual(4 * everyMs);
  });

  it.each(everies)('probes every 10 s pass and six old requests still decode, every %i ms', (everyMs) => {
    const judged = play({
      everyMs,
      config: { healthIntervalMs: 10 * SECOND, healthPhaseMs: 0 },
      script: ({ traffic, simulation, deployment, faults, decode, t0Ms }) => {
        traffic.start();
        const long = Array.from({ length: 6 }, (_, k) => ({ promptTokens: 500, outputTokens: 6000 + 400 * k }));
        simulation.at(t0Ms - 20 * SECOND, () => long.forEach((spec) => deployment.clients.send(spec)));
        simulation.at(t0Ms, () => faults.killReceiver(decode));
        simulation.at(t0Ms + 5 * SECOND, () => traffic.retry(5 * SECOND));
      },
    });
    const named = firstCritical(judged);
    expect(named?.verdict).toMatchObject({ kind: 'transfer-stalled', stage: 'decode.transfer' });
    expect((named?.atMs ?? Infinity) - T0_MS).toBeLessThanOrEqual(3 * everyMs);
    expect(judged.filter((e) => e.atMs > T0_MS + 3 * everyMs).every((e) => e.verdict.severity === 'critical')).toBe(
      true
    );
  });

  // Clients that give up after 35 s are aborts too, but the stall's consequence, not its cause.
  it('aborts that follow a stall are not told as its trigger', () => {
    const judged = play({
      everyMs: 15 * SECOND,
      script: ({ traffic, simulation, faults, decode, t0Ms }) => {
        traffic.start();
        simulation.at(t0Ms, () => faults.killReceiver(decode));
      },
    });
    expect(new Set(judged.map((e) => e.verdict.trigger?.size))).toEqual(new Set([undefined]));
  });
});
