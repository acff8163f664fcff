import { dateTimeFormat, getValueFormat } from '@grafana/data';
import type { Formats } from './diagram/formats';

const DAY = 86_400_000;
const formatShort = getValueFormat('short');

/** Two or three significant digits, with Grafana's unit prefixes. */
export function formatNumber(value: number, decimals?: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.01 && decimals === undefined) {
    return value > 0 ? '<0.01' : '>-0.01';
  }
  const { text, suffix } = formatShort(value, decimals ?? decimalsFor(size));
  return `${trimZeros(text)}${(suffix ?? '').replace(' ', '')}`;
}

function decimalsFor(size: number): number {
  const mantissa = size < 1000 ? size : size / 1000 ** Math.floor(Math.log10(size) / 3);
  if (mantissa >= 100) {
    return 0;
  }
  return mantissa >= 1 ? 1 : 2;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Words of instants and numbers for one reader. Instants of another day carry their date. */
export function formatsFor(timeZone: string, aroundMs: number, decimals?: number): Formats {
  const day = (atMs: number): string => dateTimeFormat(atMs, { timeZone, format: 'YYYY-MM-DD' });
  const today = day(aroundMs);
  return {
    time: (atMs) => {
      const format = day(atMs) === today ? 'HH:mm:ss' : 'MM-DD HH:mm:ss';
      return dateTimeFormat(atMs, { timeZone, format });
    },
    tick: (atMs, stepMs) => dateTimeFormat(atMs, { timeZone, format: tickFormat(stepMs) }),
    rate: (perSec) => `${formatNumber(perSec, decimals)}/s`,
    count: (value) => formatNumber(value),
  };
}

function tickFormat(stepMs: number): string {
  if (stepMs < 60_000) {
    return 'HH:mm:ss';
  }
  return stepMs < DAY ? 'HH:mm' : 'MM-DD';
}
