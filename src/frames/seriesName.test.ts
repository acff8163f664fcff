import { encodeSeriesName, readSeriesName } from './seriesName';

describe('readSeriesName', () => {
  it.each([
    ['a bare family', 'sglang:num_queue_reqs', { __name__: 'sglang:num_queue_reqs' }],
    ['labels in braces', 'sglang_x{a="1",b="2"}', { __name__: 'sglang_x', a: '1', b: '2' }],
    ['blanks and a trailing comma', 'smg_x{ a="1" , }', { __name__: 'smg_x', a: '1' }],
    ['escapes', 'sgl_router_x{a="q\\"\\\\\\n"}', { __name__: 'sgl_router_x', a: 'q"\\\n' }],
    ['a brace inside a value', 'sglang:x{a="}{"}', { __name__: 'sglang:x', a: '}{' }],
    ['empty braces', 'sglang:x{}', { __name__: 'sglang:x' }],
    ['up, when its labels are spelled out', 'up{job="d"}', { __name__: 'up', job: 'd' }],
    ['"up" alone, which may be any legend', 'up', undefined],
    ['a metric of somebody else', 'node_load1{a="1"}', undefined],
    ['a function around the metric', 'rate(sglang:x[1m])', undefined],
    ['braces that do not close', 'sglang:x{a="1"', undefined],
    ['a value without quotes', 'sglang:x{a=1}', undefined],
    ['nothing', undefined, undefined],
  ])('%s', (_sentence, text, expected) => {
    expect(readSeriesName(text)).toEqual(expected);
  });

  it('takes long texts in its stride', () => {
    expect(readSeriesName(`sglang:x{a="${'\\"'.repeat(200_000)}`)).toBeUndefined();
  });

  it('reads what it writes', () => {
    const labels = { __name__: 'sglang:x', b: 'q"\\ \n', a: '1' };
    expect(encodeSeriesName(labels)).toBe('sglang:x{a="1", b="q\\"\\\\ \\n"}');
    expect(readSeriesName(encodeSeriesName(labels))).toEqual(labels);
  });
});
