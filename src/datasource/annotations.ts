import type { AnnotationEvent, AnnotationQuery, AnnotationSupport, DataFrame } from '@grafana/data';
import { of } from 'rxjs';
import { readEventsFrame, type EventRow } from '../frames/eventsFrame';
import type { EventKind } from '../pipeline';
import { readQuery, type PipelineQuery } from './query';

/** What is worth a line through every panel of a dashboard, with its title and colour; other kinds are left out. */
const MARKS: Readonly<Partial<Record<EventKind, { readonly title: string; readonly color: string }>>> = {
  'abort-burst': { title: 'Abort burst', color: '#E69F00' },
  'stall-start': { title: 'Stall', color: '#D55E00' },
  recovery: { title: 'Recovery', color: '#56B4E9' },
  restart: { title: 'Restart', color: '#0072B2' },
};

/** Events of the pipelines as dashboard annotations. */
export const annotationSupport: AnnotationSupport<PipelineQuery> = {
  getDefaultQuery: () => ({ queryType: 'events' }),
  prepareQuery: (anno: AnnotationQuery<PipelineQuery>) => ({
    ...readQuery(anno.target),
    refId: 'Anno',
    queryType: 'events',
  }),
  processEvents: (_anno, frames: DataFrame[]) => of(frames.flatMap(readEventsFrame).flatMap(encodeEvent)),
};

function encodeEvent({ kind, atMs, text, pipeline, stage, engine }: EventRow): AnnotationEvent[] {
  const mark = MARKS[kind];
  const tags = [kind, pipeline, stage, engine].filter((tag) => tag !== undefined);
  return mark ? [{ time: atMs, title: mark.title, text, color: mark.color, tags }] : [];
}
