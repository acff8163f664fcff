import { healthy } from './scenarios/healthy';
import { idle } from './scenarios/idle';
import { decodeRestartRecovers } from './scenarios/decodeRestartRecovers';
import { scrapeGap } from './scenarios/scrapeGap';
import { transferLeak } from './scenarios/transferLeak';
import { clock, END_MS, pointsOf, record, recordOptions } from './testing/recording';
import { renderTruth } from './truthFile';
import { EVIDENCES } from './versionProfile';

describe('a recording', () => {
  it('is the same bytes for the same seed, and others for another', () => {
    const first = record(recordOptions(healthy, 2, 5));
    const again = record(recordOptions(healthy, 2, 5));
    expect(again.text).toBe(first.text);
    expect(renderTruth(again.run, again.recorder.stageCounts)).toBe(renderTruth(first.run, first.recorder.stageCounts));
    expect(record(recordOptions(healthy, 2, 6)).text).not.toBe(first.text);
  });

  it.each(EVIDENCES)('of a faulty pool is the same bytes again with evidence %s', (evidence) => {
    const options = {
      ...recordOptions(transferLeak, 13, 3),
      intervalSeconds: 15,
      prefillCount: 1,
      decodeCount: 2,
      evidence,
    };
    const [first, again] = [record(options), record(options)];
    expect(again.text === first.text).toBe(true);
    expect(first.run.truth.events).toEqual(again.run.truth.events);
  });

  it('scrapes every interval up to the end, both ends included', () => {
    const { text } = record(recordOptions(idle, 1));
    const up = pointsOf(text, 'up{', 'decode-0');
    expect(up.map(({ atMs }) => (atMs - END_MS) / 1000)).toEqual([
      -60, -55, -50, -45, -40, -35, -30, -25, -20, -15, -10, -5, 0,
    ]);
  });

  it('keeps families together, names their type and ends with EOF', () => {
    const { text } = record(recordOptions(healthy, 1));
    const types = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    expect(new Set(types).size).toBe(types.length);
    expect(text).toContain('# TYPE sglang:num_requests counter\nsglang:num_requests_total{');
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    expect(text).not.toContain('NaN');
  });

  it('of an idle night has probes, but no series of real work', () => {
    const { text } = record(recordOptions(idle, 3));
    const present = (name: string): boolean => text.includes(`${name}{`);
    expect(present('sglang:per_stage_req_latency_seconds_count')).toBe(true);
    expect(['sglang:kv_transfer_latency_ms_count', 'sglang:num_requests_total'].map(present)).toEqual([false, false]);
    expect(present('sglang:num_aborted_requests_total')).toBe(false);
  });
});

describe('a scrape gap', () => {
  const { run, text } = record(recordOptions(scrapeGap, 30));
  const minute = (count: number): number => run.startMs + count * 60_000;
  const within = (fromMs: number, untilMs: number, ...fragments: readonly string[]): readonly number[] =>
    pointsOf(text, ...fragments)
      .filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)
      .map(({ value }) => value);

  it('of Prometheus has no sample of anything for 90 s', () => {
    expect(within(minute(10), minute(11.5), '{')).toEqual([]);
    expect(within(minute(11.5), minute(11.6), 'up{', 'decode-0')).toEqual([1, 1]);
  });

  it('of one target says up = 0 for 2 min, while others go on and the work is counted afterwards', () => {
    expect(within(minute(18), minute(20), 'up{', 'decode-0')).toEqual(Array.from({ length: 24 }, () => 0));
    expect(within(minute(18), minute(20), 'sglang:', 'decode-0')).toEqual([]);
    expect(within(minute(18), minute(20), 'num_requests_total', 'prefill-0')).toHaveLength(24);
    const tokens = within(minute(17.9), minute(20.1), 'realtime_tokens_total{', 'decode-0');
    expect((tokens.at(-1) ?? 0) - (tokens[0] ?? 0)).toBeGreaterThan(50_000);
  });
});

describe('a restart', () => {
  const { run, text } = record(recordOptions(decodeRestartRecovers, 13));
  const series = (...fragments: readonly string[]): Map<number, number> =>
    new Map(pointsOf(text, ...fragments).map(({ atMs, value }) => [atMs, value]));

  it('happens 6 min after T0 and takes 3 s', () => {
    expect(run.truth.events.find(({ kind }) => kind === 'restart')).toEqual({
      kind: 'restart',
      atMs: clock('20:44:03'),
      engine: 'decode-0:30002',
      downMs: 3000,
    });
    expect(series('up{', 'decode-0').get(clock('20:44:05'))).toBe(0);
    expect(series('up{', 'decode-0').get(clock('20:44:10'))).toBe(1);
  });

  it('starts every counter of decode from nothing, and none of prefill', () => {
    const tokens = series('realtime_tokens_total{', 'decode-0');
    expect(tokens.get(clock('20:44:10'))).toBeLessThan(tokens.get(clock('20:44:00')) ?? 0);
    expect(series('num_transfer_failed_reqs_total', 'decode-0', 'tp_rank="0"').has(clock('20:44:10'))).toBe(false);
    const computed = series('prefill_forward', '_count{', 'prefill-0', 'tp_rank="0"');
    expect(computed.get(clock('20:44:10'))).toBeGreaterThan(computed.get(clock('20:44:00')) ?? 0);
  });

  it('brings the traffic back at once', () => {
    const finished = series('num_requests_total', 'decode-0');
    expect(finished.get(clock('20:45:00'))).toBeGreaterThan(60);
  });
});
