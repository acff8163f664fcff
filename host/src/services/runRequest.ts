// npm's packages leave out Grafana's request runner: packets merge by key, annotations are split off.
import { Observable, catchError, from, map, merge, of, share, takeUntil, timer } from 'rxjs';
import {
  DataTopic,
  LoadingState,
  type DataFrame,
  type DataQueryError,
  type DataQueryRequest,
  type DataQueryResponse,
  type DataSourceApi,
  type PanelData,
} from '@grafana/data';
import { toDataQueryError } from '@grafana/runtime';

const LOADING_AFTER_MS = 200;

type QueryFn = (request: DataQueryRequest) => Observable<DataQueryResponse> | Promise<DataQueryResponse>;

export function runRequest(
  dataSource: DataSourceApi,
  request: DataQueryRequest,
  queryFn?: QueryFn
): Observable<PanelData> {
  let current: PanelData = { state: LoadingState.Loading, series: [], request, timeRange: request.range };
  if (request.targets.length === 0) {
    return of({ ...current, state: LoadingState.Done });
  }
  const packets = new Map<string, DataQueryResponse>();
  const query: QueryFn = queryFn ?? ((asked) => dataSource.query(asked));
  const results = from(query(request)).pipe(
    map((packet) => {
      if (!Array.isArray(packet.data)) {
        throw new Error(`Expected response data to be an array, got ${typeof packet.data}.`);
      }
      request.endTime = Date.now();
      packets.set(packet.key ?? 'A', packet);
      current = combine([...packets.values()], packet, request);
      return current;
    }),
    catchError((error: unknown) => of({ ...current, ...failed([toDataQueryError(error)]) })),
    share()
  );
  const loading = timer(LOADING_AFTER_MS).pipe(
    map(() => current),
    takeUntil(results)
  );
  return merge(loading, results);
}

function combine(packets: DataQueryResponse[], latest: DataQueryResponse, request: DataQueryRequest): PanelData {
  const frames: DataFrame[] = packets.flatMap((packet) => packet.data);
  const errors = packets.flatMap((packet) => packet.errors ?? (packet.error ? [packet.error] : []));
  const isAnnotation = (frame: DataFrame): boolean => frame.meta?.dataTopic === DataTopic.Annotations;
  return {
    state: latest.state ?? LoadingState.Done,
    series: frames.filter((frame) => !isAnnotation(frame)),
    annotations: frames.filter(isAnnotation),
    request,
    timeRange: request.range,
    ...(errors.length > 0 ? failed(errors) : {}),
  };
}

function failed(errors: DataQueryError[]): Pick<PanelData, 'state' | 'error' | 'errors'> {
  return { state: LoadingState.Error, error: errors[0], errors };
}
