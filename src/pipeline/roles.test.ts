import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { RawSeries, VersionRange } from './model';
import { isStandalone } from './roles';

const one = (labels: Record<string, string>, name = 'sglang:num_running_reqs'): RawSeries => ({
  labels: { __name__: name, instance: 'e:1', ...labels },
  timesMs: [0, 15_000],
  values: [0, 1],
});
const stage = (value: string): RawSeries => one({ stage: value }, 'sglang:per_stage_req_latency_seconds_count');
const UNIFIED = one({ engine_type: 'unified' });

describe('an engine that serves by itself', () => {
  const rows: ReadonlyArray<[string, RawSeries[], VersionRange | undefined, boolean]> = [
    ['"unified" up to 0.5.8 may be either side', [UNIFIED], undefined, false],
    ['"unified" is the truth from 0.5.9 on', [UNIFIED], { from: '0.5.9', before: '0.5.10' }, true],
    [
      'a label of 0.5.17 shows that it is',
      [UNIFIED, one({ is_streaming: 'true' }, 'sglang:num_requests_total')],
      undefined,
      true,
    ],
    ['no side passes a whole request', [UNIFIED, stage('request_process')], undefined, true],
    ['an encoder', [one({ engine_type: 'encoder' })], undefined, true],
    [
      'one that switches roles, and has decoded',
      [one({ engine_type: 'dynamic' }), stage('decode_prepare')],
      undefined,
      false,
    ],
    ['one that is told to be a side', [one({ engine_type: 'decode' })], { from: '0.5.9' }, false],
    ['nothing is told', [one({})], { from: '0.5.9' }, false],
  ];
  it.each(rows)('%s', (_why, series, told, expected) => {
    expect(isStandalone(series, told)).toBe(expected);
  });
});

describe('an engine of another model beside a pair of prefill and decode', () => {
  const pair = ['prefill', 'decode'].map((role) => one({ engine_type: role, model_name: 'm', instance: `${role}:1` }));
  const embedding = one({ engine_type: 'unified', model_name: 'e' });
  const judged = (series: RawSeries[], sglangVersion?: string): { pipelines: string[]; problems: string[] } => {
    const fleet = prepare(series, { sglangVersion });
    return {
      pipelines: evaluate(fleet, 15_000).map(({ id }) => id),
      problems: fleet.problems.map(({ kind, text }) => `${kind}: ${text}`),
    };
  };

  it('is left out with a note where it serves by itself', () => {
    expect(judged([...pair, embedding], '0.5.9')).toEqual({
      pipelines: ['m'],
      problems: ['standalone-engine: One engine serves without prefill and decode apart: e:1. Left out.'],
    });
  });
  it('stays where it may be one of two sides', () => {
    expect(judged([...pair, embedding])).toEqual({
      pipelines: ['e', 'm'],
      problems: ['unknown-role: One engine does not tell whether prefill or decode: e:1.'],
    });
  });
  it('stays where there is no pair', () => {
    expect(judged([embedding], '0.5.9').pipelines).toEqual(['e']);
  });
});
