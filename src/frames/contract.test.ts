import { encodeContract, readContract, readPipelineOptions } from './contract';

const frameOf = (custom: unknown): Parameters<typeof readContract>[0] =>
  JSON.parse(JSON.stringify({ fields: [], length: 0, meta: { custom } }));

describe('contract of our frames', () => {
  it('is read as it was written, beside what was already there', () => {
    const contract = { version: 1, planned: 'up', options: { intervalMs: 5000 } } as const;
    const meta = encodeContract({ custom: { resultType: 'matrix' }, notices: [] }, contract);
    expect(meta).toMatchObject({
      notices: [],
      custom: { resultType: 'matrix' },
      preferredVisualisationPluginId: 'pdflow-pipeline-panel',
    });
    expect(readContract({ fields: [], length: 0, meta })).toEqual({ ...contract, name: undefined });
  });

  it.each([
    ['no metadata', undefined],
    ['a later version', { pdflow: { version: 2 } }],
    ['a text', { pdflow: 'yes' }],
    ['a list', []],
  ])('%s is no contract', (_sentence, custom) => {
    expect(readContract(frameOf(custom))).toBeUndefined();
  });

  it.each([
    ['nothing', null, {}],
    ['numbers that are none', { intervalMs: '5s', windowMs: 0 }, {}],
    ['a release, read by the core', { sglangVersion: '0.5.9' }, { sglangVersion: '0.5.9' }],
    ['a release that is no text', { sglangVersion: 0.5 }, {}],
    ['a mapping without patterns', { roleMapping: { label: 'job' } }, {}],
    ['a mapping without label', { roleMapping: { prefill: 'p.*' } }, {}],
    [
      'a pattern that does not compile, beside one that does',
      { roleMapping: { label: 'job', prefill: 'p(', decode: 'd.*', router: 3 } },
      { roleMapping: { label: 'job', decode: 'd.*' } },
    ],
  ])('options: %s', (_sentence, stored, expected) => {
    expect(readPipelineOptions(stored)).toEqual(expected);
  });
});
