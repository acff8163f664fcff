import type { DataFrame } from '@grafana/data';
import type { Timeline } from '../pipeline/model';
import { textColumn, timeColumn } from './column';
import { stateMappings } from './stateMappings';

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * One pipeline as core's State timeline draws it: a time column, the verdict, and one text column per stage.
 * A row stands wherever anything changes. Where nothing is known the value is null, and the last row, at the end of
 * the range, is null throughout, so that the last state is not drawn on beyond what was judged.
 */
export function timelineFrame(pipelineId: string, timeline: Timeline): DataFrame {
  const { verdicts, stages, toMs } = timeline;
  const timesMs = changes([verdicts, ...stages.map(({ spans }) => spans)], toMs);
  return {
    name: pipelineId,
    length: timesMs.length,
    fields: [
      timeColumn('time', timesMs),
      textColumn(
        'verdict',
        valuesAt(timesMs, verdicts, ({ kind }) => kind)
      ),
      ...stages.map(({ stage, spans }) =>
        textColumn(
          stage,
          valuesAt(timesMs, spans, ({ state }) => state),
          { mappings: stateMappings() }
        )
      ),
    ],
  };
}

/** Ascending instants at which any row of spans starts or ends, closed by the end of the range. */
function changes(rows: ReadonlyArray<readonly Span[]>, toMs: number): number[] {
  const instants = new Set(rows.flatMap((spans) => spans.flatMap((span) => [span.fromMs, Math.min(span.toMs, toMs)])));
  return [...instants.add(toMs)].sort((a, b) => a - b);
}

/** The value that holds at each instant; `undefined` in gaps. Spans and instants ascend, so one pass is enough. */
function valuesAt<T extends Span>(
  timesMs: readonly number[],
  spans: readonly T[],
  read: (span: T) => string
): Array<string | undefined> {
  let index = 0;
  return timesMs.map((atMs) => {
    while ((spans[index]?.toMs ?? Infinity) <= atMs) {
      index += 1;
    }
    const span = spans[index];
    return span && span.fromMs <= atMs ? read(span) : undefined;
  });
}
