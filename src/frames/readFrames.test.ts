import { DataFrameType, dateTime, FieldType, toDataFrame, type DataFrame, type Field } from '@grafana/data';
import { readFrames } from './readFrames';

const T = [1000, 2000, 3000];
const NAME = 'sglang:num_running_reqs';

const time = (values: unknown[] = T, name = 'Time'): Field => ({ name, type: FieldType.time, config: {}, values });
const value = (values: unknown[], rest: Partial<Field> = {}): Field => ({
  name: 'Value',
  type: FieldType.number,
  config: {},
  values,
  ...rest,
});
const text = (name: string, values: unknown[]): Field => ({ name, type: FieldType.string, config: {}, values });
const frame = (fields: Field[], rest: Partial<DataFrame> = {}): DataFrame => ({ fields, length: T.length, ...rest });
const labelled = (values: unknown[], labels: Record<string, string> = {}): Field =>
  value(values, { labels: { __name__: NAME, ...labels } });

/** Series as `name{label=value}: time=value …`, readable in a table. */
function read(frames: DataFrame[]): { series: string[]; problems: string[] } {
  const { series, problems } = readFrames(frames);
  return {
    series: series.map(({ labels: { __name__, ...rest }, timesMs, values }) => {
      const inner = Object.entries(rest).map(([key, one]) => `${key}=${one}`);
      return `${__name__}{${inner.join()}}: ${timesMs.map((at, index) => `${at}=${values[index]}`).join(' ')}`;
    }),
    problems: problems.map(({ kind }) => kind),
  };
}

interface Row {
  sentence: string;
  frames: DataFrame[];
  series: string[];
  problems?: string[];
}

const CONTRACT = { pdflow: { version: 1, planned: 'sampled', name: 'pdflow_sample_time_seconds', options: {} } };

const rows: Row[] = [
  { sentence: 'no frames are no series and no problem', frames: [], series: [] },
  {
    sentence: 'one frame per series, as Prometheus answers a range query',
    frames: [frame([time(), labelled([1, 2, 3], { instance: 'd' })]), frame([time(), labelled([4, 5, 6])])],
    series: [`${NAME}{instance=d}: 1000=1 2000=2 3000=3`, `${NAME}{}: 1000=4 2000=5 3000=6`],
  },
  {
    sentence: 'several value columns in one wide frame, where null means no sample',
    frames: [frame([time(), labelled([1, null, 3], { i: 'a' }), labelled([null, null, 7], { i: 'b' })])],
    series: [`${NAME}{i=a}: 1000=1 3000=3`, `${NAME}{i=b}: 3000=7`],
  },
  {
    sentence: 'table format: text columns are labels, an empty cell is an absent label',
    frames: [
      frame([
        time([1000, 1000, 2000]),
        text('__name__', [NAME, NAME, NAME]),
        text('pod', ['x', '', 'x']),
        value([1, 2, 3], { name: 'Value #A' }),
      ]),
    ],
    series: [`${NAME}{pod=x}: 1000=1 2000=3`, `${NAME}{}: 1000=2`],
  },
  {
    sentence: 'table format: a number column beside Value is a label',
    frames: [frame([time(), text('__name__', [NAME, NAME, NAME]), value([1, 1, 1], { name: 'le' }), value([7, 8, 9])])],
    series: [`${NAME}{le=1}: 1000=7 2000=8 3000=9`],
  },
  {
    sentence: 'the name that PromQL dropped comes back from the planned query',
    frames: [frame([time(), value([1, 2, 3], { labels: { instance: 'd' } })], { meta: { custom: CONTRACT } })],
    series: ['pdflow_sample_time_seconds{instance=d}: 1000=1 2000=2 3000=3'],
  },
  {
    sentence: 'name and labels come from the legend when the labels are gone',
    frames: [frame([time(), value([1, 2, 3], { config: { displayNameFromDS: `${NAME}{pod="a\\"b", x="1"}` } })])],
    series: [`${NAME}{pod=a"b,x=1}: 1000=1 2000=2 3000=3`],
  },
  {
    sentence: 'the name of the frame is the last resort, and underscores are as good as a colon',
    frames: [frame([time(), value([1, 2, 3])], { name: 'sglang_num_running_reqs{i="a"}' })],
    series: ['sglang_num_running_reqs{i=a}: 1000=1 2000=2 3000=3'],
  },
  {
    sentence: 'a legend written by a person is not taken for a metric',
    frames: [frame([time(), value([1, 2, 3])], { name: 'decode queue' })],
    series: [],
    problems: ['unreadable-frame'],
  },
  {
    sentence: 'dates, moments and ISO texts are times',
    frames: [frame([time([new Date(1000), dateTime(2000), '1970-01-01T00:00:03Z']), labelled([1, 2, 3])])],
    series: [`${NAME}{}: 1000=1 2000=2 3000=3`],
  },
  {
    sentence: 'NaN and infinities are left out and told',
    frames: [frame([time(), labelled([NaN, 2, Infinity])])],
    series: [`${NAME}{}: 2000=2`],
    problems: ['non-finite'],
  },
  {
    sentence: 'a series of nothing but NaN is no series',
    frames: [frame([time(), labelled([NaN, NaN, NaN])])],
    series: [],
    problems: ['non-finite'],
  },
  {
    sentence: 'a time that cannot be read costs its sample only',
    frames: [frame([time(['never', 2000, {}]), labelled([1, 2, 3])])],
    series: [`${NAME}{}: 2000=2`],
    problems: ['non-finite'],
  },
  {
    sentence: 'times out of order are sorted and told',
    frames: [frame([time([3000, 1000, 2000]), labelled([3, 1, 2])])],
    series: [`${NAME}{}: 1000=1 2000=2 3000=3`],
    problems: ['out-of-order'],
  },
  {
    sentence: 'the same samples from two targets merge silently, whatever the order of labels',
    frames: [
      frame([time(), labelled([1, 2, 3], { a: '1', b: '2' })]),
      frame([time([2000, 3000, 4000]), labelled([2, 3, 4], { b: '2', a: '1' })]),
    ],
    series: [`${NAME}{b=2,a=1}: 1000=1 2000=2 3000=3 4000=4`],
  },
  {
    sentence: 'two replicas that contradict each other are told, and the larger value counts',
    frames: [frame([time(), labelled([1, 9, 3])]), frame([time(), labelled([1, 2, 4])])],
    series: [`${NAME}{}: 1000=1 2000=9 3000=4`],
    problems: ['duplicate-series'],
  },
  { sentence: 'empty frames are skipped', frames: [frame([]), frame([time([]), labelled([])])], series: [] },
  {
    sentence: 'a column that is not numeric is skipped, its neighbours are kept',
    frames: [frame([time(), labelled([1, 2, 3]), { ...text('state', ['a', 'b', 'c']), labels: { __name__: 'x' } }])],
    series: [`${NAME}{}: 1000=1 2000=2 3000=3`],
    problems: ['unreadable-frame'],
  },
  {
    sentence: 'logs, heatmaps and frames without time are problems, told once',
    frames: [
      frame([time(), text('Line', ['a', 'b', 'c'])]),
      frame([time(), value([1, 2, 3], { name: '0.1' })], { meta: { type: DataFrameType.HeatmapRows } }),
      frame([value([1, 2, 3])]),
    ],
    series: [],
    problems: ['unreadable-frame'],
  },
];

