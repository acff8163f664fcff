// Prometheus results as Grafana's backend encodes them for the browser (data frame JSON, dataplane names).
import { isRecord } from './http';

export interface FrameOptions {
  refId: string;
  expr: string;
  legendFormat: string | undefined;
  stepMs: number;
  warnings: string[];
  kind: 'range' | 'instant';
}

interface Series {
  labels: Record<string, string>;
  samples: Array<[number, string]>;
}

type Entities = { NaN?: number[]; Inf?: number[]; NegInf?: number[] };

export interface Frame {
  schema: { refId: string; meta: Record<string, unknown>; fields: Array<Record<string, unknown>> };
  data: { values: Array<Array<number | string | null>>; entities?: Array<Entities | null> };
}

export function encodeFrames(data: Record<string, unknown>, options: FrameOptions): Frame[] {
  const resultType = String(data['resultType']);
  const frames = readSeries(resultType, data['result']).map((series) => encodeSeries(series, resultType, options));
  const first = frames[0] ?? emptyFrame(resultType, options);
  first.schema.meta['executedQueryString'] = `Expr: ${options.expr}\nStep: ${options.stepMs / 1_000}s`;
  if (options.warnings.length > 0) {
    first.schema.meta['notices'] = options.warnings.map((text) => ({ severity: 'warning', text }));
  }
  return frames.length > 0 ? frames : [first];
}

function readSeries(resultType: string, result: unknown): Series[] {
  if (resultType === 'scalar' || resultType === 'string') {
    return [{ labels: {}, samples: readSamples([result]) }];
  }
  return (Array.isArray(result) ? result : []).filter(isRecord).map((entry) => ({
    labels: readLabels(entry['metric']),
    samples: readSamples(Array.isArray(entry['values']) ? entry['values'] : [entry['value']]),
  }));
}

function readLabels(metric: unknown): Record<string, string> {
  return isRecord(metric) ? Object.fromEntries(Object.entries(metric).map(([k, v]) => [k, String(v)])) : {};
}

function readSamples(values: unknown[]): Array<[number, string]> {
  return values.flatMap((pair) =>
    Array.isArray(pair) ? [[Number(pair[0]), String(pair[1])] as [number, string]] : []
  );
}

function encodeSeries(series: Series, resultType: string, options: FrameOptions): Frame {
  const numbers = encodeNumbers(series.samples.map(([, value]) => value));
  const isText = resultType === 'string';
  return {
    schema: {
      refId: options.refId,
      meta: metaOf(resultType, options),
      fields: [
        { name: 'Time', type: 'time', typeInfo: { frame: 'time.Time' }, config: { interval: options.stepMs } },
        {
          name: series.labels['__name__'] ?? 'Value',
          type: isText ? 'string' : 'number',
          typeInfo: { frame: isText ? 'string' : 'float64' },
          labels: series.labels,
          config: { displayNameFromDS: wordLegend(series.labels, options) },
        },
      ],
    },
    data: {
      values: [
        series.samples.map(([seconds]) => Math.round(seconds * 1_000)),
        isText ? series.samples.map(([, value]) => value) : numbers.values,
      ],
      ...(!isText && numbers.entities ? { entities: [null, numbers.entities] } : {}),
    },
  };
}

function emptyFrame(resultType: string, options: FrameOptions): Frame {
  return {
    schema: { refId: options.refId, meta: metaOf(resultType, options), fields: [] },
    data: { values: [] },
  };
}

function metaOf(resultType: string, options: FrameOptions): Record<string, unknown> {
  const type = options.kind === 'range' ? 'timeseries-multi' : 'numeric-multi';
  return { type, typeVersion: [0, 1], custom: { resultType } };
}

/** JSON has no NaN and no infinities: they travel as null plus their row numbers. */
function encodeNumbers(texts: string[]): { values: Array<number | null>; entities: Entities | undefined } {
  const entities: Entities = {};
  const values = texts.map((text, row) => {
    const value = readNumber(text);
    if (Number.isFinite(value)) {
      return value;
    }
    const kind = Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : 'NegInf';
    (entities[kind] ??= []).push(row);
    return null;
  });
  return { values, entities: Object.keys(entities).length > 0 ? entities : undefined };
}

function readNumber(text: string): number {
  const infinite = /^([+-]?)Inf$/.exec(text);
  return infinite ? (infinite[1] === '-' ? -Infinity : Infinity) : Number(text);
}

function wordLegend(labels: Record<string, string>, { legendFormat, expr }: FrameOptions): string | undefined {
  if (legendFormat === '__auto' && Object.keys(labels).length > 0) {
    return undefined;
  }
  if (legendFormat !== undefined && legendFormat !== '' && legendFormat !== '__auto') {
    return legendFormat.replace(/\{\{\s*(.+?)\s*\}\}/g, (_, name: string) => labels[name] ?? '');
  }
  const { __name__: name = '', ...rest } = labels;
  const pairs = Object.keys(rest)
    .sort()
    .map((key) => `${key}="${rest[key]}"`);
  const legend = pairs.length > 0 || name === '' ? `${name}{${pairs.join(', ')}}` : name;
  return legend === '{}' ? expr : legend;
}
