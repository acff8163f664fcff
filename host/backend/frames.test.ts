import { encodeFrames, type FrameOptions } from './frames';

const OPTIONS: FrameOptions = {
  refId: 'A',
  expr: 'up',
  legendFormat: undefined,
  stepMs: 5_000,
  warnings: [],
  kind: 'range',
};

function matrix(values: Array<[number, string]>, metric: Record<string, string> = { __name__: 'up', job: 'a' }) {
  return { resultType: 'matrix', result: [{ metric, values }] };
}

describe('frames', () => {
  it('carries labels, metric name and times in milliseconds', () => {
    const [frame] = encodeFrames(matrix([[1.5, '1']]), OPTIONS);
    expect(frame?.data).toEqual({ values: [[1_500], [1]] });
    expect(frame?.schema.fields[1]).toMatchObject({ name: 'up', labels: { __name__: 'up', job: 'a' } });
    expect(frame?.schema.meta).toMatchObject({ type: 'timeseries-multi', executedQueryString: 'Expr: up\nStep: 5s' });
  });

  it('writes what JSON cannot say as null beside its row', () => {
    const values: Array<[number, string]> = [
      [1, 'NaN'],
      [2, '+Inf'],
      [3, '-Inf'],
      [4, '2e3'],
    ];
    expect(encodeFrames(matrix(values), OPTIONS)[0]?.data).toEqual({
      values: [
        [1_000, 2_000, 3_000, 4_000],
        [null, null, null, 2_000],
      ],
      entities: [null, { NaN: [0], Inf: [1], NegInf: [2] }],
    });
  });

  it.each([
    ['the labels', undefined, { __name__: 'up', b: '2', a: '1' }, 'up{a="1", b="2"}'],
    ['the bare name without labels', undefined, { __name__: 'up' }, 'up'],
    ['the expression without either', undefined, {}, 'up'],
    ['the format of the user', '{{ job }} at {{where}}', { job: 'x' }, 'x at '],
    ['nothing when Grafana shall choose', '__auto', { job: 'x' }, undefined],
  ])('is named by %s', (_sentence, legendFormat, metric, name) => {
    const [frame] = encodeFrames(matrix([[1, '1']], metric), { ...OPTIONS, legendFormat });
    expect(frame?.schema.fields[1]?.config).toEqual({ displayNameFromDS: name });
  });

  it('passes warnings of Prometheus on, also without series', () => {
    const frames = encodeFrames({ resultType: 'matrix', result: [] }, { ...OPTIONS, warnings: ['too old'] });
    expect(frames).toHaveLength(1);
    expect(frames[0]?.schema.meta.notices).toEqual([{ severity: 'warning', text: 'too old' }]);
  });

  it.each([
    ['a vector', { resultType: 'vector', result: [{ metric: {}, value: [1, '3'] }] }, [[1_000], [3]]],
    ['a scalar', { resultType: 'scalar', result: [1, '3'] }, [[1_000], [3]]],
    ['a string', { resultType: 'string', result: [1, 'three'] }, [[1_000], ['three']]],
    ['a result of a wrong shape', { resultType: 'matrix', result: [null, 7] }, []],
  ])('reads %s', (_sentence, data, values) => {
    expect(encodeFrames(data, { ...OPTIONS, kind: 'instant' })[0]?.data.values).toEqual(values);
  });
});
