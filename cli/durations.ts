const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const WHOLE = /^(\d+(ms|s|m|h|d|w))+$/;
const PART = /(\d+)(ms|s|m|h|d|w)/g;

/** Milliseconds of a duration as PromQL writes it (`30m`, `1h30m`, `500ms`), or of bare seconds; else `undefined`. */
export function readDuration(text: string): number | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Number(text) * 1000;
  }
  return WHOLE.test(text)
    ? [...text.matchAll(PART)].reduce((ms, [, n, unit = '']) => ms + Number(n) * (UNIT_MS[unit] ?? NaN), 0)
    : undefined;
}
