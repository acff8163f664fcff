import { Recorder } from '../recorder';
import { balancesOf, count, play, type Play, SIZES } from '../testing/play';
import { pointsOf, record, recordOptions } from '../testing/recording';
import { edge, read } from '../testing/world';
import { absorbedAborts } from './absorbedAborts';
import { burstsAndPauses } from './burstsAndPauses';
import { clockStep } from './clockStep';
import { counterReset } from './counterReset';
import { idleDpRanks } from './idleDpRanks';
import { inflightArtefact } from './inflightArtefact';
import { kvNearlyFull } from './kvNearlyFull';
import { longPrefill } from './longPrefill';
import { probesOnly } from './probesOnly';
import { retractionRecovers } from './retractionRecovers';
import { rollingRestartDecode, rollingRestartPrefill } from './rollingRestart';
import { scaleOutIn } from './scaleOutIn';
import { trickle } from './trickle';

const arrivals = (p: Play) => (): number => count(p.router, 'smg_http_requests_total');

/** What Prometheus has of `up`, as instances and values, from a whole recording. */
function upSamples(p: Play): ReadonlyArray<readonly [string, number]> {
  const recorder = new Recorder(p);
  recorder.recordAll();
  return pointsOf([...recorder.openMetrics()].join(''), 'up{').map(({ series, value }) => [series, value]);
}

