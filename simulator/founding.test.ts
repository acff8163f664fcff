import { createRun } from './run';
import { founding } from './scenarios/founding';
import { foundingBlockedLoop } from './scenarios/foundingBlockedLoop';
import { clock, pointsOf, record, recordOptions } from './testing/recording';
import { read } from './testing/world';

describe('founding', () => {
  const { run, text, recorder } = record(recordOptions(founding, 30));
  const decode = 'instance="decode-0:30002"';
  const prefill = 'instance="prefill-0:30000"';
  const leader = 'tp_rank="0"';
  const at = (time: string, ...fragments: readonly string[]): number | undefined =>
    pointsOf(text, ...fragments).find(({ atMs }) => atMs === clock(time))?.value;
  const gauge = (time: string, name: string): number | undefined => at(time, `sglang:${name}{`, decode);
  const rise = (from: string, to: string, ...fragments: readonly string[]): number =>
    (at(to, ...fragments) ?? 0) - (at(from, ...fragments) ?? 0);

  it('has T0 at 20:38:03', () => {
    expect(run.t0Ms).toBe(clock('20:38:03'));
  });

  it('reads the record at 20:38:00', () => {
    expect(gauge('20:38:00', 'num_running_reqs')).toBe(11);
    expect(gauge('20:38:00', 'num_used_tokens')).toBe(93_184);
    expect(gauge('20:38:00', 'gen_throughput')?.toFixed(2)).toBe('348.87');
    expect(gauge('20:38:00', 'num_decode_transfer_queue_reqs')).toBe(8);
    expect(gauge('20:38:00', 'num_decode_prealloc_queue_reqs')).toBe(0);
  });

  it('cancels 16 requests at T0, 11 running and 5 in transfer, all absorbed', () => {
    expect(run.truth.events.find(({ kind }) => kind === 'abort-cascade')).toEqual({
      kind: 'abort-cascade',
      atMs: clock('20:38:03'),
      count: 16,
    });
    expect(rise('20:38:00', '20:38:05', 'num_aborted_requests_total', decode)).toBe(16);
    expect(rise('20:38:00', '20:38:05', 'num_transfer_failed_reqs_total', decode, leader)).toBe(5);
    expect(rise('20:38:00', '20:38:05', 'num_aborted_requests_total', prefill)).toBe(5);
  });

  it('leaves 2 running and 3 in transfer in the last report, which is no truth any more', () => {
    expect(gauge('20:38:05', 'num_running_reqs')).toBe(2);
    expect(gauge('20:38:05', 'num_decode_transfer_queue_reqs')).toBe(3);
    const count = recorder.stageCounts.find(({ atMs }) => atMs === clock('20:38:05'));
    expect(count?.engines['decode-0:30002']).toEqual({ transfer: 3 });
  });

  it('absorbs the three bystanders after their 35 s', () => {
    expect(rise('20:38:05', '20:38:35', 'num_aborted_requests_total', decode)).toBe(3);
    expect(rise('20:38:05', '20:38:35', 'num_transfer_failed_reqs_total', decode, leader)).toBe(3);
  });

  it('keeps 2 and 3 until 20:39:08, then writes zeros for good', () => {
    expect(gauge('20:39:05', 'num_running_reqs')).toBe(2);
    expect(gauge('20:39:05', 'num_decode_transfer_queue_reqs')).toBe(3);
    for (const name of ['num_running_reqs', 'num_decode_transfer_queue_reqs', 'num_decode_prealloc_queue_reqs']) {
      const later = pointsOf(text, `sglang:${name}{`, decode).filter(({ atMs }) => atMs >= clock('20:39:10'));
      expect(new Set(later.map(({ value }) => value))).toEqual(new Set([0]));
    }
  });

  it('makes no decode step and concludes no real transfer after 20:38:03', () => {
    for (const series of ['realtime_tokens_total{', 'cuda_graph_passes_total{', 'inter_token_latency_seconds_count{']) {
      expect(rise('20:38:05', '20:48:45', series, decode)).toBe(0);
    }
    expect(rise('20:38:05', '20:48:45', 'kv_transfer_latency_ms_count{', prefill, leader)).toBe(0);
    // The health probes of 20:38:10 to 20:48:10 do pass: they need no transfer.
    expect(rise('20:38:05', '20:48:45', 'decode_transferred', '_count{', decode, leader)).toBe(11);
  });

  it('computes 256 tokens on prefill for the probes of 20:47:00 and 20:48:00', () => {
    const computed = ['realtime_tokens_total{', 'mode="prefill_compute"', prefill];
    expect(rise('20:46:55', '20:47:05', ...computed)).toBe(256);
    expect(rise('20:47:55', '20:48:05', ...computed)).toBe(256);
    expect(at('20:47:05', 'num_prefill_inflight_queue_reqs{', prefill)).toBe(1);
  });

  it('parks at least 3 requests in transfer during the last 20 s', () => {
    const last = recorder.stageCounts.filter(({ atMs }) => atMs >= clock('20:48:25'));
    // Tries stay for 35 s: those of T0 + 597 to 621 s, then also 628, then without 597 but with 635, then with 640.
    expect(last.map(({ engines }) => engines['decode-0:30002']?.transfer)).toEqual([4, 4, 5, 5, 6]);
  });

  it('answers every health check', () => {
    const health = pointsOf(text, 'smg_worker_health{');
    expect(new Set(health.map(({ value }) => value))).toEqual(new Set([1]));
  });

  it('goes on with a retry every 8 to 12 s, and with traffic at once after a restart', () => {
    const tries = (): number[] =>
      run.truth.events.flatMap((event) => (event.kind === 'client-try' && event.atMs > run.endMs ? [event.atMs] : []));
    run.simulation.runUntil(run.endMs + 120_000);
    const gaps = tries().flatMap((atMs, index, all) => (index === 0 ? [] : [atMs - (all[index - 1] ?? 0)]));
    expect(gaps.length).toBeGreaterThan(8);
    expect(gaps.every((gapMs) => gapMs >= 8_000 && gapMs <= 12_000)).toBe(true);
    run.faults.restart(run.decode);
    run.simulation.runUntil(run.endMs + 140_000);
    expect(run.decode.stages().running).toBeGreaterThan(5);
  });
});

