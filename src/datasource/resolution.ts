import { rangeUtil, type DataQueryRequest, type TimeRange } from '@grafana/data';
import { getDataSourceSrv, getTemplateSrv } from '@grafana/runtime';
import { readIntervalMs, type CompleteSettings } from './settings';

/** Prometheus' own default, and Grafana's when the Prometheus data source names none. */
const DEFAULT_INTERVAL = '15s';
/** Up to this many steps a series is read at the scrape interval (8 h at 15 s); beyond it steps grow. */
const MAX_STEPS = 2000;

/** How finely a range is read. */
export interface Resolution {
  readonly stepMs: number;
  readonly maxDataPoints: number;
}

/** Smallest useful step as a duration: the override, else the scrape interval set in the Prometheus data source. */
export function readInterval(settings: CompleteSettings): string {
  if (readIntervalMs(settings.scrapeInterval) !== undefined) {
    return settings.scrapeInterval.trim();
  }
  const found = settings.prometheusUid === '' ? undefined : readPrometheusInterval(settings.prometheusUid);
  return found ?? DEFAULT_INTERVAL;
}

/**
 * Stalls are judged in scrapes, so a step is one scrape wherever the range allows it, however narrow the panel is.
 * A "Min interval" of the panel, seen as a request interval other than Grafana would have computed, wins.
 */
export function planResolution(request: DataQueryRequest, interval: string): Resolution {
  const own = readIntervalMs(interval) ?? 15_000;
  const computed = rangeUtil.calculateInterval(request.range, request.maxDataPoints ?? 1, `${own}ms`).intervalMs;
  const asked = request.intervalMs > 0 && request.intervalMs !== computed ? request.intervalMs : own;
  const steps = Math.max(1, Math.min(MAX_STEPS, Math.ceil(spanMs(request.range) / asked)));
  const maxDataPoints = Math.max(steps, request.maxDataPoints ?? 0);
  return { stepMs: Math.max(asked, rangeUtil.roundInterval(spanMs(request.range) / maxDataPoints)), maxDataPoints };
}

function readPrometheusInterval(uid: string): string | undefined {
  const settings = getDataSourceSrv().getInstanceSettings({ uid: getTemplateSrv().replace(uid) });
  const jsonData: object = settings?.jsonData ?? {};
  const interval: unknown = Reflect.get(jsonData, 'timeInterval');
  return typeof interval === 'string' && readIntervalMs(interval) !== undefined ? interval : undefined;
}

function spanMs({ from, to }: TimeRange): number {
  return Math.max(0, to.valueOf() - from.valueOf());
}
