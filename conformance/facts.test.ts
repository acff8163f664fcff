import { ROUTER_SIGNALS, SIGNALS, type AnySignalId, type Signal } from '../src/pipeline/profiles/sglang';
import { createWorld } from '../simulator/testing/world';
import { SGLANG_0_5_12 } from '../simulator/versionProfile';
import { LAST, ROUTER_ABSENT, SINCE } from './claims';
import {
  compareVersions,
  familiesOf,
  familyOfSample,
  readEngineFacts,
  readRouterFacts,
  type EngineFacts,
  type Families,
} from './recordedFacts';

const ENGINES = readEngineFacts();
const ROUTERS = readRouterFacts();
const COUNTER_TYPES = ['counter', 'histogram'];
/** Labels that are added outside of the package: by the scrape, or by our own reading. */
const EXTRA_LABELS = ['le'];
/** The simulator writes it; every release since 0.5.10 declares it and none writes it. */
const UNWRITTEN_STAGES = ['quick_finish'];

const engineSignals: Array<[AnySignalId, Signal]> = Object.entries(SIGNALS).map(([id, signal]) => [
  // The keys of the table are the ids.
  id as AnySignalId,
  signal,
]);

function isClaimed(id: AnySignalId, version: string): boolean {
  const [since, last] = [SINCE[id], LAST[id]];
  return (
    since !== undefined &&
    compareVersions(version, since) >= 0 &&
    (last === undefined || compareVersions(version, last) <= 0)
  );
}

/** Why a release does not expose this signal, or undefined when it does. */
function missing(signal: Signal, facts: EngineFacts): string | undefined {
  const families = familiesOf(facts);
  for (const name of signal.names) {
    const found = familyOfSample(families, `sglang:${name}`);
    if (found === undefined) {
      continue;
    }
    const [family, { type, labels }] = found;
    const isRightType = signal.kind === 'gauge' ? type === 'gauge' : COUNTER_TYPES.includes(type);
    if (!isRightType) {
      return `${name} is a ${type}`;
    }
    const wanted = [...(signal.where ? [signal.where.label] : []), ...(signal.matching?.labels ?? [])];
    if (wanted.length > 0 && !wanted.some((label) => labels.includes(label))) {
      return `${name} has no label ${wanted.join(' or ')}`;
    }
    return missingValue(signal, family, facts);
  }
  return `${signal.names.join(' or ')} does not exist`;
}

function missingValue(signal: Signal, family: string, facts: EngineFacts): string | undefined {
  if (signal.where?.label === 'stage') {
    return facts.stages.counted.includes(signal.where.value) ? undefined : `stage ${signal.where.value} is not counted`;
  }
  const modes = facts.modes[family] ?? [];
  if (signal.where?.label === 'mode') {
    return modes.includes(signal.where.value) ? undefined : `mode ${signal.where.value} is not written`;
  }
  if (signal.matching?.labels.includes('mode')) {
    const pattern = new RegExp(`^(?:${signal.matching.pattern})$`);
    return modes.some((mode) => pattern.test(mode)) ? undefined : `no mode matches ${signal.matching.pattern}`;
  }
  return undefined;
}

describe('signals of the SGLang profile', () => {
  it.each(engineSignals)('%s: claims a first release', (id) => {
    expect(SINCE[id]).toBeDefined();
  });

  describe.each(ENGINES.map((facts) => [facts.version, facts] as const))('in SGLang %s', (version, facts) => {
    it.each(engineSignals)('%s is exposed exactly when it is claimed', (id, signal) => {
      const reason = missing(signal, facts);
      if (isClaimed(id, version)) {
        expect(reason).toBeUndefined();
      } else {
        expect(reason).toBeDefined();
      }
    });
  });

  const RANKED = ENGINES.filter(({ version }) => compareVersions(version, '0.5.2') >= 0);
  it.each(engineSignals.filter(([, { perRank }]) => perRank === true))(
    '%s has the rank labels by which leaders are told apart, wherever it is exposed',
    (_id, { names }) => {
      const found = RANKED.flatMap((facts) =>
        names.flatMap((name) => familyOfSample(familiesOf(facts), `sglang:${name}`)?.[1] ?? [])
      );
      expect(found).not.toEqual([]);
      for (const { labels } of found) {
        expect(labels).toEqual(expect.arrayContaining(['engine_type', 'pp_rank', 'tp_rank']));
      }
    }
  );
});

