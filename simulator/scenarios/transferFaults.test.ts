import { balancesOf, count, play, SIZES } from '../testing/play';
import { edge, read } from '../testing/world';
import { abortNotPropagated } from './abortNotPropagated';
import { abortsNotAbsorbed } from './abortsNotAbsorbed';
import { leakedSlot } from './leakedSlot';
import { slowTransfer } from './slowTransfer';
import { transferLeak } from './transferLeak';
import { zombiesAlone, zombiesAmongTraffic } from './zombies';

describe.each(SIZES)('with %i prefill and %i decode engines', (...size) => {
  it('slow-transfer: transfers conclude in every 15 s, at 24 MB/s or less, and inflight grows', () => {
    const p = play(slowTransfer, size);
    p.to(30);
    const before = balancesOf(p.prefill).inflight ?? 0;
    const megabytes = Array.from({ length: 10 }, (_, index) =>
      p.riseUntil(45 + 15 * index, () => count(p.prefill, 'kv_transfer_total_mb_sum'))
    );
    // Two ranks share a transfer; the leader moves half of it. One transfer may be counted a scrape late.
    expect(megabytes.every((mb) => mb > 0 && mb <= (24 / 2) * 15 + 140)).toBe(true);
    expect(megabytes.reduce((sum, mb) => sum + mb, 0)).toBeLessThanOrEqual((24 / 2) * 150 + 140);
    expect(p.prefill.stages().inflight).toBeGreaterThan(Math.min(80, before));
  });

  it('transfer-leak: one step up every 8 s, 47 in all, with next to no KV used', () => {
    const p = play(transferLeak, size);
    const floor = [60, 140, 300].map((seconds) => {
      p.to(seconds);
      return p.decode.requests().filter(({ isLeaked }) => isLeaked).length;
    });
    [7, 17, 37].forEach((leaked, index) => expect(Math.abs((floor[index] ?? 0) - leaked)).toBeLessThanOrEqual(1));
    p.to(500);
    expect(p.decode.stages()).toMatchObject({ transfer: 47, running: 1 });
    expect(balancesOf(p.decode).transfer).toBe(47);
    expect(read(p.decode, 'token_usage')).toBeLessThan(0.07);
    // Prefill has concluded every one of them.
    expect(p.decode.requests().filter(({ isLeaked, prefill }) => isLeaked && prefill.stage !== 'gone')).toEqual([]);
  });

  it('leaked-slot: the depth has a floor of 1, and nobody waits', () => {
    const p = play(leakedSlot, size);
    p.to(30);
    const depths = Array.from({ length: 40 }, (_, index) => {
      p.to(30 + 5 * index);
      return balancesOf(p.decode).transfer ?? 0;
    });
    expect(Math.min(...depths)).toBe(1);
    // Its own client, after 35 s.
    expect(p.truth.events.filter(({ kind, atMs }) => kind === 'client-timeout' && atMs > p.startMs)).toHaveLength(1);
  });

  it('abort-not-propagated: prefill fails and forgets, decode keeps 96 orphans until their 300 s are over', () => {
    const p = play(abortNotPropagated, size);
    p.to(100);
    expect(p.decode.stages().transfer).toBe(96);
    expect(balancesOf(p.decode).transfer).toBe(96);
    expect(count(p.prefill, 'num_bootstrap_failed_reqs_total')).toBeGreaterThan(100);
    const failed = count(p.decode, 'num_transfer_failed_reqs_total');
    expect(p.riseUntil(295, () => count(p.decode, 'num_aborted_requests_total'))).toBeLessThanOrEqual(3);
    expect(count(p.decode, 'num_transfer_failed_reqs_total')).toBe(failed);
    expect(p.riseUntil(400, () => count(p.decode, 'num_transfer_failed_reqs_total'))).toBe(96);
    expect(p.decode.stages().transfer).toBe(96);
  });

  it('aborts-not-absorbed: 16 sent, none followed; 11 run on, 5 wait until the timer', () => {
    const p = play(abortsNotAbsorbed, size);
    p.to(-0.2);
    const failed = count(p.decode, 'num_transfer_failed_reqs_total');
    expect(p.riseUntil(4, () => count(p.decode, 'num_aborted_requests_total'))).toBeGreaterThanOrEqual(16);
    expect(count(p.decode, 'num_transfer_failed_reqs_total')).toBe(failed);
    const left = p.decode.requests().filter(({ decode }) => !decode.isOpen);
    const stages = left.map(({ decode }) => decode.stage);
    expect(stages.filter((stage) => stage === 'running').length).toBeGreaterThanOrEqual(11);
    expect(stages.filter((stage) => stage === 'transfer').length).toBe(5);
    p.to(290);
    expect(p.riseUntil(302, () => count(p.decode, 'num_transfer_failed_reqs_total'))).toBeGreaterThanOrEqual(5);
  });

  it('zombies-alone: 3 running, tokens rise, nothing is streamed, no abort was counted', () => {
    const p = play(zombiesAlone, size);
    p.to(-1);
    const aborted = count(p.decode, 'num_aborted_requests_total');
    p.to(20);
    const streamed = count(p.decode, 'inter_token_latency_seconds_count');
    // 3 × 29.77 ms steps in 100 s.
    expect(p.riseUntil(120, () => count(p.decode, 'realtime_tokens_total', 'mode="decode"'))).toBeGreaterThan(9_900);
    expect(count(p.decode, 'inter_token_latency_seconds_count')).toBe(streamed);
    expect(count(p.decode, 'num_aborted_requests_total')).toBe(aborted);
    expect(read(p.decode, 'num_running_reqs')).toBe(3);
    expect(read(p.decode, 'http_requests_active', 'chat')).toBe(0);
  });

  it('zombies-among-traffic: three more run than are asked for, everybody else is served', () => {
    const p = play(zombiesAmongTraffic, size);
    p.to(200);
    const { running = 0 } = p.decode.stages();
    const heard = p.decode.requests().filter(({ decode }) => decode.stage === 'running' && decode.isOpen).length;
    expect(running - heard).toBe(3);
    expect(p.riseUntil(260, () => count(p.decode, 'num_requests_total'))).toBeGreaterThan(10);
    expect(edge(p.decode, 'decode_waiting')).toBeGreaterThan(0);
  });
});
