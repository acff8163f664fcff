import { groupEngines } from './engines';
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

  const rows: ReadonlyArray<[string, RawSeries[], string[]]> = [
    [
      'the same address in two clusters is two engines, each named with its cluster',
      [one({ instance: 'a:1', job: 'd', cluster: 'eu' }), one({ instance: 'a:1', job: 'd', cluster: 'us' })],
      ['a:1 (eu)', 'a:1 (us)'],
    ],
    [
      'two pods on one machine whose name is the instance',
      [one({ instance: 'node-1', job: 's', pod: 'p-0' }), one({ instance: 'node-1', job: 's', pod: 'd-0' })],
      ['node-1 (d-0)', 'node-1 (p-0)'],
    ],
    [
      'two jobs on one machine whose name is the instance',
      [one({ instance: 'node-1', job: 'prefill' }), one({ instance: 'node-1', job: 'decode' })],
      ['node-1 (decode)', 'node-1 (prefill)'],
    ],
    [
      'no single label tells three apart, so all that differ do',
      [
        one({ instance: 'n', pod: 'a', cluster: 'eu' }),
        one({ instance: 'n', pod: 'b', cluster: 'eu' }),
        one({ instance: 'n', pod: 'a', cluster: 'us' }),
      ],
      ['n (a, eu)', 'n (a, us)', 'n (b, eu)'],
    ],
    [
      'pods, where there is no instance',
      [one({ pod: 'd-0', job: 's' }), one({ pod: 'd-1', job: 's' })],
      ['d-0', 'd-1'],
    ],
    [
      'the origin, where a federating Prometheus kept its labels aside',
      [
        one({ instance: 'prom:9090', exported_instance: 'a:1' }),
        one({ instance: 'prom:9090', exported_instance: 'b:1' }),
      ],
      ['a:1', 'b:1'],
    ],
    [
      'labels that are on some of its metrics only divide no engine',
      [one({ instance: 'a:1', namespace: 'x' }), one({ instance: 'a:1' }, 'sglang:http_requests_total')],
      ['a:1'],
    ],
    [
      'another node of an engine that spans several is none: it counts for its ranks only',
      [
        one({ instance: 'a:1', tp_rank: '0', pp_rank: '0' }),
        one({ instance: 'b:1', tp_rank: '8', pp_rank: '0', stage: 'decode_prepare' }, STAGE),
        one({ instance: 'b:1' }, 'pdflow_rank_spread'),
        one({ instance: 'b:1' }, 'sglang:scheduler_idle_seconds_total'),
      ],
      ['a:1'],
    ],
    [
      'nor is one of later pipeline ranks',
      [one({ instance: 'a:1', pp_rank: '0' }), one({ instance: 'b:1', tp_rank: '0', pp_rank: '1' })],
      ['a:1'],
    ],
    [
      'a node that leads data-parallel ranks of its own publishes their gauges',
      [one({ instance: 'a:1', tp_rank: '0', dp_rank: '0' }), one({ instance: 'b:1', tp_rank: '8', dp_rank: '2' })],
      ['a:1', 'b:1'],
    ],
  ];
  it.each(rows)('%s', (_why, series, expected) => {
    expect(ids(...series)).toEqual(expected);
  });

  it('keeps what is said of each of two equal addresses apart', () => {
    const in_ = (cluster: string, value: number): RawSeries[] => [
      one({ instance: 'a:1', cluster }),
      { labels: { __name__: 'up', instance: 'a:1', cluster }, timesMs: [0], values: [value] },
    ];
    const { engines } = groupEngines([...in_('eu', 1), ...in_('us', 0)], {});
    expect(engines.map((e) => [e.id, e.series.length, e.up?.values])).toEqual([
      ['a:1 (eu)', 1, [1]],
      ['a:1 (us)', 1, [0]],
    ]);
  });
});

