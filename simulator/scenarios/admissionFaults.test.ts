import { balancesOf, count, play, SIZES } from '../testing/play';
import { edge, read } from '../testing/world';
import { bootstrapProbesOnly } from './bootstrapProbesOnly';
import { bootstrapTimer } from './bootstrapTimer';
import { decodeFullOfAborted } from './decodeFullOfAborted';
import { decodeKvExhausted } from './decodeKvExhausted';
import { preallocPinned } from './preallocPinned';

describe.each(SIZES)('with %i prefill and %i decode engines', (...size) => {
  it('bootstrap-probes-only: the gauge reads 18, 22, 27, 28, 35 while only probes are computed', () => {
    const p = play(bootstrapProbesOnly, size);
    p.to(0.5);
    const [tokens, transfers] = [
      count(p.prefill, 'realtime_tokens_total', 'mode="prefill_compute"'),
      count(p.prefill, 'kv_transfer_latency_ms_count'),
    ];
    const read5s = [5, 10, 15, 20, 25].map((seconds) => {
      p.to(seconds);
      return read(p.prefill, 'num_prefill_bootstrap_queue_reqs');
    });
    expect(read5s).toEqual([18, 22, 27, 28, 35]);
    // One token per health probe and second (the last one is under way), no real one.
    expect(count(p.prefill, 'realtime_tokens_total', 'mode="prefill_compute"') - tokens).toBe(24);
    expect(count(p.prefill, 'kv_transfer_latency_ms_count')).toBe(transfers);
    expect(read(p.router, 'smg_worker_health', 'prefill-0')).toBe(1);
  });

  it('bootstrap-timer: silence, then 40 failures at T0 + 300 s, then traffic', () => {
    const p = play(bootstrapTimer, size);
    p.to(120);
    expect(p.prefill.stages()).toEqual({ bootstrap: 40 });
    expect(p.riseUntil(299, () => count(p.router, 'smg_http_requests_total'))).toBe(0);
    expect(count(p.prefill, 'num_bootstrap_failed_reqs_total')).toBe(0);
    expect(p.riseUntil(420, () => count(p.prefill, 'num_bootstrap_failed_reqs_total'))).toBe(40);
    expect(p.riseUntil(450, () => edge(p.decode, 'decode_transferred'))).toBeGreaterThan(5);
  });

  it('prealloc-pinned: the aborted hold up everybody for 300 s, while probes pass', () => {
    const p = play(preallocPinned, size);
    p.to(0);
    const pinned = [...p.decode.troubles.pinned].length;
    expect(pinned).toBeGreaterThanOrEqual(20);
    p.to(4);
    // Whom prefill finished that did not fail: its transfer has concluded.
    const delivered = (): number =>
      count(p.prefill, 'num_requests_total') - count(p.prefill, 'num_bootstrap_failed_reqs_total');
    const [transfers, probes] = [delivered(), edge(p.decode, 'decode_transferred')];
    const failed = count(p.decode, 'num_bootstrap_failed_reqs_total');
    p.to(290);
    expect(balancesOf(p.decode).prealloc).toBeGreaterThan(pinned);
    expect(edge(p.decode, 'decode_transferred') - probes).toBeLessThanOrEqual(5);
    if (size[0] === 1) {
      expect(delivered()).toBe(transfers);
    }
    expect(count(p.decode, 'num_bootstrap_failed_reqs_total')).toBeGreaterThan(failed);
    expect(p.riseUntil(300.5, () => count(p.decode, 'num_bootstrap_failed_reqs_total'))).toBeGreaterThanOrEqual(pinned);
    expect(p.riseUntil(330, () => edge(p.decode, 'decode_transferred'))).toBeGreaterThan(10);
  });

  it('decode-kv-exhausted: nobody is admitted for a minute at high usage, while steps go on', () => {
    const p = play(decodeKvExhausted, size);
    p.to(200);
    const tokens = count(p.decode, 'realtime_tokens_total', 'mode="decode"');
    // Only health probes could pass, and they are not run while there is work.
    expect(p.riseUntil(260, () => edge(p.decode, 'decode_bootstrap'))).toBe(0);
    expect(read(p.decode, 'token_usage')).toBeGreaterThan(0.85);
    expect(count(p.decode, 'realtime_tokens_total', 'mode="decode"') - tokens).toBeGreaterThan(20_000);
    expect(count(p.decode, 'num_retracted_requests_total')).toBe(0);
    expect(p.riseUntil(400, () => edge(p.decode, 'decode_bootstrap'))).toBeGreaterThan(5);
  });

  it('decode-full-of-aborted: usage 1 for good, aborts rise, no failure is counted, prefill waits', () => {
    const p = play(decodeFullOfAborted, size);
    p.to(150);
    const failed = ['bootstrap', 'transfer'].map((what) => count(p.decode, `num_${what}_failed_reqs_total`));
    expect(p.riseUntil(400, () => count(p.decode, 'num_aborted_requests_total'))).toBeGreaterThan(50);
    expect(['bootstrap', 'transfer'].map((what) => count(p.decode, `num_${what}_failed_reqs_total`))).toEqual(failed);
    expect(read(p.decode, 'token_usage')).toBeGreaterThan(0.98);
    expect(balancesOf(p.decode).transfer).toBe(p.decode.stages().transfer);
    expect(p.prefill.stages().bootstrap).toBeGreaterThan(10);
  });
});
