import {
  LoadingState,
  toDataFrame,
  type DataFrame,
  type DataQueryError,
  type DataQueryResponse,
  type Field,
} from '@grafana/data';
import { defaultIfEmpty, from, isObservable, map, scan, type Observable } from 'rxjs';
import { encodeContract } from '../frames/contract';
import { encodeSeriesName } from '../frames/seriesName';
import type { PipelineOptions, PlannedQuery } from '../pipeline';
import { encodeFailure, readFailure, type Failure } from './failures';

export interface ResponseContext {
  readonly refId: string;
  readonly plan: readonly PlannedQuery[];
  readonly options: PipelineOptions;
  /** Name of the Prometheus data source, for messages. */
  readonly source: string;
}

/** A response that says why there is no data. */
export function encodeFailed(refId: string, failure: Failure): DataQueryResponse {
  return { data: [], errors: [encodeFailure(refId, failure)], state: LoadingState.Error };
}

/**
 * Whatever a data source returns as an observable of whole responses: packets with different keys are partial results
 * of the same request and are put together, packets with the same key replace each other.
 */
export function gatherPackets(
  result: Promise<DataQueryResponse> | Observable<DataQueryResponse>
): Observable<DataQueryResponse> {
  const packets = isObservable(result) ? result : from(result);
  return packets.pipe(
    scan((byKey, packet) => new Map(byKey).set(packet.key ?? '', packet), new Map<string, DataQueryResponse>()),
    map((byKey) => joinResponses([...byKey.values()])),
    defaultIfEmpty<DataQueryResponse, DataQueryResponse>({ data: [], state: LoadingState.Done })
  );
}

/** Several responses as one. It is loading as long as one of them is, and failed when any has errors. */
export function joinResponses(responses: readonly DataQueryResponse[]): DataQueryResponse {
  const errors = responses.flatMap(errorsOf);
  const states = responses.map(({ state }) => state);
  const pending = states.find((state) => state === LoadingState.Loading || state === LoadingState.Streaming);
  return {
    data: responses.flatMap(({ data }) => data ?? []),
    state: pending ?? (errors.length > 0 ? LoadingState.Error : LoadingState.Done),
    ...(errors.length > 0 && { errors }),
  };
}

/**
 * Frames of Prometheus as ours: metric name put back, our refId, the contract of docs/frames.md; data and errors both.
 * The response may be shared with other queries: it is left as it is, and the refIds may be of the one that asked first.
 */
export function mapResponse(response: DataQueryResponse, context: ResponseContext): DataQueryResponse {
  const errors = readErrors(errorsOf(response), context);
  return {
    state: response.state,
    errors: errors.length > 0 ? errors : undefined,
    data: (response.data ?? []).map((item) => mapFrame(toDataFrame(item), context)),
  };
}

function errorsOf(response: DataQueryResponse): DataQueryError[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- data sources still answer with it
  const { errors, error } = response;
  return errors && errors.length > 0 ? errors : error ? [error] : [];
}

/** The same failure of several planned queries is told once. */
function readErrors(errors: readonly DataQueryError[], { refId, source }: ResponseContext): DataQueryError[] {
  const worded = errors.map((error) => ({ ...error, ...encodeFailure(refId, readFailure(error, source)) }));
  return worded.filter((one, index) => worded.findIndex(({ message }) => message === one.message) === index);
}

function mapFrame(frame: DataFrame, { refId, plan, options }: ResponseContext): DataFrame {
  const planned = plan.find(({ id }) => frame.refId?.endsWith(`.${id}`));
  const contract = { version: 1, planned: planned?.id ?? '', name: planned?.name, options } as const;
  return {
    ...frame,
    refId,
    meta: encodeContract(frame.meta, contract),
    fields: frame.fields.map((field) => mapField(field, planned?.name)),
  };
}

/** Display names are set here, because Grafana versions derive different ones from the same labels. */
function mapField(field: Field, name: string | undefined): Field {
  if (!field.labels) {
    return { ...field, config: { ...field.config }, state: null };
  }
  const labels = name === undefined || field.labels.__name__ ? field.labels : { ...field.labels, __name__: name };
  return { ...field, labels, config: { ...field.config, displayNameFromDS: encodeSeriesName(labels) }, state: null };
}