describe('one server that is there more than once', () => {
  const longer = (series: RawSeries): RawSeries => ({ ...series, timesMs: [0, 1, 2], values: [0, 1, 2] });
  const rows: ReadonlyArray<[string, RawSeries[], Array<[string, Record<string, string>]>, string | undefined]> = [
    [
      'under two jobs: the one with more samples',
      [one({ instance: 'a:1', job: 'x' }), longer(one({ instance: 'a:1', job: 'y' }))],
      [['a:1', { instance: 'a:1', job: 'y' }]],
      'a:1',
    ],
    [
      'of two Prometheus servers: the copy with more samples',
      [one({ instance: 'a:1', replica: 'a' }), longer(one({ instance: 'a:1', replica: 'b' }))],
      [['a:1', { instance: 'a:1', replica: 'b' }]],
      'a:1',
    ],
    [
      'directly and through a gateway: directly, for Prometheus tells whether that is up',
      [longer(one({ instance: 'g:9', worker_addr: 'http://a:1' })), one({ instance: 'a:1' })],
      [['a:1', { instance: 'a:1' }]],
      'a:1',
    ],
    [
      'beside its metrics the page of its loads, which repeats none of them',
      [longer(one({ instance: 'a:1', job: 'x', model_name: 'm' })), one({ instance: 'a:1', job: 'y', dp_rank: '0' })],
      [['a:1', { instance: 'a:1', job: 'x', model_name: 'm' }]],
      undefined,
    ],
    [
      'the same port of two machines that both call themselves localhost',
      [one({ instance: 'localhost:1', job: 'x' }), one({ instance: 'localhost:1', job: 'y' })],
      [
        ['localhost:1 (x)', { instance: 'localhost:1', job: 'x' }],
        ['localhost:1 (y)', { instance: 'localhost:1', job: 'y' }],
      ],
      undefined,
    ],
    [
      'two sides at one address are two engines',
      [
        one({ instance: 'a:1', job: 'x', engine_type: 'prefill' }),
        one({ instance: 'a:1', job: 'y', engine_type: 'decode' }),
      ],
      [
        ['a:1 (x)', { instance: 'a:1', job: 'x', engine_type: 'prefill' }],
        ['a:1 (y)', { instance: 'a:1', job: 'y', engine_type: 'decode' }],
      ],
      undefined,
    ],
  ];
  it.each(rows)('%s', (_why, series, expected, told) => {
    const { engines, problems } = groupEngines(series, {});
    expect(engines.map((e) => [e.id, e.series.map((s) => s.labels)])).toEqual(
      expected.map(([id, labels]) => [id, [{ __name__: 'sglang:num_running_reqs', ...labels }]])
    );
    expect(problems).toEqual(
      told === undefined
        ? []
        : [expect.objectContaining({ kind: 'duplicate-series', text: expect.stringContaining(told) })]
    );
  });
});

describe('one server whose labels change', () => {
  const at = (labels: Record<string, string>, samples: Array<[number, number]>, name?: string): RawSeries => ({
    ...one(labels, name),
    timesMs: samples.map(([t]) => t),
    values: samples.map(([, v]) => v),
  });
  const rows: ReadonlyArray<[string, Record<string, string>, Record<string, string>]> = [
    ['its job was renamed', { instance: 'a:1', job: 'old' }, { instance: 'a:1', job: 'new' }],
    ['its pod is told from now on', { instance: 'a:1', job: 'd' }, { instance: 'a:1', job: 'd', pod: 'd-0' }],
    ['another pod listens there', { instance: 'a:1', pod: 'd-0' }, { instance: 'a:1', pod: 'd-1' }],
    ['another Prometheus took over', { instance: 'a:1', replica: 'a' }, { instance: 'a:1', replica: 'b' }],
  ];
  it.each(rows)('goes on as one engine: %s', (_why, before, after) => {
    const series = [
      at(after, [
        [3, 30],
        [4, 40],
      ]),
      at(before, [
        [0, 1],
        [1, 10],
        [2, 20],
      ]),
      at(before, [[0, 1]], 'up'),
      at(after, [[4, 1]], 'up'),
    ];
    const { engines, problems } = groupEngines(series, {});
    expect(engines.map((e) => [e.id, e.series.map((s) => [s.timesMs, s.values]), e.up?.timesMs])).toEqual([
      [
        'a:1',
        [
          [
            [0, 1, 2, 3, 4],
            [1, 10, 20, 30, 40],
          ],
        ],
        [0, 4],
      ],
    ]);
    expect(problems).toEqual([]);
  });
});

