import { DataFrameType, FieldType, type DataFrame, type Field } from '@grafana/data';

/**
 * What a frame is made of.
 * `series`: one time column and value columns that carry their labels (`timeseries-multi`, `timeseries-wide`).
 * `table`: one row per sample, with the labels in columns of their own (Prometheus "Table" format, `timeseries-long`).
 */
export type Columns =
  | { readonly kind: 'empty' }
  | { readonly kind: 'unreadable'; readonly why: string }
  | {
      readonly kind: 'series';
      readonly time: Field;
      readonly values: readonly Field[];
      readonly skipped: readonly Field[];
    }
  | {
      readonly kind: 'table';
      readonly time: Field;
      readonly values: readonly Field[];
      readonly keys: readonly Field[];
    };

const HEATMAPS: ReadonlyArray<string | undefined> = [DataFrameType.HeatmapCells, DataFrameType.HeatmapRows];
const VALUE_COLUMN = /^Value( #.*)?$/;

/** Recognises the shape of a frame from its fields; never throws. */
export function readColumns(frame: DataFrame): Columns {
  const fields = Array.isArray(frame?.fields) ? frame.fields.filter((field) => Array.isArray(field?.values)) : [];
  if (fields.every((field) => field.values.length === 0)) {
    return { kind: 'empty' };
  }
  if (HEATMAPS.includes(frame.meta?.type)) {
    return { kind: 'unreadable', why: 'it is a heatmap' };
  }
  const time = fields.find(isTime);
  if (!time) {
    return { kind: 'unreadable', why: 'it has no time column' };
  }
  const others = fields.filter((field) => field !== time && !isTime(field));
  const numbers = others.filter((field) => field.type === FieldType.number);
  if (numbers.length === 0) {
    return { kind: 'unreadable', why: 'it has no numeric column' };
  }
  return isTable(others, numbers) ? tableOf(time, others, numbers) : seriesOf(time, others, numbers);
}

function isTime(field: Field): boolean {
  return field.type === FieldType.time || /^time(stamp)?$/i.test(field.name);
}

function isTable(others: readonly Field[], numbers: readonly Field[]): boolean {
  const labelled = numbers.some((field) => Object.keys(field.labels ?? {}).length > 0);
  return !labelled && others.some((field) => field.type === FieldType.string);
}

function seriesOf(time: Field, others: readonly Field[], numbers: readonly Field[]): Columns {
  return { kind: 'series', time, values: numbers, skipped: others.filter((field) => !numbers.includes(field)) };
}

/** Numeric columns beside a `Value` column are labels that look like numbers (`le`, `quantile`). */
function tableOf(time: Field, others: readonly Field[], numbers: readonly Field[]): Columns {
  const named = numbers.filter((field) => VALUE_COLUMN.test(field.name));
  const values = named.length > 0 ? named : numbers;
  return { kind: 'table', time, values, keys: others.filter((field) => !values.includes(field)) };
}
