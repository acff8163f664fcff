import { groupEngines, groupPipelines } from './engines';
import type { PipelineOptions, RawSeries, Role } from './model';

const one = (labels: Record<string, string>, name = 'sglang:num_running_reqs'): RawSeries => ({
  labels: { __name__: name, ...labels },
  timesMs: [0, 1],
  values: [0, 1],
});
const STAGE = 'sglang:per_stage_req_latency_seconds_count';
const mapping = { label: 'pod', prefill: 'pre-.*', decode: 'dec-.*' };

describe('the role of an engine', () => {
  const rows: ReadonlyArray<[string, RawSeries[], PipelineOptions, Role | undefined]> = [
    ['engine_type tells it', [one({ engine_type: 'decode' })], {}, 'decode'],
    [
      'engine_type wins over the mapping',
      [one({ engine_type: 'decode', pod: 'pre-1' })],
      { roleMapping: mapping },
      'decode',
    ],
    [
      '"unified" up to 0.5.8 tells nothing, the mapping does',
      [one({ engine_type: 'unified', pod: 'pre-1' })],
      { roleMapping: mapping },
      'prefill',
    ],
    [
      'the mapping is anchored',
      [one({ engine_type: 'unified', pod: 'my-pre-1' })],
      { roleMapping: mapping },
      'unified',
    ],
    [
      'else the stages it has counted',
      [one({ engine_type: 'unified' }), one({ stage: 'decode_prepare' }, STAGE)],
      {},
      'decode',
    ],
    [
      'stages of both sides tell nothing',
      [one({ stage: 'decode_prepare' }, STAGE), one({ stage: 'prefill_forward' }, STAGE)],
      {},
      undefined,
    ],
    [
      'both engine types on one target tell nothing',
      [one({ engine_type: 'decode' }), one({ engine_type: 'prefill' })],
      {},
      undefined,
    ],
    ['nothing tells', [one({})], {}, undefined],
    ['an empty pattern maps nothing', [one({ pod: '' })], { roleMapping: { label: 'pod', prefill: '' } }, undefined],
    ['a label that no series has', [one({})], { roleMapping: { label: 'pod', decode: '.+' } }, undefined],
  ];
  it.each(rows)('%s', (_why, series, options, expected) => {
    const all = series.map((s) => ({ ...s, labels: { instance: 'a:1', ...s.labels } }));
    expect(groupEngines(all, options).engines.map((e) => e.role)).toEqual([expected]);
  });

  it('a router is known by its metric names, also on the instance of an engine', () => {
    const series = [
      one({ instance: 'a:1', engine_type: 'prefill' }),
      one({ instance: 'a:1' }, 'smg_http_requests_total'),
    ];
    expect(
      groupEngines(series, {})
        .engines.map((e) => e.role)
        .sort()
    ).toEqual(['prefill', 'router']);
  });

  it('a pattern that is no regular expression is a problem, and the other one still counts', () => {
    const options = { roleMapping: { label: 'pod', prefill: '(', decode: 'dec-.*' } };
    const { engines, problems } = groupEngines([one({ instance: 'a:1', pod: 'dec-1' })], options);
    expect(engines.map((e) => e.role)).toEqual(['decode']);
    expect(problems).toMatchObject([{ kind: 'unknown-role', text: expect.stringContaining('prefill') }]);
  });
});

describe('which series are one engine', () => {
  const ids = (...series: RawSeries[]): string[] => groupEngines(series, {}).engines.map((e) => e.id);
  it('the scrape target', () => {
    expect(ids(one({ instance: 'a:1' }), one({ instance: 'b:1' }), one({ instance: 'a:1', tp_rank: '1' }))).toEqual([
      'a:1',
      'b:1',
    ]);
  });
  it('behind a gateway, the worker', () => {
    expect(ids(one({ instance: 'g', worker_addr: 'w1' }), one({ instance: 'g', worker_addr: 'w2' }))).toEqual([
      'w1',
      'w2',
    ]);
  });
  it('without any of these, all together and named as such', () => {
    expect(ids(one({}))).toEqual(['engine without an instance label']);
  });
  it('foreign metrics are no engine', () => {
    expect(ids(one({ instance: 'n' }, 'node_cpu_seconds_total'), one({ instance: 'n' }, 'up'))).toEqual([]);
  });
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
  it('a router alone', () => {
    expect(pipelines(['r', 'router', ''])).toEqual(['router only: r']);
  });
});