describe('readFrames', () => {
  it.each(rows)('$sentence', ({ frames, series, problems = [] }) => {
    expect(read(frames)).toEqual({ series, problems });
  });

  it('does not copy columns that are clean', () => {
    const field = labelled([1, 2, 3]);
    expect(readFrames([frame([time(), field])]).series[0]?.values).toBe(field.values);
  });

  it('keeps labels of any size and content as data', () => {
    const labels = { __name__: NAME, huge: 'x'.repeat(100_000), evil: '<img src=x onerror=alert(1)>', 'a b': '"}\n' };
    const [series] = readFrames([frame([time(), value([1, 2, 3], { labels })])]).series;
    expect(series?.labels).toEqual(labels);
  });

  it('reads a label called __proto__ as a label', () => {
    const names = text('__name__', [NAME, NAME, NAME]);
    const [series] = readFrames([frame([time(), names, text('__proto__', ['p', 'p', 'p']), value([1, 2, 3])])]).series;
    expect(Object.keys(series?.labels ?? {})).toEqual(['__name__', '__proto__']);
  });

  it('finds the options that our data source sent, and none in other frames', () => {
    const custom = { pdflow: { version: 1, planned: 'up', options: { intervalMs: 5000, windowMs: -1, extra: true } } };
    expect(readFrames([frame([time([]), labelled([])], { meta: { custom } })]).options).toEqual({ intervalMs: 5000 });
    expect(readFrames([frame([time(), labelled([1, 2, 3])])]).options).toBeUndefined();
  });

  it('reads the contract of no frame behind the first that has one', () => {
    let read = 0;
    const later = { get custom() { return ((read += 1), CONTRACT); } }; // prettier-ignore
    const frames = [{}, { custom: CONTRACT }, later].map((meta) => frame([time(), labelled([1, 2, 3])], { meta }));
    expect(readFrames(frames).options).toEqual({});
    expect(read).toBe(0);
  });

  it('survives frames that are none', () => {
    const broken: unknown[] = [
      null,
      7,
      {},
      { fields: null },
      { fields: [null, { values: null }] },
      { fields: [{ values: [1] }] },
    ];
    expect(() => readFrames(JSON.parse(JSON.stringify(broken)))).not.toThrow();
  });

  it('reads what Grafana makes of a legacy time series', () => {
    const legacy = { target: NAME, datapoints: [[1, 1000], [2, 2000]], tags: { instance: 'd' } }; // prettier-ignore
    expect(read([toDataFrame(legacy)]).series).toEqual([`${NAME}{instance=d}: 1000=1 2000=2`]);
  });

  it('names a series, a count and a next step in every problem', () => {
    const long = { instance: 'x'.repeat(500) };
    const { problems } = readFrames([frame([time(), labelled([NaN, 2, NaN], long)])]);
    expect(problems[0]?.text).toMatch(/^2 samples of 1 series .*sglang:num_running_reqs\{instance="x+…\.$/);
    expect(problems[0]?.text.length).toBeLessThan(300);
    expect(problems[0]?.nextStep).toContain('gap');
  });
});
