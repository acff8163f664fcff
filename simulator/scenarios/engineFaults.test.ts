import { type Engine } from '../engine';
import { balancesOf, count, play, SIZES } from '../testing/play';
import { edge, read } from '../testing/world';
import { decodeCrash, prefillCrash } from './crashes';
import { decodeBlockedOnDeadPrefill } from './decodeBlockedOnDeadPrefill';
import { decodeSlow } from './decodeSlow';
import { ppDivergence } from './ppDivergence';
import { prefillSaturated } from './prefillSaturated';
import { prefillWatchdog, prefillWedged } from './prefillWedged';
import { staleRunningGauge } from './staleRunningGauge';

/** A stage counter of prefill on each of its eight pipeline ranks. */
const onPipelineRanks = (engine: Engine, stage: string): number[] =>
  Array.from({ length: 8 }, (_, rank) =>
    count(engine, 'per_stage_req_latency_seconds_count', `pp_rank="${rank}",stage="${stage}"`)
  );

describe.each(SIZES)('with %i prefill and %i decode engines', (...size) => {
  it('decode-blocked-on-dead-prefill: prefill-0 is gone, decode-0 counts nothing more while requests come', () => {
    const p = play(decodeBlockedOnDeadPrefill, size);
    p.to(1);
    expect(p.prefill.scrape()).toBeUndefined();
    const passed = edge(p.decode, 'decode_prepare');
    const tokens = count(p.decode, 'realtime_tokens_total', 'mode="decode"');
    expect(p.riseUntil(100, () => count(p.decode, 'http_requests_total', 'chat'))).toBeGreaterThan(30);
    expect(edge(p.decode, 'decode_prepare')).toBe(passed);
    expect(count(p.decode, 'realtime_tokens_total', 'mode="decode"')).toBe(tokens);
    expect(p.diary().slice(-2)).toEqual([
      [0, 'crash', 'prefill-0:30000'],
      [expect.closeTo(0, 1), 'loop-blocked', 'decode-0:30002'],
    ]);
    if (size[1] > 1) {
      const [, second] = p.deployment.engines.filter(({ role }) => role === 'decode');
      expect(second && p.riseUntil(200, () => edge(second, 'decode_transferred'))).toBeGreaterThan(20);
    }
  });

  it('decode-slow: steps go on at a twentieth of the rate', () => {
    const p = play(decodeSlow, size);
    p.to(-60);
    const steps = (): number => count(p.decode, 'cuda_graph_passes_total');
    const before = p.riseUntil(0, steps);
    p.to(1);
    const after = p.riseUntil(61, steps);
    expect(after).toBeGreaterThan(0);
    expect(after / before).toBeLessThan(0.07);
  });

  it.each([prefillCrash, decodeCrash])(
    '$name: no metrics page any more, and nothing is sent there after 3 checks',
    (scenario) => {
      const p = play(scenario, size);
      const victim = scenario === prefillCrash ? p.prefill : p.decode;
      p.to(-0.1);
      expect(victim.scrape()).toBeDefined();
      p.to(1);
      expect(victim.scrape()).toBeUndefined();
      p.to(190);
      expect(read(p.router, 'smg_worker_health', victim.instance)).toBe(0);
      const answered = (): number => count(p.router, 'smg_http_responses_total', 'status_code="200"');
      const served = p.riseUntil(250, answered);
      expect(served > 100).toBe(size[0] > 1);
    }
  );

  it('prefill-saturated: the waiting queue grows by half a request per second, and every 5 s a batch ends', () => {
    const p = play(prefillSaturated, size);
    p.to(60);
    const waiting = p.prefill.stages().waiting ?? 0;
    const rises = Array.from({ length: 60 }, (_, index) =>
      p.riseUntil(65 + 5 * index, () => edge(p.prefill, 'prefill_forward'))
    );
    expect(Math.min(...rises)).toBeGreaterThan(3);
    expect((p.prefill.stages().waiting ?? 0) - waiting).toBeGreaterThan(100);
    expect(balancesOf(p.prefill).waiting).toBe(p.prefill.stages().waiting);
  });

  it('prefill-wedged: one batch is begun and never ends; no counter of prefill-0 moves', () => {
    const p = play(prefillWedged, size);
    p.to(5);
    const before = p.prefill.scrape()?.filter(({ name }) => /per_stage|realtime|passes/.test(name));
    p.to(600);
    expect(p.prefill.scrape()?.filter(({ name }) => /per_stage|realtime|passes/.test(name))).toEqual(before);
    const begun = count(p.prefill, 'queue_time_seconds_count') - edge(p.prefill, 'prefill_forward');
    expect(begun).toBe(p.prefill.stages().forward);
  });

  it('prefill-watchdog: killed 300 s after its last pass began, back 40 s later, with counters from nothing', () => {
    const p = play(prefillWatchdog, size);
    p.to(299.9);
    expect(p.prefill.isUp).toBe(true);
    p.to(303);
    expect(p.prefill.isUp).toBe(false);
    p.to(345);
    expect(p.prefill.isUp).toBe(true);
    p.to(500);
    expect(edge(p.prefill, 'prefill_forward')).toBeGreaterThan(20);
  });

  it('pp-divergence: 4 requests and a batch that ranks 4 to 7 never see, after a last one that all share', () => {
    const p = play(ppDivergence, size);
    p.to(0);
    const bootstrapped = onPipelineRanks(p.prefill, 'prefill_bootstrap');
    expect(new Set(bootstrapped).size).toBe(1);
    p.to(60);
    const ahead = onPipelineRanks(p.prefill, 'prefill_bootstrap').map(
      (value, rank) => value - (bootstrapped[rank] ?? 0)
    );
    expect(ahead).toEqual([4, 4, 4, 4, 0, 0, 0, 0]);
    expect(new Set(onPipelineRanks(p.prefill, 'prefill_forward')).size).toBe(1);
    expect(p.prefill.stages()).toMatchObject({ forward: 1, waiting: 3 });
    expect(read(p.router, 'smg_worker_health', 'prefill-0')).toBe(1);
  });

  it('stale-running-gauge: 24 for 30 s, with nobody there', () => {
    const p = play(staleRunningGauge, size);
    const seen = [0.5, 10, 20, 29].map((seconds) => {
      p.to(seconds);
      return [read(p.decode, 'num_running_reqs'), p.decode.stages().running];
    });
    expect(seen).toEqual([24, 24, 24, seen[3]?.[0]].map((value) => [value, undefined]));
    expect(balancesOf(p.decode)).toMatchObject({ prealloc: 0, transfer: 0 });
    p.to(32);
    expect(read(p.decode, 'num_running_reqs')).toBe(0);
  });
});
