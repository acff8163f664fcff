import { dateTime } from '@grafana/data';
import { getDataSourceSrv, setDataSourceSrv } from '@grafana/runtime';
import { install, instance, request } from '../testing/fakePrometheus';
import { planResolution, readInterval } from './resolution';
import { readSettings } from './settings';

const HOUR = 3_600_000;

describe('planResolution', () => {
  it.each([
    // sentence, hours, maxDataPoints, intervalMs of the request, own interval, step, maxDataPoints asked
    ['an hour in a wide panel: one step per scrape', 1, 1000, 15_000, '15s', 15_000, 1000],
    ['an hour in a narrow panel: still one step per scrape', 1, 60, 60_000, '15s', 15_000, 240],
    ['a day: 43 s per step, which Grafana and Prometheus round to 30 s', 24, 1000, 60_000, '15s', 30_000, 2000],
    ['a longer minimal interval of the panel wins', 1, 1000, 300_000, '15s', 300_000, 1000],
    ['a shorter minimal interval of the panel wins', 1, 1000, 5000, '15s', 5000, 1000],
    ['a request without an interval', 1, 1000, 0, '10s', 10_000, 1000],
    ['an interval that cannot be read', 1, 1000, NaN, '?', 15_000, 1000],
    ['no range at all', 0, 1000, 15_000, '15s', 15_000, 1000],
  ])('%s', (_sentence, hours, maxDataPoints, intervalMs, interval, stepMs, points) => {
    const range = { from: dateTime(0), to: dateTime(hours * HOUR) };
    const asked = request([], { range: { ...range, raw: range }, maxDataPoints, intervalMs });
    expect(planResolution(asked, interval)).toEqual({ stepMs, maxDataPoints: points });
  });

  it('does not take what Grafana computed from another interval for a choice of the panel', () => {
    const range = { from: dateTime(0), to: dateTime(HOUR) };
    const asked = request([], { range: { ...range, raw: range }, maxDataPoints: 1000, intervalMs: 15_000 });
    expect(planResolution(asked, '5s', '15s').stepMs).toBe(5000);
    expect(planResolution(asked, '5s', '5s').stepMs).toBe(15_000);
  });
});

describe('readInterval', () => {
  const withPrometheus = (timeInterval: unknown): void =>
    setDataSourceSrv({
      ...getDataSourceSrv(),
      getInstanceSettings: () => instance('prometheus', 'prom', Object.fromEntries([['timeInterval', timeInterval]])),
    });
  beforeEach(() => install());

  it.each([
    ['the override', { prometheusUid: 'prom', scrapeInterval: '5s' }, '30s', '5s'],
    ['an override in words that Grafana cannot read', { prometheusUid: 'prom', scrapeInterval: ' 5 s' }, '30s', '5s'],
    ['bare seconds', { prometheusUid: 'prom', scrapeInterval: '5' }, '30s', '5s'],
    ['the interval of the Prometheus data source', { prometheusUid: 'prom' }, '30s', '30s'],
    ['the same for an override that cannot be read', { prometheusUid: 'prom', scrapeInterval: 'x' }, '30s', '30s'],
    ['15 s when Prometheus names none', { prometheusUid: 'prom' }, undefined, '15s'],
    ['15 s when Prometheus uses a variable', { prometheusUid: 'prom' }, '$interval', '15s'],
    ['15 s when nothing is chosen', {}, '30s', '15s'],
  ])('%s', (_sentence, settings, timeInterval, expected) => {
    withPrometheus(timeInterval);
    expect(readInterval(readSettings(settings))).toBe(expected);
  });
});