describe('cadence that the rules rely on', () => {
  it.each(ENGINES.map((facts) => [facts.version, facts] as const))('%s pushes as expected', (_version, facts) => {
    expect(facts.decodeLogInterval).toBe(40);
    expect(facts.idleRefreshSeconds).toEqual([30]);
  });

  it('tells the role by engine_type since 0.5.9', () => {
    for (const { version, engineType } of ENGINES) {
      const isTold = compareVersions(version, '0.5.9') >= 0;
      expect(engineType).toEqual(
        isTold
          ? { prefill: 'prefill', decode: 'decode', null: 'unified' }
          : { prefill: 'unified', decode: 'unified', null: 'unified' }
      );
    }
  });

  it('ends an HTTP response with its stream since 0.5.10, with its headers before', () => {
    const moments = ENGINES.flatMap(({ version, http }) => (http ? [[version, http.responseCountedAt] as const] : []));
    expect(new Set(moments.map(([, moment]) => moment))).toEqual(new Set(['response headers', 'end of stream']));
    for (const [version, moment] of moments) {
      expect(`${version}: ${moment}`).toBe(
        `${version}: ${compareVersions(version, '0.5.10') >= 0 ? 'end of stream' : 'response headers'}`
      );
    }
  });
});

/** A family without the label that tells the side carries the side in its name. */
const isReadable = ({ where, matching }: Signal, labels: readonly string[]): boolean =>
  where !== undefined || !matching || matching.labels.some((label) => labels.includes(label));

describe('signals of the routers', () => {
  const signals = Object.entries(ROUTER_SIGNALS);

  describe.each(ROUTERS.map((facts) => [`${facts.package} ${facts.version}`, facts] as const))(
    'in %s',
    (name, facts) => {
      it.each(signals)('%s is exposed exactly when it is claimed', (id, signal: Signal) => {
        const family = signal.names.map((sample) => familyOfSample(facts.metrics, sample)?.[1]).find(Boolean);
        const isAbsent = ROUTER_ABSENT[name]?.some((absent) => absent === id) ?? false;
        expect(family?.type === signal.kind && isReadable(signal, family.labels)).toBe(!isAbsent);
      });
    }
  );
});

describe('the simulator', () => {
  const facts = ENGINES.find(({ version }) => version === SGLANG_0_5_12.version);
  const world = createWorld({ healthIntervalMs: 5_000 });
  world.send({ promptTokens: 300, outputTokens: 60 });
  const left = world.send({ promptTokens: 20_000, outputTokens: 20 });
  world.runTo(1);
  world.deployment.router.drop(left);
  world.runTo(40);

  const written = (target: typeof world.decode | typeof world.deployment.router): Array<[string, string, string]> => {
    const samples = target.scrape() ?? [];
    const rows = samples.map(({ name, labels, family }): [string, string, string] => [
      name,
      family.type,
      [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label).join(),
    ]);
    return [...new Map(rows.map((row) => [row.join(' '), row])).values()];
  };

  function expectKnown(families: Families, [name, type, labels]: [string, string, string]): void {
    const found = familyOfSample(families, name)?.[1];
    expect(found?.type).toBe(type);
    const known = [...(found?.labels ?? []), ...EXTRA_LABELS];
    expect(labels === '' ? [] : labels.split(',').filter((label) => !known.includes(label))).toEqual([]);
  }

  it('names a release that is recorded', () => {
    expect(facts).toBeDefined();
  });

  it.each([...written(world.prefill), ...written(world.decode)])('writes %s as a %s with known labels %s', (...row) => {
    expectKnown(facts ? familiesOf(facts) : {}, row);
  });

  it('counts only stages that the release counts', () => {
    const stages = [world.prefill, world.decode]
      .flatMap((engine) => engine.scrape() ?? [])
      .flatMap(({ labels }) => /stage="(\w+)"/.exec(labels)?.[1] ?? []);
    const known = [...(facts?.stages.counted ?? []), ...UNWRITTEN_STAGES];
    expect(stages.filter((stage) => !known.includes(stage))).toEqual([]);
  });

  it.each(written(world.deployment.router))('writes %s of the router as a %s with known labels %s', (...row) => {
    const likeOurs = ROUTERS.filter(({ metrics }) => 'smg_http_requests_total' in metrics);
    expect(likeOurs).not.toEqual([]);
    likeOurs.forEach(({ metrics }) => expectKnown(metrics, row));
  });
});
