import { Recorder } from '../recorder';
import { createRun, type Run, type RunOptions } from '../run';
import { type Scenario } from '../scenario';

export const END_MS = Date.parse('2026-09-14T20:48:45Z');

/** Options of a run that ends at the founding record's last instant, on one prefill and one decode engine. */
export function recordOptions(scenario: Scenario, minutes: number, seed = 1): RunOptions {
  return { scenario, seed, endMs: END_MS, minutes, intervalSeconds: 5, prefillCount: 1, decodeCount: 1 };
}

/** One recorded point, read back from the written text. */
export interface Point {
  readonly series: string;
  readonly value: number;
  readonly atMs: number;
}

/** The whole recording as text, and the run in its final state. */
export function record(options: RunOptions): { readonly run: Run; readonly recorder: Recorder; readonly text: string } {
  const run = createRun(options);
  const recorder = new Recorder(run);
  recorder.recordAll();
  return { run, recorder, text: [...recorder.openMetrics()].join('') };
}

/** The points of every series whose name and labels contain all `fragments`. */
export function pointsOf(text: string, ...fragments: readonly string[]): readonly Point[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#') && fragments.every((fragment) => line.includes(fragment)))
    .map((line) => {
      const [, series = '', value, at] = /^(.*\}) (\S+) (\S+)$/.exec(line) ?? [];
      return { series, value: Number(value), atMs: Math.round(Number(at) * 1000) };
    });
}

/** `20:38:03` on the evening of the record. */
export function clock(time: string): number {
  return Date.parse(`2026-09-14T${time}Z`);
}
