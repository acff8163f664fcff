import { clock, decodeFlow, engine, prefillFlow } from '../../testing/traces';
import { canary, gpu, nixlSent, schedulerCpu } from '../../testing/witnesses';
import { prepare, type Pipeline } from '../fleet';
import type { RawSeries } from '../model';

const TIME = clock(2);
const model = (name: string): Record<string, string> => ({ model_name: name });
const pair = (name: string, p: string, d: string): RawSeries[] => [
  ...engine(TIME, { id: p, role: 'prefill', counters: prefillFlow(3), labels: model(name) }),
  ...engine(TIME, { id: d, role: 'decode', counters: decodeFlow(3), labels: model(name) }),
];
const ONE = pair('one', 'a:30000', 'b:30002');
const TWO = pair('two', 'c:30000', 'd:30002');
const pipelines = (series: readonly RawSeries[]): readonly Pipeline[] => prepare(series).pipelines;

describe('a canary', () => {
  const heard = (series: readonly RawSeries[], labels?: Record<string, string>): string[] =>
    pipelines([...series, ...canary(TIME, { isAnswered: () => true, requests: 3, labels })]).flatMap((p) =>
      p.witnesses.canaries.map(() => p.id)
    );
  const rows: ReadonlyArray<[string, RawSeries[], Record<string, string>, string[]]> = [
    ['speaks for the only pipeline', ONE, {}, ['one']],
    ['speaks for none of two that it might try', [...ONE, ...TWO], {}, []],
    ['speaks for the pipeline of its model', [...ONE, ...TWO], { model_name: 'two' }, ['two']],
    ['of another model speaks for none', ONE, { model_name: 'two' }, []],
    ['has labels that the engines do not have', ONE, { cluster: 'eu', namespace: 'prod' }, ['one']],
  ];
  it.each(rows)('%s', (_why, series, labels, expected) => {
    expect(heard(series, labels)).toEqual(expected);
  });
  it('may be stored by another Prometheus server, or by two', () => {
    const here = ONE.map((s) => ({ ...s, labels: { ...s.labels, prometheus: 'a', replica: '0' } }));
    const there = { prometheus: 'b', replica: '1' };
    expect(heard(here, there)).toEqual(['one']);
    const twice = ['0', '1'].flatMap((replica) =>
      canary(TIME, { isAnswered: () => true, requests: 3, labels: { replica } })
    );
    expect(heard([...ONE, ...twice], there)).toEqual(['one']);
  });
  it('of another environment speaks for none', () => {
    const staging = ONE.map((s) => ({ ...s, labels: { ...s.labels, environment: 'staging' } }));
    expect(heard(staging, { environment: 'live' })).toEqual([]);
  });
  it('of another namespace speaks for none', () => {
    const inProd = ONE.map((s) => ({ ...s, labels: { ...s.labels, namespace: 'prod' } }));
    expect(heard(inProd, { namespace: 'test' })).toEqual([]);
    expect(heard(inProd, { namespace: 'prod' })).toEqual(['one']);
  });
});

describe('machines', () => {
  const machines = (series: readonly RawSeries[]): Array<[string, number, boolean]> =>
    pipelines(series).flatMap((p) =>
      [...p.witnesses.machines].map(([id, m]): [string, number, boolean] => [id, m.gpus.length, m.isShared])
    );
  it('belong to the engine on their host', () => {
    const gpus = [0, 1].flatMap((k) => gpu(TIME, { util: 0, labels: { UUID: `${k}`, instance: 'b:9400' } }));
    expect(machines([...ONE, ...gpus])).toEqual([['b:30002', 2, false]]);
  });
  it('are shared where two engines run on one host', () => {
    const together = pair('one', 'a:30000', 'a:30002');
    expect(machines([...together, ...schedulerCpu(TIME, 'a', 1)])).toEqual([
      ['a:30000', 0, true],
      ['a:30002', 0, true],
    ]);
  });
  it('come once, also when two labels tell where they are', () => {
    const twice = gpu(TIME, { util: 0, labels: { instance: 'b:9400', Hostname: 'b' } });
    const again = twice.map((s) => ({ ...s, labels: { ...s.labels, pdflow_host: 'b' } }));
    expect(machines([...ONE, ...twice, ...again])).toEqual([['b:30002', 1, false]]);
  });
  it('nothing is known of those that no exporter watches', () => {
    expect(machines(ONE)).toEqual([]);
  });
});

it('a NIXL agent belongs to a pipeline, unless engines of another run on its host', () => {
  const agents = (series: readonly RawSeries[]): number[] => pipelines(series).map((p) => p.witnesses.agents.length);
  expect(agents([...ONE, ...TWO, nixlSent(TIME, 'a', 10)])).toEqual([1, 0]);
  expect(agents([...ONE, ...pair('two', 'a:30100', 'a:30102'), nixlSent(TIME, 'a', 10)])).toEqual([0, 0]);
});
