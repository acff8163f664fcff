import { clock, endOf, engine, sampled, timeOf, type EngineTrace } from '../testing/traces';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { PipelineOptions, RawSeries, VersionRange } from './model';
import { releasesOf } from './releases';

const TIME = clock(4, 10);
const ALWAYS = (): boolean => true;

/** A family of one engine at the scrapes named; its labels beside it. */
const shown = (
  name: string,
  labels: Readonly<Record<string, string>> = {},
  isThere: (scrape: number) => boolean = ALWAYS
): RawSeries => sampled(TIME, { __name__: `sglang:${name}`, instance: 'e:1', ...labels }, () => 1, isThere);

const TIMES = Array.from({ length: TIME.scrapes }, (_, i) => timeOf(TIME, i));
const last = (series: readonly RawSeries[], restarts: readonly number[] = []): VersionRange | undefined =>
  releasesOf(series, TIMES, restarts)[TIME.scrapes - 1];

const RUNNING = shown('num_running_reqs', { engine_type: 'decode', tp_rank: '0' });
/** What 0.5.10 pushes of the families that are asked for together. */
const PUSHED_0_5_10 = [
  'utilization',
  'engine_startup_time',
  'pending_prealloc_token_usage',
  'mamba_usage',
  'decode_sum_seq_lens',
  'num_unique_running_routing_keys',
  'full_token_usage',
].map((name) => shown(name));
const WITHOUT_STARTUP = PUSHED_0_5_10.filter((s) => s.labels['__name__'] !== 'sglang:engine_startup_time');

describe('the releases that an engine may be of', () => {
  const rows: ReadonlyArray<readonly [why: string, series: readonly RawSeries[], range: VersionRange]> = [
    ['nothing is seen', [], {}],
    ['what every release has tells nothing', [shown('num_running_reqs'), shown('token_usage')], {}],
    ['the label tells the role', [RUNNING], { from: '0.5.9' }],
    ['every engine is called unified before', [shown('num_running_reqs', { engine_type: 'unified' })], {}],
    ['a counter that came later', [shown('kv_transfer_latency_ms_count')], { from: '0.5.10' }],
    ['a gauge under its old name', [shown('num_prefill_prealloc_queue_reqs')], { before: '0.5.12' }],
    [
      'a stage that is counted no more',
      [shown('per_stage_req_latency_seconds_count', { stage: 'prefill_prepare' })],
      { from: '0.5.3', before: '0.5.10' },
    ],
    [
      'the prefix of gateways',
      [{ ...RUNNING, labels: { ...RUNNING.labels, __name__: 'sglang_num_running_reqs' } }],
      { from: '0.5.9' },
    ],
    [
      'the narrowest bounds count',
      [
        RUNNING,
        shown('num_requests_total', { is_streaming: 'true' }),
        shown('scheduler_stage_seconds_total', { category: 'idle' }),
      ],
      { from: '0.5.20' },
    ],
    [
      'a counter that never counted proves nothing',
      [RUNNING, shown('realtime_tokens_total', { mode: 'decode' })],
      { from: '0.5.9' },
    ],
    [
      'a gauge that is missing among those pushed with it is not there yet',
      PUSHED_0_5_10,
      { from: '0.5.10', before: '0.5.13' },
    ],
    [
      'one that is gone tells too',
      [...WITHOUT_STARTUP, shown('spec_num_steps'), shown('spec_cap_length')],
      { from: '0.5.17', before: '0.5.18' },
    ],
    ['what is missing and cannot be missing together was dropped on its way', WITHOUT_STARTUP, { from: '0.5.10' }],
    [
      'without the first of them nobody knows whether the others were asked for',
      PUSHED_0_5_10.slice(1),
      { from: '0.5.10', before: '0.5.17' },
    ],
    [
      'what is seen outweighs what is missing',
      [...WITHOUT_STARTUP, shown('scheduler_stage_seconds_total', { forward_overlap: 'full' })],
      { from: '0.5.22', before: '0.5.23' },
    ],
    [
      'two processes behind one name contradict each other',
      [shown('num_prefill_prealloc_queue_reqs'), shown('num_prefill_bootstrap_queue_reqs')],
      {},
    ],
  ];
  it.each(rows)('%s', (_why, series, range) => {
    expect(last(series)).toEqual(range);
  });
});

describe('over time', () => {
  const OLD = shown('num_prefill_prealloc_queue_reqs', {}, (i) => i < 10);
  const NEW = shown('num_prefill_bootstrap_queue_reqs', {}, (i) => i >= 10);

  it('an upgrade restarts the process, and what the old one showed is forgotten', () => {
    const ranges = releasesOf([OLD, NEW], TIMES, [10]);
    expect(ranges[9]).toEqual({ before: '0.5.12' });
    expect(ranges[10]).toEqual({ from: '0.5.12' });
  });

  it('without a restart seen, nothing is claimed', () => {
    expect(last([OLD, NEW])).toEqual({});
  });

  it('a restart of the same release shows the same again', () => {
    expect(last([RUNNING], [10])).toEqual({ from: '0.5.9' });
  });

  it('what appears later is not known before', () => {
    const late = shown('fake_output', {}, (i) => i >= 5);
    const counted = {
      ...late,
      labels: { ...late.labels, __name__: 'sglang:per_stage_req_latency_seconds_count', stage: 'fake_output' },
    };
    expect(
      releasesOf([counted], TIMES, [])
        .map(({ from }) => from)
        .slice(3, 7)
    ).toEqual([undefined, undefined, '0.5.10', '0.5.10']);
  });
});

describe('a release that was told', () => {
  const trace: EngineTrace = { id: 'e:1', role: 'decode', counters: { received: 1, finished: 1 } };
  const read = (options: PipelineOptions): VersionRange | undefined =>
    evaluate(prepare(engine(TIME, trace), options), endOf(TIME))[0]?.engines[0]?.releases;

  it('replaces what the series say', () => {
    expect(read({})).toEqual({ from: '0.5.11' });
    expect(read({ sglangVersion: '0.5.9' })).toEqual({ from: '0.5.9', before: '0.5.10' });
  });

  it('is a problem where it is none, and then the series tell', () => {
    expect(read({ sglangVersion: 'newest' })).toEqual({ from: '0.5.11' });
    expect(prepare(engine(TIME, trace), { sglangVersion: 'newest' }).problems).toMatchObject([
      { kind: 'unknown-version' },
    ]);
    expect(prepare(engine(TIME, trace), { sglangVersion: ' ' }).problems).toEqual([]);
  });
});
