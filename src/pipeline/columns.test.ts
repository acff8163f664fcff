import { buildEngine, type Engine } from './columns';
import type { RawSeries, Role } from './model';

const TIMES = [0, 10_000, 20_000];
const one = (name: string, values: number[], labels: Record<string, string> = {}): RawSeries => ({
  labels: { __name__: name, instance: 'd:1', ...labels },
  timesMs: TIMES,
  values,
});
const build = (
  series: RawSeries[],
  more: { role?: Role; sampleTimes?: RawSeries; processStart?: RawSeries } = {}
): Engine =>
  buildEngine({
    id: 'd:1',
    labels: {},
    role: 'decode',
    model: 'm',
    up: undefined,
    sampleTimes: undefined,
    series,
    ...more,
  });
const STAGE = 'sglang:per_stage_req_latency_seconds_count';
const stage = (values: number[], labels: Record<string, string>): RawSeries =>
  one(STAGE, values, { stage: 'decode_transferred', ...labels });

describe('leader ranks', () => {
  it('every tensor rank counts the same requests: the lowest speaks', () => {
    const engine = build([stage([10, 12, 15], { tp_rank: '0' }), stage([10, 12, 15], { tp_rank: '1' })]);
    expect(engine.rises.get('decode.transferred')).toEqual([0, 2, 3]);
  });
  it('data-parallel ranks serve different requests: their leaders are added', () => {
    const engine = build([
      stage([10, 12, 15], { dp_rank: '0', tp_rank: '0' }),
      stage([10, 12, 15], { dp_rank: '0', tp_rank: '1' }),
      stage([10, 11, 12], { dp_rank: '1', tp_rank: '2' }),
      stage([10, 11, 12], { dp_rank: '1', tp_rank: '3' }),
    ]);
    expect(engine.rises.get('decode.transferred')).toEqual([0, 3, 4]);
  });
  it('of pipeline ranks the first speaks', () => {
    const engine = build([
      stage([1, 2, 3], { pp_rank: '1', tp_rank: '0' }),
      stage([1, 3, 5], { pp_rank: '0', tp_rank: '1' }),
    ]);
    expect(engine.rises.get('decode.transferred')).toEqual([0, 2, 2]);
  });
});

describe('which series feed a signal', () => {
  it('the two values of is_streaming are added', () => {
    const name = 'sglang:num_requests_total';
    const engine = build([
      one(name, [0, 1, 1], { is_streaming: 'true' }),
      one(name, [0, 2, 4], { is_streaming: 'false' }),
    ]);
    expect(engine.rises.get('requests.finished')).toEqual([0, 3, 2]);
  });
  it('of two spellings the newer one counts, alone', () => {
    const engine = build([
      one('sglang:num_prefill_infight_queue_reqs', [7, 7, 7]),
      one('sglang:num_prefill_inflight_queue_reqs', [1, 2, 3]),
    ]);
    expect(engine.columns.get('gauge.inflight')).toEqual([1, 2, 3]);
  });
  it('priority children are part of the total, not added to it', () => {
    const name = 'sglang:num_queue_reqs';
    const engine = build([one(name, [5, 5, 5], { priority: '' }), one(name, [3, 3, 3], { priority: '1' })]);
    expect(engine.columns.get('gauge.waiting')).toEqual([5, 5, 5]);
  });
  it('only endpoints that generate are demand', () => {
    const name = 'sglang:http_requests_total';
    const engine = build([
      one(name, [0, 1, 2], { endpoint: '/v1/chat/completions' }),
      one(name, [0, 60, 120], { endpoint: '/health' }),
    ]);
    expect(engine.rises.get('http.requests')).toEqual([0, 1, 1]);
  });
  it('an endpoint that Prometheus put aside for that of the target is still known', () => {
    const name = 'sglang:http_requests_total';
    const engine = build([
      one(name, [0, 1, 2], { endpoint: 'metrics', exported_endpoint: '/v1/chat/completions' }),
      one(name, [0, 60, 120], { endpoint: 'metrics', exported_endpoint: '/health' }),
    ]);
    expect(engine.rises.get('http.requests')).toEqual([0, 1, 1]);
  });
});

describe('scrapes', () => {
  const stamps = (values: number[]): RawSeries => ({
    labels: { __name__: 'pdflow_sample_time_seconds' },
    timesMs: TIMES,
    values,
  });

  it('a repeated value is no scrape, and a scrape has its true time', () => {
    const engine = build([stage([1, 1, 4], {})], { sampleTimes: stamps([0, 0, 19]) });
    expect(engine.timesMs).toEqual([0, 19_000]);
    expect(engine.rises.get('decode.transferred')).toEqual([0, 3]);
    expect(engine.stamped).toBe(true);
  });
  it('a push is seen where any gauge of the scheduler changed', () => {
    const engine = build([one('sglang:num_running_reqs', [2, 2, 0]), one('sglang:token_usage', [0.1, 0.2, 0.2])]);
    expect(engine.pushed).toEqual([false, true, true]);
  });
  it('one counter that falls restarts the whole engine', () => {
    const engine = build([stage([10, 4, 5], {}), one('sglang:num_requests_total', [2, 3, 3])]);
    expect(engine.restarts).toEqual([1]);
    expect(engine.rises.get('requests.finished')).toEqual([0, 3, 0]);
  });

  describe('the start of the process, as another exporter tells it', () => {
    // The engine is scraped at 0, 10 and 20 s; it has counted up at each scrape, so that no counter ever fell.
    const busy = stage([10, 30, 60], {});
    const started = (seconds: number[], timesMs = TIMES): RawSeries => ({ labels: {}, timesMs, values: seconds });
    const rows: ReadonlyArray<[string, RawSeries, number[], number[]]> = [
      ['stays: nothing was restarted', started([-50, -50, -50]), [], [0, 20, 30]],
      ['is later: the counters have counted from zero', started([-50, 4, 4]), [1], [0, 30, 30]],
      ['is a clock that is adjusted', started([-50, -49, -51]), [], [0, 20, 30]],
      ['is told before the engine is scraped again', started([-50, 12], [0, 13_000]), [2], [0, 20, 60]],
      ['is told late', started([-50, -50, 4]), [2], [0, 20, 60]],
      ['after the last scrape nothing is known of the new process', started([-50, 22], [0, 25_000]), [], [0, 20, 30]],
    ];
    it.each(rows)('%s', (_why, processStart, restarts, rises) => {
      const engine = build([busy], { processStart });
      expect(engine.restarts).toEqual(restarts);
      expect(engine.rises.get('decode.transferred')).toEqual(rises);
    });
    it('and a counter that falls then are one restart', () => {
      expect(build([stage([10, 4, 5], {})], { processStart: started([-50, -50, 4]) }).restarts).toEqual([1]);
    });
  });
});
