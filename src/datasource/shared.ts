import { CoreApp, type DataQueryRequest, type DataQueryResponse } from '@grafana/data';
import { getTemplateSrv } from '@grafana/runtime';
import { defer, of, ReplaySubject, share, tap, timer, type Observable } from 'rxjs';

/** Panels of one refresh may ask one after the other, so an answer is kept for a moment. */
const KEEP_MS = 1000;

export interface Asked {
  readonly uid: string;
  readonly matchers: string;
  readonly stepMs: number;
  readonly request: DataQueryRequest;
}

/**
 * Equal keys, equal answers of Prometheus. Variables count by their values, which differ between repeated panels.
 * Explore uses its request ids again, to cancel the request before: what it cancels must be its own.
 */
export function keyOf({ uid, matchers, stepMs, request }: Asked): string {
  const { app, range, timezone, scopedVars, requestId, filters = [], groupByKeys = [], scopes = [] } = request;
  const values = getTemplateSrv().replace(matchers, scopedVars, (value: unknown) => JSON.stringify(value) ?? '');
  const asked = [uid, range.from.valueOf(), range.to.valueOf(), timezone, stepMs, matchers, values];
  return JSON.stringify([...asked, filters, groupByKeys, scopes, app === CoreApp.Explore ? requestId : '']);
}

/** Requests that are running. Whoever asks the same joins; the last one to leave cancels. */
export class SharedRequests {
  private readonly running = new Map<string, Observable<DataQueryResponse>>();

  /** Calls `start` only when no request with this key is running or has just been answered. */
  join(key: string, start: () => Observable<DataQueryResponse>): Observable<DataQueryResponse> {
    return defer(() => this.running.get(key) ?? this.add(key, start));
  }

  private add(key: string, start: () => Observable<DataQueryResponse>): Observable<DataQueryResponse> {
    let failed = false;
    const forget = (): Observable<true> => {
      if (this.running.get(key) === shared) {
        this.running.delete(key);
      }
      return of(true);
    };
    const shared = defer(start).pipe(
      tap(({ errors }) => (failed = errors !== undefined)),
      share({
        connector: () => new ReplaySubject(1),
        resetOnRefCountZero: forget,
        resetOnError: forget,
        resetOnComplete: () => (failed ? forget() : timer(KEEP_MS).pipe(tap(forget))),
      })
    );
    this.running.set(key, shared);
    return shared;
  }
}
