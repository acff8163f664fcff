import { readMatrix } from './readMatrix';

const body = (result: unknown, more: object = {}): unknown => ({
  status: 'success',
  data: { resultType: 'matrix', result },
  ...more,
});

describe('readMatrix', () => {
  it('reads seconds and texts into milliseconds and numbers', () => {
    const result = [{ metric: { __name__: 'up', job: 'x' }, values: [[1.001, '1'], [2, '2e3']] }]; // prettier-ignore
    expect(readMatrix(body(result))).toEqual({
      kind: 'matrix',
      series: [{ labels: { __name__: 'up', job: 'x' }, timesMs: [1001, 2000], values: [1, 2000] }],
      dropped: 0,
      warnings: [],
    });
  });

  it('puts a dropped name back, but replaces none', () => {
    const result = [{ metric: { job: 'x' }, values: [[1, '1']] }, { metric: { __name__: 'own' }, values: [[1, '1']] }]; // prettier-ignore
    expect(readMatrix(body(result), 'given')).toMatchObject({
      series: [{ labels: { __name__: 'given', job: 'x' } }, { labels: { __name__: 'own' } }],
    });
  });

  it('drops what is no finite number, and counts it', () => {
    const values = [[1, 'NaN'], [2, '+Inf'], [3, '-Inf'], [4, ''], [5, 7], ['6', '1'], 'x', [8, '8']]; // prettier-ignore
    expect(readMatrix(body([{ metric: {}, values }]))).toMatchObject({
      series: [{ timesMs: [8000], values: [8] }],
      dropped: 7,
    });
  });

  it('leaves out series without any sample, and native histograms', () => {
    const result = [
      { metric: {}, values: [[1, 'NaN']] },
      { metric: {}, histograms: [[1, {}]] },
    ];
    expect(readMatrix(body(result))).toMatchObject({ series: [], dropped: 1 });
  });

  it('passes warnings on', () => {
    expect(readMatrix(body([], { warnings: ['slow store', 7] }))).toMatchObject({ warnings: ['slow store'] });
  });

  it('reads an error', () => {
    expect(readMatrix({ status: 'error', errorType: 'bad_data', error: 'no' })).toEqual({
      kind: 'error',
      type: 'bad_data',
      message: 'no',
    });
  });

  it.each([
    ['no JSON', undefined],
    ['null', null],
    ['a list', []],
    ['a text', 'ok'],
    ['another API', { status: 'success', data: { version: '3' } }],
    ['a vector', { status: 'success', data: { resultType: 'vector', result: [] } }],
    ['a matrix that is none', body('x')],
  ])('is not fooled by %s', (_sentence, answer) => {
    expect(readMatrix(answer)).toEqual({ kind: 'alien' });
  });
});
