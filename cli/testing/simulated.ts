import { readOpenMetrics } from '../../corpus/readOpenMetrics';
import { Recorder } from '../../simulator/recorder';
import { createRun } from '../../simulator/run';
import { SCENARIOS } from '../../simulator/scenarioList';
import type { RawSeries } from '../../src/pipeline';

/** The evening of the record: every recording ends here. */
export const END = '2026-09-14T20:48:45Z';

/** What Prometheus would have stored of half an hour of a simulated deployment, scraped every 5 s. */
export function simulated(name: string): RawSeries[] {
  const scenario = SCENARIOS.find((one) => one.name === name);
  if (scenario === undefined) {
    throw new Error(`no scenario ${name}`);
  }
  const run = createRun({
    scenario,
    seed: 1,
    endMs: Date.parse(END),
    minutes: 30,
    intervalSeconds: 5,
    prefillCount: 1,
    decodeCount: 1,
  });
  const recorder = new Recorder(run);
  recorder.recordAll();
  return readOpenMetrics([...recorder.openMetrics()].join(''));
}
