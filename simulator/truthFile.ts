import { type StageCount } from './recorder';
import { type Run } from './run';

/** JSON for tests elsewhere: what was injected and when, and where the requests really were at each sample. */
export function renderTruth(run: Run, stageCounts: readonly StageCount[]): string {
  const { options, truth, startMs, endMs, t0Ms } = run;
  const content = {
    scenario: options.scenario.name,
    summary: options.scenario.summary,
    seed: options.seed,
    intervalSeconds: options.intervalSeconds,
    evidence: options.evidence ?? 'full',
    startMs,
    t0Ms,
    endMs,
    events: truth.events
      .filter(({ atMs }) => atMs >= startMs)
      .map((event) => ({ at: new Date(event.atMs).toISOString(), ...event })),
    stageCounts,
  };
  return `${JSON.stringify(content, null, 1)}\n`;
}
