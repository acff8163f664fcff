import { evaluate, prepare, type KnownDefect, type VerdictKind } from '../src/pipeline';
import { instants, recordScenario, scenarioNamed, T0_MS } from './recording';

/** What was injected is a public report replayed: where its verdict is given, the report is named as a match. */
const EVERY_MS = 5_000;
const ROWS: ReadonlyArray<readonly [scenario: string, kind: VerdictKind, issue: number]> = [
  ['decode-blocked-on-dead-prefill', 'decode-wedged', 31144],
  ['prealloc-pinned', 'decode-admission-blocked', 25561],
  ['transfer-leak', 'decode-admission-blocked', 31800],
  ['abort-not-propagated', 'aborts-not-absorbed', 28651],
  ['bootstrap-probes-only', 'handshake-stalled', 22877],
  ['slow-transfer', 'transfer-slow', 5450],
  ['stale-running-gauge', 'stale-gauge', 26495],
  ['zombies-alone', 'zombie-requests', 36876],
  ['prefill-breaker', 'router-fault', 31206],
  ['pp-divergence', 'rank-divergence', 34572],
];

function defectsOf(scenario: string, kind: VerdictKind, sglangVersion?: string): readonly KnownDefect[] | undefined {
  const { series } = recordScenario(scenarioNamed(scenario), 1, { prefill: 1, decode: 1 });
  const fleet = prepare(series, { sglangVersion });
  const judged = instants(EVERY_MS, T0_MS - 60_000).flatMap((atMs) => evaluate(fleet, atMs));
  return judged.filter(({ verdict }) => verdict.kind === kind).at(-1)?.verdict.knownDefects;
}

it.each(ROWS)('%s is %s and matches #%i', (scenario, kind, issue) => {
  expect(defectsOf(scenario, kind)?.map((defect) => defect.issue)).toContain(`sgl-project/sglang#${issue}`);
});

it('a release that has the fix does not match', () => {
  expect(defectsOf('stale-running-gauge', 'stale-gauge', '0.5.16')).toEqual([]);
});
