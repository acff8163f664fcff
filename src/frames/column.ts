import { FieldType, type Field, type FieldConfig } from '@grafana/data';

/** A field of a table we write; missing values are null, as Grafana expects. */
export function column(
  name: string,
  type: FieldType,
  values: ReadonlyArray<string | number | undefined>,
  config: FieldConfig = {}
): Field {
  return { name, type, config, values: values.map((value) => value ?? null) };
}

export function timeColumn(name: string, values: ReadonlyArray<number | undefined>, config?: FieldConfig): Field {
  return column(name, FieldType.time, values, config);
}

export function textColumn(name: string, values: ReadonlyArray<string | undefined>, config?: FieldConfig): Field {
  return column(name, FieldType.string, values, config);
}

export function numberColumn(name: string, values: ReadonlyArray<number | undefined>, config?: FieldConfig): Field {
  return column(name, FieldType.number, values, config);
}
