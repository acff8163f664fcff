import { rangeUtil, type DataQueryRequest, type TimeRange } from '@grafana/data';
import { getDataSourceSrv, getTemplateSrv } from '@grafana/runtime';
import { encodeInterval, readIntervalMs, type CompleteSettings } from './settings';

/** Grafana's own when the Prometheus data source names none. (Prometheus' is a minute.) */
const DEFAULT_INTERVAL_MS = 15_000;
/** Up to this many steps a series is read at the scrape interval (8 h at 15 s); beyond it steps grow. */
const MAX_STEPS = 2000;

/** How finely a range is read. */
export interface Resolution {
  readonly stepMs: number;
  readonly maxDataPoints: number;
}

/**
 * Smallest useful step: the override, else the scrape interval set in the Prometheus data source. Worded anew, because
 * Grafana throws at durations that people may well write, such as `5 s`.
 */
export function readInterval(settings: CompleteSettings): string {
  const { scrapeInterval, prometheusUid } = settings;
  const ownMs = readIntervalMs(scrapeInterval);
  return encodeInterval(ownMs ?? readPrometheusIntervalMs(prometheusUid) ?? DEFAULT_INTERVAL_MS);
}

/**
 * Stalls are judged in scrapes, so a step is one scrape wherever the range allows it, however narrow the panel is.
 * A "Min interval" of the panel, seen as a request interval other than Grafana would have computed, wins. Grafana
 * computes with the interval that it `knows`, which is another one where a variable chooses Prometheus.
 */
export function planResolution(request: DataQueryRequest, interval: string, knows = interval): Resolution {
  const own = readIntervalMs(interval) ?? DEFAULT_INTERVAL_MS;
  const known = readIntervalMs(knows) ?? DEFAULT_INTERVAL_MS;
  const computed = rangeUtil.calculateInterval(request.range, request.maxDataPoints ?? 1, `${known}ms`).intervalMs;
  const asked = request.intervalMs > 0 && request.intervalMs !== computed ? request.intervalMs : own;
  const steps = Math.max(1, Math.min(MAX_STEPS, Math.ceil(spanMs(request.range) / asked)));
  const maxDataPoints = Math.max(steps, request.maxDataPoints ?? 0);
  return { stepMs: Math.max(asked, rangeUtil.roundInterval(spanMs(request.range) / maxDataPoints)), maxDataPoints };
}

function readPrometheusIntervalMs(uid: string): number | undefined {
  if (uid === '') {
    return undefined;
  }
  const settings = getDataSourceSrv().getInstanceSettings({ uid: getTemplateSrv().replace(uid) });
  const jsonData: object = settings?.jsonData ?? {};
  return readIntervalMs(Reflect.get(jsonData, 'timeInterval'));
}

function spanMs({ from, to }: TimeRange): number {
  return Math.max(0, to.valueOf() - from.valueOf());
}
