// Step and macros as Grafana's Prometheus backend computes them (pkg/promlib/models/query.go).

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};
const RATE_INTERVAL = ['$__rate_interval', '${__rate_interval}'];
const INTERVALS = ['$__interval', '${__interval}', '$__interval_ms', '${__interval_ms}', ...RATE_INTERVAL];
const DEFAULT_SCRAPE_MS = 15_000;
const MIN_STEP_MS = 1_000;
const MAX_POINTS = 11_000;
const DEFAULT_POINTS = 1_500;

export interface StepInput {
  fromMs: number;
  toMs: number;
  intervalMs: number | undefined;
  maxDataPoints: number | undefined;
  /** The query's own minimum step, such as `30s` or `$__rate_interval`. */
  minStep: string | undefined;
  intervalFactor: number | undefined;
  /** The data source's scrape interval, such as `5s`. */
  scrape: string | undefined;
}

/** Milliseconds of a duration such as `1h30m`, `15s` or a bare number of seconds; undefined when it is none. */
export function readDurationMs(text: string | undefined): number | undefined {
  const trimmed = text?.trim().replace(/^[<>]/, '') ?? '';
  if (/^\d+(\.\d+)?$/.test(trimmed)) {
    return Number(trimmed) * 1_000;
  }
  if (!/^(\d+(ms|[smhdwy]))+$/.test(trimmed)) {
    return undefined;
  }
  return [...trimmed.matchAll(/(\d+)(ms|[smhdwy])/g)].reduce(
    (sum, [, n, unit]) => sum + Number(n) * (UNITS[unit ?? ''] ?? 0),
    0
  );
}

export function computeStepMs(input: StepInput): number {
  const minStep = INTERVALS.includes(input.minStep ?? '') ? undefined : readDurationMs(input.minStep);
  const minMs = minStep ?? (input.intervalMs || readDurationMs(input.scrape) || DEFAULT_SCRAPE_MS);
  const rangeMs = Math.max(0, input.toMs - input.fromMs);
  const evenMs = rangeMs / (input.maxDataPoints || DEFAULT_POINTS);
  const wishedMs = evenMs < minMs ? minMs : roundIntervalMs(evenMs);
  const safeMs = roundIntervalMs(rangeMs / MAX_POINTS);
  const stepMs = Math.max(wishedMs, safeMs, MIN_STEP_MS);
  return RATE_INTERVAL.includes(input.minStep ?? '')
    ? rateIntervalMs(stepMs, readDurationMs(input.scrape))
    : stepMs * (input.intervalFactor || 1);
}

function rateIntervalMs(intervalMs: number, scrapeMs = DEFAULT_SCRAPE_MS): number {
  return Math.max(intervalMs + scrapeMs, 4 * scrapeMs);
}

export function alignToStepMs(atMs: number, stepMs: number, utcOffsetSec: number): number {
  const offsetMs = utcOffsetSec * 1_000;
  return Math.floor((atMs + offsetMs) / stepMs) * stepMs - offsetMs;
}

export function replaceMacros(expr: string, stepMs: number, input: StepInput): string {
  const rangeMs = input.toMs - input.fromMs;
  const minStepMs = INTERVALS.includes(input.minStep ?? '') ? stepMs : readDurationMs(input.minStep);
  const rateMs = RATE_INTERVAL.includes(input.minStep ?? '')
    ? stepMs
    : rateIntervalMs(input.intervalMs || stepMs, minStepMs ?? readDurationMs(input.scrape));
  const values: Record<string, string> = {
    __rate_interval: wordDuration(rateMs),
    __interval_ms: String(stepMs),
    __interval: wordDuration(stepMs),
    __range_ms: String(rangeMs),
    __range_s: String(Math.round(rangeMs / 1_000)),
    __range: `${Math.round(rangeMs / 1_000)}s`,
  };
  return expr.replace(/\$(?:\{(__\w+)\}|(__\w+))/g, (whole, braced, bare) => values[braced ?? bare] ?? whole);
}

/** A PromQL duration: whole seconds where possible. */
function wordDuration(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${Math.round(ms)}ms`;
}

/** Grafana's table of round intervals (gtime.RoundInterval), as [upper limit, rounded], in milliseconds. */
const ROUND: ReadonlyArray<readonly [number, number]> = [
  [15, 10],
  [35, 20],
  [75, 50],
  [150, 100],
  [350, 200],
  [750, 500],
  [1_500, 1_000],
  [3_500, 2_000],
  [7_500, 5_000],
  [12_500, 10_000],
  [17_500, 15_000],
  [25_000, 20_000],
  [45_000, 30_000],
  [90_000, 60_000],
  [210_000, 120_000],
  [450_000, 300_000],
  [750_000, 600_000],
  [1_050_000, 900_000],
  [1_500_000, 1_200_000],
  [2_700_000, 1_800_000],
  [5_400_000, 3_600_000],
  [9_000_000, 7_200_000],
  [16_200_000, 10_800_000],
  [32_400_000, 21_600_000],
  [86_400_000, 43_200_000],
  [604_800_000, 86_400_000],
  [1_814_400_000, 604_800_000],
  [3_628_800_000, 2_592_000_000],
];

function roundIntervalMs(ms: number): number {
  return ROUND.find(([limit]) => ms < limit)?.[1] ?? 31_536_000_000;
}
