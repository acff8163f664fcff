import { alignToStepMs, computeStepMs, readDurationMs, replaceMacros, type StepInput } from './interval';

const HALF_HOUR: StepInput = {
  fromMs: 0,
  toMs: 1_800_000,
  intervalMs: undefined,
  maxDataPoints: undefined,
  minStep: undefined,
  intervalFactor: undefined,
  scrape: '5s',
};

describe('durations', () => {
  it.each([
    ['15s', 15_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['10', 10_000],
    ['>5s', 5_000],
    ['', undefined],
    ['soon', undefined],
    [undefined, undefined],
  ])('reads %p as %p', (text, ms) => {
    expect(readDurationMs(text)).toBe(ms);
  });
});

describe('step', () => {
  it.each([
    ['the interval that the browser computed', { intervalMs: 5_000, maxDataPoints: 1_000 }, 5_000],
    ['rounded so that the points fit, when that is coarser', { intervalMs: 1_000, maxDataPoints: 100 }, 20_000],
    ['the scrape interval, when the browser sends none', { maxDataPoints: 10_000 }, 5_000],
    ['the minimum step of the query before the computed one', { intervalMs: 1_000, minStep: '1m' }, 60_000],
    ['a second at least', { intervalMs: 100, maxDataPoints: 100_000 }, 1_000],
    ['a multiple by the interval factor', { intervalMs: 5_000, maxDataPoints: 1_000, intervalFactor: 3 }, 15_000],
    ['the rate interval, when the query asks for it', { intervalMs: 5_000, minStep: '$__rate_interval' }, 20_000],
    [
      'no more points than Prometheus answers',
      { toMs: 86_400_000 * 30, intervalMs: 1_000, maxDataPoints: 1e6 },
      300_000,
    ],
  ])('is %s', (_sentence, change, stepMs) => {
    expect(computeStepMs({ ...HALF_HOUR, ...change })).toBe(stepMs);
  });

  it('aligns times downwards, to the wall clock of the user', () => {
    expect(alignToStepMs(12_345, 5_000, 0)).toBe(10_000);
    expect(alignToStepMs(86_400_000 + 3_600_000, 86_400_000, 7_200)).toBe(86_400_000 - 7_200_000);
  });
});

describe('macros', () => {
  it.each([
    ['rate(x[$__rate_interval])', 'rate(x[20s])'],
    ['rate(x[${__rate_interval}])', 'rate(x[20s])'],
    ['rate(x[$__interval]) / $__interval_ms', 'rate(x[15s]) / 15000'],
    ['increase(x[$__range]) / $__range_s / $__range_ms', 'increase(x[1800s]) / 1800 / 1800000'],
    ['x{a="$__unknown"}', 'x{a="$__unknown"}'],
  ])('%s becomes %s', (expr, expected) => {
    expect(replaceMacros(expr, 15_000, { ...HALF_HOUR, intervalMs: 5_000 })).toBe(expected);
  });
});
