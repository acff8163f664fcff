import type { RawSeries } from '../src/pipeline';

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+) (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g;

/** Reads timestamped OpenMetrics text into series, as Prometheus would store them. Times in the text are seconds. */
export function readOpenMetrics(text: string): RawSeries[] {
  const series = new Map<string, { labels: Record<string, string>; timesMs: number[]; values: number[] }>();
  for (const line of text.split('\n')) {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (!match) {
      continue;
    }
    const [, name = '', labelText = '', value = '', time = ''] = match;
    const key = `${name}{${labelText}}`;
    const one = series.get(key) ?? { labels: readLabels(name, labelText), timesMs: [], values: [] };
    series.set(key, one);
    one.timesMs.push(Math.round(Number(time) * 1000));
    one.values.push(Number(value));
  }
  return [...series.values()];
}

function readLabels(name: string, text: string): Record<string, string> {
  const labels: Record<string, string> = { __name__: name };
  for (const [, label = '', value = ''] of text.matchAll(LABEL)) {
    labels[label] = value.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
  }
  return labels;
}
