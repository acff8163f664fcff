import type { DataFrame, Field } from '@grafana/data';
import type { PipelineOptions, Problem, RawSeries } from '../pipeline/model';
import { readColumns, type Columns } from './columns';
import { readContract } from './contract';
import { wordProblems, type Flaws } from './flaws';
import { isRecord } from './json';
import { mergeSamples, readSamples, readTimes, type Samples } from './samples';
import { readSeriesName } from './seriesName';

type Labels = RawSeries['labels'];

/** What was read: series for the core, problems for the reader, options when the frames come from our data source. */
export interface FramesReading {
  readonly series: readonly RawSeries[];
  readonly problems: readonly Problem[];
  readonly options?: PipelineOptions;
}

interface Found {
  readonly labels: Labels;
  readonly samples: Samples;
}

/**
 * Frames of our data source or of any Prometheus data source (time series, wide or table format) as raw series.
 * Total: a frame that cannot be read becomes a problem with a next step, nothing is thrown. Clean columns are shared
 * with the frames, not copied. The contract is in docs/frames.md.
 */
export function readFrames(frames: readonly DataFrame[]): FramesReading {
  const flaws: Flaws = { unreadable: [], nameless: 0, dropped: [], sorted: [], conflicts: [] };
  const found = new Map<string, Found>();
  for (const frame of frames) {
    for (const next of readFrame(frame, flaws)) {
      const key = keyOf(next.labels);
      const before = found.get(key);
      found.set(key, before ? { labels: next.labels, samples: mergeSamples(before.samples, next.samples) } : next);
    }
  }
  const series = [...found.values()].map((item) => finish(item, flaws)).filter((one) => one.timesMs.length > 0);
  const options = readOptions(frames);
  return { series, problems: wordProblems(flaws), ...(options && { options }) };
}

/** Every frame of a response carries the same contract, so the first one is enough. */
function readOptions(frames: readonly DataFrame[]): PipelineOptions | undefined {
  for (const frame of frames) {
    const contract = isRecord(frame) ? readContract(frame) : undefined;
    if (contract) {
      return contract.options;
    }
  }
  return undefined;
}

function finish({ labels, samples }: Found, flaws: Flaws): RawSeries {
  if (samples.dropped > 0) {
    flaws.dropped.push({ labels, count: samples.dropped });
  }
  if (samples.sorted) {
    flaws.sorted.push({ labels, count: 1 });
  }
  if (samples.conflicts > 0) {
    flaws.conflicts.push({ labels, count: samples.conflicts });
  }
  return { labels, timesMs: samples.timesMs, values: samples.values };
}

function readFrame(frame: DataFrame, flaws: Flaws): Found[] {
  const columns = readColumns(frame);
  switch (columns.kind) {
    case 'empty':
      return [];
    case 'unreadable':
      flaws.unreadable.push({ frame: nameOf(frame), why: columns.why });
      return [];
    case 'series':
      return readSeries(frame, columns, flaws);
    case 'table':
      return readTable(frame, columns, flaws);
  }
}

function readSeries(frame: DataFrame, columns: Extract<Columns, { kind: 'series' }>, flaws: Flaws): Found[] {
  for (const field of columns.skipped) {
    flaws.unreadable.push({ frame: nameOf(frame), why: `its column "${field.name}" is not numeric` });
  }
  const timesMs = readTimes(columns.time.values);
  return columns.values.flatMap((field) => {
    const labels = labelsOf(frame, field);
    if (!labels) {
      flaws.nameless += 1;
      return [];
    }
    return [{ labels, samples: readSamples(timesMs, field.values) }];
  });
}

/** Rows with equal labels belong to one series. An empty cell means that the series has no such label. */
function readTable(frame: DataFrame, columns: Extract<Columns, { kind: 'table' }>, flaws: Flaws): Found[] {
  const timesMs = readTimes(columns.time.values);
  return columns.values.flatMap((field) => {
    const rows = new Map<string, { labels: Labels; timesMs: number[]; column: unknown[] }>();
    field.values.forEach((value: unknown, row) => {
      const labels = rowLabels(columns.keys, row);
      const key = keyOf(labels);
      const group = rows.get(key) ?? { labels, timesMs: [], column: [] };
      group.timesMs.push(timesMs[row] ?? NaN);
      group.column.push(value);
      rows.set(key, group);
    });
    return [...rows.values()].flatMap((group) => {
      const labels = named(group.labels, frame, field);
      if (!labels) {
        flaws.nameless += 1;
        return [];
      }
      return [{ labels, samples: readSamples(group.timesMs, group.column) }];
    });
  });
}

function rowLabels(keys: readonly Field[], row: number): Labels {
  const entries = keys.map((key): [string, unknown] => [key.name, key.values[row]]);
  return Object.fromEntries(
    entries.filter(([, value]) => isLabelValue(value)).map(([key, value]) => [key, `${value}`])
  );
}

function isLabelValue(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
}

function labelsOf(frame: DataFrame, field: Field): Labels | undefined {
  return named(field.labels ?? {}, frame, field);
}

/** The labels with `__name__`: from the labels, else from the planned query, else from a legend that spells it out. */
function named(labels: Labels, frame: DataFrame, field: Field): Labels | undefined {
  if (labels.__name__) {
    return labels;
  }
  const planned = readContract(frame)?.name;
  if (planned !== undefined) {
    return { ...labels, __name__: planned };
  }
  const legends = [field.config?.displayNameFromDS, field.config?.displayName, field.name, frame.name];
  const read = legends.map(readSeriesName).find((one) => one !== undefined);
  return read && { ...read, ...labels };
}

function nameOf(frame: DataFrame): string {
  return frame.name ?? frame.refId ?? 'without a name';
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
