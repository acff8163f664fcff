import { evaluate, prepare, queryPlan, type RawSeries, type VersionRange } from '../src/pipeline';
import { SWITCHES, type Switch } from '../src/pipeline/profiles/versions';
import { familiesOf, readEngineFacts, type EngineFacts } from './recordedFacts';

/**
 * Which releases an engine may be of, told from everything that a recorded release exposes. Written by hand from
 * docs/sglang-facts.md: a release is told from its neighbours wherever something on the wire differs.
 */
const EXPECTED: Readonly<Record<string, VersionRange>> = {
  // The misspelt inflight gauge ended with 0.5.2.
  '0.4.6.post5': { before: '0.5.2' },
  '0.5.2': { from: '0.5.2', before: '0.5.3' },
  '0.5.4': { from: '0.5.4', before: '0.5.5' },
  '0.5.7': { from: '0.5.7', before: '0.5.8' },
  '0.5.9': { from: '0.5.9', before: '0.5.10' },
  // 0.5.11 differs by families that are not asked for; the bootstrap gauge was renamed in 0.5.12.
  '0.5.10': { from: '0.5.10', before: '0.5.12' },
  '0.5.12': { from: '0.5.12', before: '0.5.13' },
  '0.5.16': { from: '0.5.16', before: '0.5.17' },
  // 0.5.19 is the same on the wire.
  '0.5.18': { from: '0.5.18', before: '0.5.20' },
  '0.5.19': { from: '0.5.18', before: '0.5.20' },
  '0.5.20': { from: '0.5.20', before: '0.5.21' },
  '0.5.21': { from: '0.5.21', before: '0.5.22' },
  '0.5.22': { from: '0.5.22', before: '0.5.23' },
  '0.5.23': { from: '0.5.23' },
};

const FACTS = readEngineFacts();
const AT_MS = 60_000;
type Side = 'prefill' | 'decode';

/** Every family of a release as one engine shows it, one series for each value that tells something. */
function exposed(facts: EngineFacts, side: Side): RawSeries[] {
  const isOwn = (value: string): boolean => !/^(prefill|decode)_/.test(value) || value.startsWith(`${side}_`);
  return Object.entries(familiesOf(facts)).flatMap(([family, { labels, samples }]) => {
    const told = { engine_type: facts.engineType[side] };
    const values: Readonly<Record<string, readonly string[]>> = {
      stage: facts.stages.counted,
      mode: facts.modes[family] ?? [],
    };
    const varied = labels.find((label) => label in values);
    const variants = varied
      ? (values[varied] ?? []).filter(isOwn).map((value): Record<string, string> => ({ [varied]: value }))
      : [{}];
    const plain = Object.fromEntries(labels.map((label) => [label, '0']));
    return samples.flatMap((sample) =>
      variants.map((variant) => ({
        labels: {
          ...plain,
          ...('engine_type' in plain ? told : {}),
          ...variant,
          __name__: sample,
          instance: 'engine:1',
          model_name: 'm',
        },
        timesMs: [0, AT_MS],
        values: [1, 1],
      }))
    );
  });
}

const PATTERNS = queryPlan().flatMap(({ expr }) =>
  [...expr.matchAll(/__name__=~"([^"]*)"/g)].map(([, pattern]) => new RegExp(`^(?:${pattern})$`))
);
const isAskedFor = ({ labels }: RawSeries): boolean => PATTERNS.some((p) => p.test(labels['__name__'] ?? ''));

function told(series: readonly RawSeries[], side: Side): VersionRange | undefined {
  const roleMapping = { label: 'instance', [side]: 'engine:1' };
  return evaluate(prepare(series, { roleMapping }), AT_MS)[0]?.engines[0]?.releases;
}

it('has an expectation for every recorded release', () => {
  expect(Object.keys(EXPECTED)).toEqual(FACTS.map(({ version }) => version));
});

describe.each(FACTS.map((facts) => [facts.version, facts] as const))('SGLang %s', (version, facts) => {
  it.each(['prefill', 'decode'] as const)('is told from all that %s exposes', (side) => {
    expect(told(exposed(facts, side), side)).toEqual(EXPECTED[version]);
  });

  it.each(['prefill', 'decode'] as const)('is told from what the query plan asks of %s', (side) => {
    expect(told(exposed(facts, side).filter(isAskedFor), side)).toEqual(EXPECTED[version]);
  });
});

it('looks for nothing that no recorded release has', () => {
  const known = new Set(FACTS.flatMap((facts) => Object.values(familiesOf(facts)).flatMap(({ samples }) => samples)));
  const signs = Object.values<Switch>(SWITCHES).flatMap(({ sign }) => (sign ? [`sglang:${sign.family}`] : []));
  expect(signs.filter((name) => !known.has(name))).toEqual([]);
});
