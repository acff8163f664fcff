import type { StageId, Words } from './model';

/** Wall clock in UTC, for callers that do not know the reader's time zone. */
export const UTC_WORDS: Words = { time: (atMs) => new Date(atMs).toISOString().slice(11, 19) };

/** `42 s`, `10 m 42 s`, `3 h 5 m`, `2 d 4 h`: the two largest units, as people say it. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const parts: ReadonlyArray<readonly [number, string]> = [
    [Math.floor(s / 86_400), 'd'],
    [Math.floor(s / 3600) % 24, 'h'],
    [Math.floor(s / 60) % 60, 'm'],
    [s % 60, 's'],
  ];
  const first = parts.findIndex(([n]) => n > 0);
  return first < 0
    ? '0 s'
    : parts
        .slice(first, first + 2)
        .filter(([n]) => n > 0)
        .map(([n, unit]) => `${n} ${unit}`)
        .join(' ');
}

/** Two to three significant digits. */
export function rate(perSec: number): string {
  return perSec >= 100
    ? String(Math.round(perSec))
    : perSec >= 10
      ? perSec.toFixed(1)
      : perSec.toFixed(perSec < 0.095 ? 2 : 1);
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.2 GB`. */
export function byteCount(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[power]}`;
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

const MOST_LISTED = 3;

/** `a`, `a and b`, `a, b, c and 4 more`. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED);
  const rest =
    names.length > MOST_LISTED ? `${names.length - MOST_LISTED} more` : shown.length > 1 ? shown.pop() : undefined;
  return rest === undefined ? shown.join() : `${shown.join(', ')} and ${rest}`;
}

export const STAGE_NAMES: Readonly<Record<StageId, string>> = {
  router: 'router',
  'prefill.bootstrap': 'prefill bootstrap',
  'prefill.waiting': 'prefill waiting queue',
  'prefill.forward': 'prefill forward',
  'prefill.inflight': 'prefill inflight',
  'decode.prealloc': 'decode prealloc',
  'decode.transfer': 'KV transfer',
  'decode.waiting': 'decode waiting queue',
  'decode.running': 'decode running',
};

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