describe.each(SIZES)('with %i prefill and %i decode engines', (...size) => {
  it('bursts-and-pauses: 120 requests or more in 20 s, then none for 160 s', () => {
    const p = play(burstsAndPauses, size);
    p.to(-90);
    const rises = Array.from({ length: 18 }, (_, index) => p.riseUntil(-80 + 10 * index, arrivals(p)));
    expect(rises.filter((rise) => rise > 0).length).toBeLessThanOrEqual(3);
    expect(rises.reduce((sum, rise) => sum + rise, 0)).toBeGreaterThan(90);
  });

  it('trickle: 5 requests in 10 minutes', () => {
    const p = play(trickle, size);
    p.to(-120);
    expect(p.riseUntil(480, arrivals(p))).toBe(5);
    expect(p.deployment.engines.every((engine) => (read(engine, 'num_running_reqs') ?? 0) <= 1)).toBe(true);
  });

  it.each([rollingRestartDecode, rollingRestartPrefill])('$name: one after the other, each 20 s down', (scenario) => {
    const p = play(scenario, size);
    p.to(600);
    const restarts = p.diary().filter(([, kind]) => kind === 'restart');
    const role = scenario === rollingRestartDecode ? 'decode' : 'prefill';
    const pool = p.deployment.engines.filter((engine) => engine.role === role);
    expect(restarts.map(([, , instance]) => instance)).toEqual(pool.map(({ instance }) => instance));
    restarts.forEach(([atS], index) => expect(atS - (restarts[index - 1]?.[0] ?? -Infinity)).toBeGreaterThan(20));
    expect(pool.every((engine) => read(p.router, 'smg_worker_health', engine.instance) === 1)).toBe(true);
  });

  it('counter-reset: the counters of decode-0 begin anew, and no scrape of every 5 s fails', () => {
    const p = play(counterReset, size);
    p.to(2.9);
    const before = edge(p.decode, 'decode_transferred');
    p.to(12);
    expect(edge(p.decode, 'decode_transferred')).toBeLessThan(before);
    expect(upSamples(play(counterReset, size)).filter(([, up]) => up !== 1)).toEqual([]);
  });

  it('long-prefill: chunk after chunk for a minute, and nothing else of prefill-0', () => {
    const p = play(longPrefill, size);
    p.to(5);
    const [forwarded, transferred] = [edge(p.prefill, 'prefill_forward'), edge(p.prefill, 'prefill_transfer_kv_cache')];
    const chunks = [10, 20, 30, 40, 50].map((s) => p.riseUntil(s, () => edge(p.prefill, 'chunked_prefill')));
    expect(chunks.every((rise) => rise >= 3)).toBe(true);
    expect(edge(p.prefill, 'prefill_forward') - forwarded).toBe(0);
    p.to(75);
    expect(edge(p.prefill, 'prefill_transfer_kv_cache')).toBeGreaterThan(transferred);
  });

  it('probes-only: an edge every 10 s without a token, a transfer or a request', () => {
    const p = play(probesOnly, size);
    p.to(1);
    expect(p.riseUntil(61, () => edge(p.decode, 'decode_transferred'))).toBe(6);
    expect(count(p.decode, 'realtime_tokens_total')).toBe(0);
    expect(count(p.prefill, 'kv_transfer_latency_ms_count')).toBe(0);
    expect(arrivals(p)()).toBe(0);
  });

  it('inflight-artefact: 1 after a request that was long delivered, 0 after the idle refresh', () => {
    const p = play(inflightArtefact, size);
    const seen = Array.from({ length: 60 }, (_, index) => {
      p.to(7 + 5 * index);
      return `gauge ${read(p.prefill, 'num_prefill_inflight_queue_reqs')}, really ${p.prefill.stages().inflight ?? 0}`;
    });
    expect(new Set(seen)).toEqual(new Set(['gauge 1, really 0', 'gauge 0, really 0']));
  });

  it('idle-dp-ranks: ranks 1 to 3 of decode-0 say for ever that they are busy, and are not', () => {
    const p = play(idleDpRanks, size);
    const running = (): Array<number | undefined> =>
      [0, 1, 2, 3].map((rank) => read(p.decode, 'num_running_reqs', '', rank));
    p.to(30);
    const frozen = running().slice(1);
    p.to(300);
    expect(running().slice(1)).toEqual(frozen);
    expect(frozen.reduce((sum: number, value) => sum + (value ?? 0), 0)).toBeGreaterThan(0);
    expect(p.decode.requests().every(({ decode }) => decode.dpRank === 0)).toBe(true);
    expect(balancesOf(p.decode)).toMatchObject({ prealloc: 0, transfer: 0 });
  });

  it('absorbed-aborts: 16 aborts, 5 failed transfers, and tokens go on', () => {
    const p = play(absorbedAborts, size);
    p.to(-0.1);
    const failed = count(p.decode, 'num_transfer_failed_reqs_total');
    expect(p.riseUntil(3, () => count(p.decode, 'num_aborted_requests_total'))).toBe(16);
    expect(count(p.decode, 'num_transfer_failed_reqs_total') - failed).toBe(5);
    expect(p.riseUntil(30, () => edge(p.decode, 'decode_transferred'))).toBeGreaterThan(5);
  });

  it('kv-nearly-full: usage above 0.85 at times, and admissions every 5 s', () => {
    const p = play(kvNearlyFull, size);
    p.to(-100);
    const steps = Array.from({ length: 60 }, (_, index) => {
      const rise = p.riseUntil(-95 + 5 * index, () => edge(p.decode, 'decode_bootstrap'));
      return { rise, usage: read(p.decode, 'token_usage') ?? 0 };
    });
    expect(steps.every(({ rise }) => rise > 0)).toBe(true);
    expect(steps.filter(({ usage }) => usage > 0.85).length).toBeGreaterThan(10);
  });

  it('retraction-recovers: some are retracted, all are resumed, nobody passes an edge twice', () => {
    const p = play(retractionRecovers, size);
    p.to(60);
    expect(count(p.decode, 'num_retracted_requests_total')).toBeGreaterThan(0);
    expect(p.decode.stages().retracted).toBeUndefined();
    expect(balancesOf(p.decode).waiting).toBe(0);
    expect(edge(p.decode, 'fake_output')).toBe(
      edge(p.decode, 'decode_waiting') + count(p.decode, 'num_retracted_requests_total')
    );
  });

  it('scale-out-in: a target comes, another goes, and no scrape fails', () => {
    const p = play(scaleOutIn, size);
    const ups = upSamples(p);
    expect(ups.filter(([, up]) => up !== 1)).toEqual([]);
    const samples = (instance: string): number => ups.filter(([series]) => series.includes(instance)).length;
    const all = samples('router-0');
    expect(samples('decode-0')).toBeLessThan(all);
    expect(samples(`decode-${size[1]}`)).toBeLessThan(all);
    expect(samples('prefill-0')).toBe(all);
    expect(read(p.router, 'smg_worker_health', 'decode-0')).toBe(-1);
  });
});

describe('clock-step', () => {
  it('has a hole of 35 s in the sample times at T0, and work of 5 s in it', () => {
    const { run, text } = record(recordOptions(clockStep, 13));
    const tokens = pointsOf(text, 'realtime_tokens_total{', 'decode-0');
    const gaps = tokens.slice(1).map(({ atMs }, index) => atMs - (tokens[index]?.atMs ?? 0));
    expect(gaps.filter((gapMs) => gapMs !== 5_000)).toEqual([35_000]);
    const index = gaps.indexOf(35_000);
    expect(tokens[index + 1]?.atMs).toBe(run.t0Ms + 2_000);
    expect((tokens[index + 1]?.value ?? 0) - (tokens[index]?.value ?? 0)).toBeLessThan(10_000);
  });
});
