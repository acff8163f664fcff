import { type Engine } from '../simulator/engine';
import { type ScenarioContext } from '../simulator/scenario';
import { SGLANG_0_5_18, SGLANG_0_5_9, type VersionProfile } from '../simulator/versionProfile';
import { evaluate, prepare, timeline, type PipelineEvaluation } from '../src/pipeline';
import { isAlarm, said } from './play';
import { END_MS, instants, recordScenario, scrapedEvery, T0_MS, type Recording, type Size } from './recording';

const SECOND = 1000;
const SIZES = { '1P1D': { prefill: 1, decode: 1 }, '4P8D': { prefill: 4, decode: 8 } } as const;
const CHANGES = { upgrade: [SGLANG_0_5_9, SGLANG_0_5_18], rollback: [SGLANG_0_5_18, SGLANG_0_5_9] } as const;
/** A drained engine is replaced within this time, the next one is drained this much later. */
const DOWN_MS = 10 * SECOND;
const BREATH_MS = 5 * SECOND;

/** A pool is rolled engine by engine; engines that are alone are restarted, and their requests are lost. */
function change({ simulation, faults, deployment, t0Ms }: ScenarioContext, to: VersionProfile, isPool: boolean): void {
  const queue = [...deployment.engines];
  const next = (): void => {
    const engine = queue.shift();
    if (engine) {
      faults.redeploy(engine, DOWN_MS, () => simulation.after(BREATH_MS, next), to);
    }
  };
  if (isPool) {
    simulation.at(t0Ms, next);
  } else {
    queue.forEach((engine, k) => simulation.at(t0Ms + k * 30 * SECOND, () => faults.restart(engine, undefined, to)));
  }
}

interface Story {
  readonly size: Size;
  readonly releases: readonly [VersionProfile, VersionProfile];
  readonly then?: (stage: ScenarioContext, decode: Engine) => void;
}

function record({ size, releases: [from, to], then }: Story): Recording {
  const script = (stage: ScenarioContext): void => {
    stage.traffic.start();
    change(stage, to, size.decode > 1);
    then?.(stage, stage.decode);
  };
  const scenario = { name: 'release-change', summary: '', minMinutes: 1, config: { profile: from }, script };
  return recordScenario(scenario, 1, size);
}

const judgeAll = ({ series, startMs }: Recording, everyMs: number): PipelineEvaluation[] => {
  const fleet = prepare(scrapedEvery(series, everyMs));
  return instants(everyMs, startMs).flatMap((atMs) => evaluate(fleet, atMs));
};

const rows = (['upgrade', 'rollback'] as const).flatMap((way) =>
  (['1P1D', '4P8D'] as const).map((size) => [way, size] as const)
);

describe.each(rows)('a healthy %s of %s', (way, size) => {
  const recording = record({ size: SIZES[size], releases: CHANGES[way] });

  it.each([5, 15])('raises no alarm at any scrape, every %i s', (everyS) => {
    expect(
      judgeAll(recording, everyS * SECOND)
        .filter(({ verdict }) => isAlarm(verdict))
        .map(said)
    ).toEqual([]);
  });

  it('leaves neither a stall nor a recovery in the list of events', () => {
    const fleet = prepare(scrapedEvery(recording.series, 5 * SECOND));
    const { events } = timeline(fleet, fleet.pipelines[0]?.id ?? '', { fromMs: recording.startMs, toMs: END_MS });
    expect(events.filter((e) => ['stall-start', 'recovery'].includes(e.kind))).toEqual([]);
  });
});

describe.each(rows)('a fault after the %s of %s', (way, size) => {
  it.each([5, 15])('is named, every %i s', (everyS) => {
    const onsetMs = T0_MS + 400 * SECOND;
    const recording = record({
      size: SIZES[size],
      releases: CHANGES[way],
      then: ({ simulation, faults }, decode) => simulation.at(onsetMs, () => faults.killReceiver(decode)),
    });
    const named = judgeAll(recording, everyS * SECOND).find(({ verdict }) => isAlarm(verdict));
    expect(named?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: 'decode-0:30002' });
    expect(named?.atMs).toBeGreaterThanOrEqual(onsetMs);
    expect((named?.atMs ?? Infinity) - onsetMs).toBeLessThanOrEqual(4 * everyS * SECOND + 15 * SECOND);
  });
});
