import type { DataQuery } from '@grafana/schema';
import { isRecord, readMember } from '../frames/json';

export const QUERY_TYPES = ['pipeline', 'hypotheses', 'stages', 'events', 'timeline'] as const;
/** `pipeline` answers with raw series for the panel; the others with what the core concludes from them. */
export type QueryType = (typeof QUERY_TYPES)[number];

/** The query as stored in dashboards, Explore links and annotations. */
export interface PipelineQuery extends DataQuery {
  queryType?: QueryType;
  /** Further label matchers in PromQL, variables allowed; added to those of the data source. */
  matchers?: string;
  /** Id of a pipeline, or a regular expression over ids; blank means all. Not used by `pipeline`. */
  pipeline?: string;
}

export type CompleteQuery = PipelineQuery & Required<Pick<PipelineQuery, keyof typeof DEFAULT_QUERY>>;

export const DEFAULT_QUERY = { queryType: 'pipeline', matchers: '', pipeline: '' } as const;

/** A query of unknown shape with every field filled in; texts keep their blanks, so that editors can be typed in. */
export function readQuery(value: unknown): CompleteQuery {
  const stored = isRecord(value) ? value : {};
  return {
    refId: typeof stored.refId === 'string' && stored.refId !== '' ? stored.refId : 'A',
    hide: stored.hide === true,
    queryType: readMember(QUERY_TYPES, stored.queryType) ?? DEFAULT_QUERY.queryType,
    matchers: typeof stored.matchers === 'string' ? stored.matchers : DEFAULT_QUERY.matchers,
    pipeline: typeof stored.pipeline === 'string' ? stored.pipeline : DEFAULT_QUERY.pipeline,
  };
}
