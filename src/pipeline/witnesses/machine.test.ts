import { clock, endOf, type PerScrape } from '../../testing/traces';
import { gpu, schedulerCpu, type GpuTrace } from '../../testing/witnesses';
import type { RawSeries } from '../model';
import { coresIn, gpusIn, readGpus, type GpuLoad, type Machine } from './machine';

/** Ten minutes at 15 s; the last minute is judged. */
const TIME = clock(10);
const SPAN = { fromMs: endOf(TIME) - 60_000, toMs: endOf(TIME) };
const machine = (series: readonly RawSeries[]): Machine => ({
  gpus: readGpus(series),
  schedulerCpu: [],
  isShared: false,
});
const trace = (more: Omit<GpuTrace, 'labels'>, uuid = 'GPU-0'): RawSeries[] =>
  gpu(TIME, { labels: { instance: 'd:9400', UUID: uuid }, ...more });
/** What a GPU draws that rested in the first five minutes. */
const rested =
  (watts: number): PerScrape =>
  (scrape) =>
    scrape < 20 ? 70 : watts;
/** What a GPU draws that worked in the first five minutes. */
const worked =
  (watts: number): PerScrape =>
  (scrape) =>
    scrape < 20 ? 560 : watts;

describe('what a GPU does', () => {
  const rows: ReadonlyArray<[string, Omit<GpuTrace, 'labels'>, GpuLoad | undefined]> = [
    ['0 %: no kernel runs', { util: 0, watts: 71 }, 'idle'],
    ['busy, tensor cores work', { util: 97, tensor: 0.2 }, 'busy'],
    ['busy, draws far more than at rest', { util: 97, watts: rested(540) }, 'busy'],
    ['a collective spins: 100 % without a tensor core', { util: 100, tensor: 0 }, 'spinning'],
    ['a collective spins: 100 % near the draw of a GPU at rest', { util: 100, watts: worked(130) }, 'spinning'],
    ['100 % alone does not tell which', { util: 100 }, undefined],
    ['100 % at a draw that never changed does not tell either', { util: 100, watts: 130 }, undefined],
    ['tensor cores and draw contradict each other', { util: 100, tensor: 0, watts: rested(560) }, undefined],
    ['a small batch of decode hardly uses tensor cores', { util: 100, tensor: 0.005 }, undefined],
    ['half busy', { util: 30, tensor: 0.1 }, undefined],
  ];
  it.each(rows)('%s', (_why, more, load) => {
    expect(gpusIn(machine(trace(more)), SPAN)?.load).toBe(load);
  });

  it('one sample in the span is too few', () => {
    expect(gpusIn(machine(trace({ util: 0 })), { ...SPAN, fromMs: endOf(TIME) - 10_000 })).toBeUndefined();
  });

  it('the draw is compared with what was known by then, not with what came later', () => {
    const later: PerScrape = (scrape) => (scrape < 35 ? 130 : 560);
    const until = { fromMs: SPAN.fromMs - 120_000, toMs: SPAN.fromMs - 60_000 };
    expect(gpusIn(machine(trace({ util: 100, watts: later })), until)).toBeUndefined();
  });
});

describe('the GPUs of a host, of which an engine may use any', () => {
  it('all of them rest: so do those of the engine', () => {
    const two = machine([...trace({ util: 0, watts: 70 }), ...trace({ util: 0, watts: 74 }, 'GPU-1')]);
    expect(gpusIn(two, SPAN)).toEqual({ load: 'idle', count: 2, percent: 0, watts: 72 });
  });
  it('some work and some rest: nothing is known', () => {
    const two = machine([...trace({ util: 0 }), ...trace({ util: 97, tensor: 0.2 }, 'GPU-1')]);
    expect(gpusIn(two, SPAN)).toBeUndefined();
  });
  it('there are none', () => {
    expect(gpusIn(machine([]), SPAN)).toBeUndefined();
  });
});

describe('cores of the schedulers', () => {
  const cpu = (cores: PerScrape): Machine => ({ ...machine([]), schedulerCpu: schedulerCpu(TIME, 'd', cores) });
  it.each<[string, PerScrape, number]>([
    ['a loop that turns', 0.97, 0.97],
    ['eight ranks', 8, 8],
    ['a loop that stands', 0, 0],
    ['that stands since three minutes', (scrape) => (scrape < 28 ? 1 : 0), 0],
  ])('%s', (_why, cores, expected) => {
    expect(coresIn(cpu(cores), SPAN)).toBeCloseTo(expected, 6);
  });
  it('a restarted process has counted from zero', () => {
    const [user] = schedulerCpu(TIME, 'd', 1);
    const values = (user?.values ?? []).map((v, i) => (i > 38 ? (i - 38) * 15 : v));
    const restarted = { ...machine([]), schedulerCpu: user ? [{ ...user, values }] : [] };
    expect(coresIn(restarted, SPAN)).toBeGreaterThan(0.9);
  });
  it('not exported: not known', () => {
    expect(coresIn(machine([]), SPAN)).toBeUndefined();
  });
});
