import { groupEngines } from './engines';
import { groupPipelines } from './groups';
import type { RawSeries, Role } from './model';

const one = (labels: Record<string, string>, name = 'sglang:num_running_reqs'): RawSeries => ({
  labels: { __name__: name, ...labels },
  timesMs: [0, 1],
  values: [0, 1],
});

describe('which engines are one pipeline', () => {
  const pipelines = (...engines: Array<[string, Role, string]>): string[] =>
    groupPipelines(
      groupEngines(
        engines.map(([instance, role, model]) =>
          role === 'router'
            ? one({ instance }, 'smg_http_requests_total')
            : one({ instance, engine_type: role, model_name: model })
        ),
        {}
      ).engines
    ).map((p) => `${p.id}: ${p.engines.map((e) => e.id).join(' ')}`);

  it('those of the same model, with every router', () => {
    expect(
      pipelines(
        ['p', 'prefill', 'm'],
        ['d', 'decode', 'm'],
        ['p2', 'prefill', 'n'],
        ['d2', 'decode', 'n'],
        ['r', 'router', '']
      )
    ).toEqual(['m: d p r', 'n: d2 p2 r']);
  });
  it('two one-sided models are one pipeline', () => {
    expect(pipelines(['p', 'prefill', 'm'], ['d', 'decode', 'n'])).toEqual(['n + m: d p']);
  });
  type Row = [string, Array<Record<string, string>>, string[]];
  const P = { role: 'prefill', model_name: 'm' };
  const D = { role: 'decode', model_name: 'm' };
  const R = { role: 'router' };
  const rows: readonly Row[] = [
    [
      'a namespace divides a model of which each part has both sides',
      [
        { ...P, instance: 'p', namespace: 'x' },
        { ...D, instance: 'd', namespace: 'x' },
        { ...P, instance: 'p2', namespace: 'y' },
        { ...D, instance: 'd2', namespace: 'y' },
      ],
      ['m (x): d p', 'm (y): d2 p2'],
    ],
    [
      'pools with a namespace each are one pipeline',
      [
        { ...P, instance: 'p', namespace: 'x' },
        { ...D, instance: 'd', namespace: 'y' },
      ],
      ['m: d p'],
    ],
    [
      'one side alone in a second namespace divides nothing',
      [
        { ...P, instance: 'p', namespace: 'x' },
        { ...D, instance: 'd', namespace: 'x' },
        { ...D, instance: 'd2', namespace: 'y' },
      ],
      ['m: d d2 p'],
    ],
    [
      'clusters divide, and in them not the namespaces of the pools',
      ['eu', 'us'].flatMap((cluster) => [
        { ...P, instance: `${cluster}-p`, cluster, namespace: 'x' },
        { ...D, instance: `${cluster}-d`, cluster, namespace: 'y' },
      ]),
      ['m (eu): eu-d eu-p', 'm (us): us-d us-p'],
    ],
    [
      'a router goes with the engines of its namespace',
      ['x', 'y'].flatMap((namespace) => [
        { ...P, instance: `p-${namespace}`, namespace },
        { ...D, instance: `d-${namespace}`, namespace },
        { ...R, instance: `r-${namespace}`, namespace },
      ]),
      ['m (x): d-x p-x r-x', 'm (y): d-y p-y r-y'],
    ],
    [
      'a router with the model of its series',
      ['m', 'n'].flatMap((model) => [
        { ...P, instance: `p-${model}`, model_name: model },
        { ...D, instance: `d-${model}`, model_name: model },
        { ...R, instance: `r-${model}`, model },
      ]),
      ['m: d-m p-m r-m', 'n: d-n p-n r-n'],
    ],
    [
      'a router with the workers that it names, whatever it calls the model',
      ['m', 'n'].flatMap((model) => [
        { ...P, instance: `p-${model}:1`, model_name: model },
        { ...D, instance: `d-${model}:1`, model_name: model },
        { ...R, instance: `r-${model}`, model: 'm', worker: `http://d-${model}:1` },
      ]),
      ['m: d-m:1 p-m:1 r-m', 'n: d-n:1 p-n:1 r-n'],
    ],
    [
      'a router in a namespace of its own with all',
      [
        ...['x', 'y'].flatMap((namespace) => [
          { ...P, instance: `p-${namespace}`, namespace },
          { ...D, instance: `d-${namespace}`, namespace },
        ]),
        { ...R, instance: 'r', namespace: 'gateway' },
      ],
      ['m (x): d-x p-x r', 'm (y): d-y p-y r'],
    ],
  ];
  it.each(rows)('%s', (_why, engines, expected) => {
    const series = engines.map(({ role = '', ...labels }) =>
      role === 'router' ? one(labels, 'smg_worker_selection_total') : one({ ...labels, engine_type: role })
    );
    const found = groupPipelines(groupEngines(series, {}).engines);
    expect(found.map((p) => `${p.id}: ${p.engines.map((e) => e.id).join(' ')}`)).toEqual(expected);
  });

  it('a router alone', () => {
    expect(pipelines(['r', 'router', ''])).toEqual(['router only: r']);
  });
});
