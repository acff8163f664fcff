import type { DataFrame } from '@grafana/data';
import type { PipelineEvaluation, StagePart, StageReading } from '../pipeline/model';
import { numberColumn, textColumn, timeColumn } from './column';
import { stateMappings } from './stateMappings';

/** Written in the engine column of the row that sums a stage over its engines. */
export const ALL_ENGINES = 'all';

/**
 * One row per stage, followed by one row per engine of that stage (worst first).
 * Rates are requests per second, times epoch milliseconds, completeness 0…1; what is not known is null.
 */
export function stagesFrame(evaluation: PipelineEvaluation): DataFrame {
  const rows = evaluation.stages.flatMap(({ engines, ...stage }): Row[] => [
    stage,
    ...engines.map((engine) => ({ ...engine, part: stage.part })),
  ]);
  return {
    name: evaluation.id,
    length: rows.length,
    meta: { preferredVisualisationType: 'table' },
    fields: [
      textColumn(
        'stage',
        rowTexts(rows, (row) => row.stage)
      ),
      textColumn(
        'engine',
        rowTexts(rows, (row) => row.engine || ALL_ENGINES)
      ),
      textColumn(
        'state',
        rowTexts(rows, (row) => row.state),
        { mappings: stateMappings() }
      ),
      textColumn(
        'part',
        rowTexts(rows, (row) => row.part)
      ),
      textColumn(
        'reason',
        rowTexts(rows, (row) => row.reason)
      ),
      numberColumn(
        'depth',
        rowNumbers(rows, (row) => row.depth.value),
        { unit: 'short' }
      ),
      textColumn(
        'depth source',
        rowTexts(rows, (row) => row.depth.source)
      ),
      numberColumn(
        'in',
        rowNumbers(rows, (row) => row.arrivalsPerSec),
        { unit: 'reqps' }
      ),
      numberColumn(
        'out',
        rowNumbers(rows, (row) => row.departuresPerSec),
        { unit: 'reqps' }
      ),
      timeColumn(
        'parked since',
        rowNumbers(rows, (row) => row.parkedSinceMs)
      ),
      timeColumn(
        'last progress',
        rowNumbers(rows, (row) => row.lastProgressMs)
      ),
      textColumn(
        'waiting on',
        rowTexts(rows, (row) => row.waitingOn)
      ),
      numberColumn(
        'window',
        rowNumbers(rows, (row) => row.windowMs),
        { unit: 'ms' }
      ),
      numberColumn(
        'completeness',
        rowNumbers(rows, (row) => row.completeness),
        { unit: 'percentunit', min: 0, max: 1 }
      ),
      textColumn(
        'pipeline',
        rowTexts(rows, () => evaluation.id)
      ),
    ],
  };
}

type Row = StageReading & { readonly part: StagePart };

function rowTexts(rows: readonly Row[], read: (row: Row) => string | undefined): Array<string | undefined> {
  return rows.map(read);
}

function rowNumbers(rows: readonly Row[], read: (row: Row) => number | undefined): Array<number | undefined> {
  return rows.map(read);
}
