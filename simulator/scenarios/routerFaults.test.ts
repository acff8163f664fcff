import { count, play, SIZES } from '../testing/play';
import { edge, read } from '../testing/world';
import { frontendStuck, frontendStuckProbesPass } from './frontendStuck';
import { lostDecodeLeg } from './lostDecodeLeg';
import { prefillBreaker } from './prefillBreaker';

const SELECTION = 'smg_worker_selection_total';

describe.each(SIZES)('with %i prefill and %i decode engines', (...size) => {
  it('prefill-breaker: 0, 1, 2; decode is selected, prefill-0 gets no request any more', () => {
    const p = play(prefillBreaker, size);
    const states = [0.5, 2, 32, 300].map((seconds) => {
      p.to(seconds);
      return read(p.router, 'smg_worker_cb_state', 'prefill-0');
    });
    expect(states).toEqual([0, 1, 2, 2]);
    const onPrefill = (): number => count(p.router, SELECTION, 'worker_type="prefill"');
    const onDecode = (): number => count(p.router, SELECTION, 'worker_type="decode"');
    const [prefillBefore, http] = [onPrefill(), count(p.prefill, 'http_requests_total', 'chat')];
    const decodeRise = p.riseUntil(400, onDecode);
    expect((onPrefill() - prefillBefore) / decodeRise).toBeCloseTo(1 - 1 / size[0], 1);
    expect(count(p.prefill, 'http_requests_total', 'chat')).toBe(http);
    expect(count(p.decode, 'num_bootstrap_failed_reqs_total')).toBeGreaterThan(30);
  });

  it('lost-decode-leg: 24 in flight until 1800 s are over; orphans fail on prefill after 300 s, decode sees none', () => {
    const p = play(lostDecodeLeg, size);
    const sinceS = (p.endMs - 33 * 60_000 - p.t0Ms) / 1000;
    p.to(sinceS);
    const http = count(p.decode, 'http_requests_total', 'chat');
    const failures = (): number =>
      p.deployment.engines.reduce((sum, engine) => sum + count(engine, 'num_bootstrap_failed_reqs_total'), 0);
    p.to(sinceS + 900);
    expect(read(p.router, 'smg_http_connections_active')).toBe(24);
    expect(count(p.decode, 'http_requests_total', 'chat')).toBe(http);
    expect(failures()).toBe(24);
    const timeouts = (): number => count(p.router, 'smg_http_responses_total', 'status_code="504"');
    expect(p.riseUntil(sinceS + 1_799, timeouts)).toBe(0);
    expect(p.riseUntil((p.endMs - p.t0Ms) / 1000, timeouts)).toBeGreaterThan(0);
  });

  it('frontend-stuck: requests are open, the scheduler is truly empty, probes fail', () => {
    const p = play(frontendStuck, size);
    p.to(40);
    const passed = edge(p.decode, 'decode_prepare');
    const failed = count(p.decode, 'http_responses_total', 'endpoint="/health",status_code="503"');
    p.to(160);
    expect(read(p.decode, 'http_requests_active', 'chat')).toBeGreaterThan(8);
    expect(edge(p.decode, 'decode_prepare')).toBe(passed);
    expect(read(p.decode, 'num_running_reqs')).toBe(0);
    expect(count(p.decode, 'http_responses_total', 'endpoint="/health",status_code="503"') - failed).toBe(2);
  });

  it('frontend-stuck-probes-pass: the same, but each probe passes all edges', () => {
    const p = play(frontendStuckProbesPass, size);
    p.to(40);
    expect(p.riseUntil(160, () => edge(p.decode, 'decode_transferred'))).toBe(2);
    expect(read(p.decode, 'http_requests_active', 'chat')).toBeGreaterThan(8);
    expect(read(p.router, 'smg_worker_health', 'decode-0')).toBe(1);
  });
});