describe('an engine that was down before the range', () => {
  const up = (labels: Record<string, string>, ...values: number[]): RawSeries => ({
    labels: { __name__: 'up', ...labels },
    timesMs: values.map((_, i) => i),
    values,
  });
  const prefill = one({ instance: 'p:1', job: 'prefill', engine_type: 'prefill', model_name: 'm' });
  const decode = one({ instance: 'd:1', job: 'decode', engine_type: 'decode', model_name: 'm' });
  const rows: ReadonlyArray<
    [string, RawSeries[], PipelineOptions, Array<[string, Role | undefined, string | undefined]>]
  > = [
    [
      'is the side that is missing, where its job has no other engine',
      [prefill, up({ instance: 'd:1', job: 'decode' }, 0, 0)],
      {},
      [
        ['d:1', 'decode', 'm'],
        ['p:1', 'prefill', 'm'],
      ],
    ],
    [
      'is what the other engines of its job are',
      [prefill, decode, up({ instance: 'd:2', job: 'decode' }, 0, 0)],
      {},
      [
        ['d:1', 'decode', 'm'],
        ['d:2', 'decode', 'm'],
        ['p:1', 'prefill', 'm'],
      ],
    ],
    [
      'is the side that is missing, where all are scraped under one job',
      [one({ instance: 'p:1', engine_type: 'prefill', model_name: 'm' }), up({ instance: 'x:1' }, 0, 0)],
      {},
      [
        ['p:1', 'prefill', 'm'],
        ['x:1', 'decode', 'm'],
      ],
    ],
    [
      'is what its name says',
      [one({ instance: 'p:1', engine_type: 'prefill', model_name: 'm' }), up({ instance: 'prefill-1:1' }, 0, 0)],
      {},
      [
        ['p:1', 'prefill', 'm'],
        ['prefill-1:1', 'prefill', 'm'],
      ],
    ],
    [
      'is what the mapping says',
      [prefill, decode, up({ instance: 'x:1', pod: 'dec-9' }, 0)],
      { roleMapping: mapping },
      [
        ['d:1', 'decode', 'm'],
        ['p:1', 'prefill', 'm'],
        ['x:1', 'decode', 'm'],
      ],
    ],
    [
      'is left out where no side is missing',
      [prefill, decode, up({ instance: 'x:1', job: 'embed' }, 0)],
      {},
      [
        ['d:1', 'decode', 'm'],
        ['p:1', 'prefill', 'm'],
      ],
    ],
    [
      'is left out where two jobs could be the missing side',
      [prefill, up({ instance: 'x:1', job: 'x' }, 0), up({ instance: 'y:1', job: 'y' }, 0)],
      {},
      [['p:1', 'prefill', 'm']],
    ],
    [
      'is none that was up for a while',
      [prefill, up({ instance: 'd:1', job: 'd' }, 0, 1, 0)],
      {},
      [['p:1', 'prefill', 'm']],
    ],
  ];
  it.each(rows)('%s', (_why, series, options, expected) => {
    expect(groupEngines(series, options).engines.map((e) => [e.id, e.role, e.model])).toEqual(expected);
  });
});

describe('the start of a process, told by another exporter', () => {
  const engine = { job: 'sglang', instance: 'a:30000', namespace: 'prod', prometheus: 'one' };
  const exporter = { ...engine, job: 'processes' };
  const rows: ReadonlyArray<[string, Record<string, string>, Record<string, string>, boolean]> = [
    ['under another job, at the same address', engine, exporter, true],
    ['by another Prometheus server', engine, { ...exporter, prometheus: 'two' }, true],
    ['of another namespace', engine, { ...exporter, namespace: 'test' }, false],
    ['at another port', engine, { ...exporter, instance: 'a:9256' }, false],
    [
      'of a host under whose name many are scraped',
      { job: 'sglang', instance: 'a' },
      { job: 'node', instance: 'a' },
      false,
    ],
    ['by its own job there', { job: 'sglang', instance: 'a' }, { job: 'sglang', instance: 'a' }, true],
  ];
  it.each(rows)('%s', (_why, target, other, isTold) => {
    const { engines } = groupEngines([one(target), one(other, 'process_start_time_seconds')], {});
    expect(engines.map((e) => e.processStart !== undefined)).toEqual([isTold]);
  });
});
