import type { DataFrame } from '@grafana/data';
import type { PipelineEvaluation, StagePart, StageReading } from '../pipeline/model';
import { numberColumn, textColumn, timeColumn } from './column';
import { stateMappings } from './stateMappings';

/** Written in the engine column of the row that sums a stage over its engines. */
const ALL_ENGINES = 'all';

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
        rows.map((row) => row.stage)
      ),
      textColumn(
        'engine',
        rows.map((row) => row.engine || ALL_ENGINES)
      ),
      textColumn(
        'state',
        rows.map((row) => row.state),
        { mappings: stateMappings() }
      ),
      textColumn(
        'part',
        rows.map((row) => row.part)
      ),
      textColumn(
        'reason',
        rows.map((row) => row.reason)
      ),
      numberColumn(
        'depth',
        rows.map((row) => row.depth.value),
        { unit: 'short' }
      ),
      textColumn(
        'depth source',
        rows.map((row) => row.depth.source)
      ),
      numberColumn(
        'in',
        rows.map((row) => row.arrivalsPerSec),
        { unit: 'reqps' }
      ),
      numberColumn(
        'out',
        rows.map((row) => row.departuresPerSec),
        { unit: 'reqps' }
      ),
      timeColumn(
        'parked since',
        rows.map((row) => row.parkedSinceMs)
      ),
      timeColumn(
        'last progress',
        rows.map((row) => row.lastProgressMs)
      ),
      textColumn(
        'waiting on',
        rows.map((row) => row.waitingOn)
      ),
      numberColumn(
        'window',
        rows.map((row) => row.windowMs),
        { unit: 'ms' }
      ),
      numberColumn(
        'completeness',
        rows.map((row) => row.completeness),
        { unit: 'percentunit', min: 0, max: 1 }
      ),
      textColumn(
        'pipeline',
        rows.map(() => evaluation.id)
      ),
    ],
  };
}

type Row = StageReading & { readonly part: StagePart };