describe('founding with any seed', () => {
  it.each([2, 3, 4])('reaches the record just after 20:38:00, seed %i', (seed) => {
    const run = createRun(recordOptions(founding, 13, seed));
    const names = ['num_running_reqs', 'num_used_tokens', 'num_decode_transfer_queue_reqs'];
    run.simulation.runUntil(clock('20:38:00') + 150);
    expect(names.map((name) => read(run.decode, name))).toEqual([11, 93_184, 8]);
    expect(read(run.decode, 'gen_throughput')?.toFixed(2)).toBe('348.87');
    run.simulation.runUntil(clock('20:38:04') - 1);
    expect(names.map((name) => read(run.decode, name))).toEqual([2, 41 * 256, 3]);
  });
});

describe('founding-blocked-loop', () => {
  it('absorbs nothing on decode and takes nothing', () => {
    const run = createRun(recordOptions(foundingBlockedLoop, 13));
    const prepared = (): number | undefined =>
      read(run.decode, 'per_stage_req_latency_seconds_count', 'stage="decode_prepare"');
    const failures = (): number | undefined => read(run.decode, 'num_transfer_failed_reqs_total');
    run.simulation.runUntil(run.t0Ms - 1);
    const before = {
      prepared: prepared(),
      failures: failures(),
      aborted: read(run.decode, 'num_aborted_requests_total'),
    };
    run.simulation.runUntil(run.endMs);
    expect(prepared()).toBe(before.prepared);
    expect(failures()).toBe(before.failures);
    expect(read(run.decode, 'num_aborted_requests_total')).toBeGreaterThan((before.aborted ?? 0) + 16 + 3);
    expect(read(run.decode, 'num_running_reqs')).toBe(11);
    // Tries of the last 35 s: 608, 614, 621, 628, 635 and 640 s after T0.
    expect(read(run.decode, 'http_requests_active', 'chat')).toBe(6);
  });
});
