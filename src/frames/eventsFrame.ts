import type { DataFrame } from '@grafana/data';
import { EVENT_KINDS, type EventKind, type Timeline } from '../pipeline/model';
import { numberColumn, textColumn, timeColumn } from './column';
import { readMember } from './json';

/** One row per event of one pipeline, oldest first. `size` is aborted requests or milliseconds; the text says which. */
export function eventsFrame(pipelineId: string, { events }: Timeline): DataFrame {
  return {
    name: pipelineId,
    length: events.length,
    meta: { preferredVisualisationType: 'table' },
    fields: [
      timeColumn(
        'time',
        events.map(({ atMs }) => atMs)
      ),
      textColumn(
        'kind',
        events.map(({ kind }) => kind)
      ),
      textColumn(
        'text',
        events.map(({ text }) => text)
      ),
      textColumn(
        'stage',
        events.map(({ stage }) => stage)
      ),
      textColumn(
        'engine',
        events.map(({ engine }) => engine)
      ),
      numberColumn(
        'size',
        events.map(({ size }) => size)
      ),
      textColumn(
        'pipeline',
        events.map(() => pipelineId)
      ),
    ],
  };
}

/** A row of an events frame, as annotations need it. */
export interface EventRow {
  readonly pipeline: string;
  readonly kind: EventKind;
  readonly atMs: number;
  readonly text: string;
  readonly stage?: string;
  readonly engine?: string;
}

/** The rows of frames written by `eventsFrame`; rows and frames of any other make are skipped. */
export function readEventsFrame(frame: DataFrame): EventRow[] {
  const read = (name: string, row: number): unknown => frame.fields.find((field) => field.name === name)?.values[row];
  const text = (name: string, row: number): string | undefined => {
    const value = read(name, row);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return Array.from({ length: frame.length }, (_, row) => row).flatMap((row) => {
    const kind = readMember(EVENT_KINDS, read('kind', row));
    const atMs = read('time', row);
    if (kind === undefined || typeof atMs !== 'number') {
      return [];
    }
    return [
      {
        kind,
        atMs,
        pipeline: text('pipeline', row) ?? '',
        text: text('text', row) ?? kind,
        stage: text('stage', row),
        engine: text('engine', row),
      },
    ];
  });
}
