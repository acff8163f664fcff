import { Observable, Subject, filter, lastValueFrom, map } from 'rxjs';
import type { BackendSrv, BackendSrvRequest, FetchResponse } from '@grafana/runtime';
import { isRecord } from '../unknown';

/** Grafana's HTTP client, as far as data sources use it: one request per requestId, abort on unsubscribe. */
export class HostBackendSrv {
  private readonly started = new Subject<string>();

  fetch<T>(options: BackendSrvRequest): Observable<FetchResponse<T>> {
    const { requestId } = options;
    return new Observable<FetchResponse<T>>((subscriber) => {
      const controller = new AbortController();
      if (requestId !== undefined) {
        this.started.next(requestId); // a newer request with the same id cancels the older one
      }
      const replaced = this.started.pipe(filter((id) => id === requestId));
      const cancel = replaced.subscribe(() => {
        controller.abort();
        subscriber.error({
          type: 'cancelled',
          cancelled: true,
          status: -1,
          statusText: 'Request was aborted',
          config: options,
        });
      });
      send<T>(options, controller.signal).then(
        (response) => {
          subscriber.next(response);
          subscriber.complete();
        },
        (error: unknown) => subscriber.error(error)
      );
      return () => {
        cancel.unsubscribe();
        controller.abort();
      };
    });
  }

  resolveCancelerIfExists(requestId: string): void {
    this.started.next(requestId);
  }

  get<T>(url: string, params?: BackendSrvRequest['params'], requestId?: string): Promise<T> {
    return this.request<T>({ method: 'GET', url, params, requestId });
  }
  post<T>(url: string, data?: unknown): Promise<T> {
    return this.request<T>({ method: 'POST', url, data });
  }
  put<T>(url: string, data?: unknown): Promise<T> {
    return this.request<T>({ method: 'PUT', url, data });
  }
  patch<T>(url: string, data?: unknown): Promise<T> {
    return this.request<T>({ method: 'PATCH', url, data });
  }
  delete<T>(url: string): Promise<T> {
    return this.request<T>({ method: 'DELETE', url });
  }
  request<T>(options: BackendSrvRequest): Promise<T> {
    return lastValueFrom(this.fetch<T>(options).pipe(map(({ data }) => data)));
  }
  datasourceRequest<T>(options: BackendSrvRequest): Promise<FetchResponse<T>> {
    return lastValueFrom(this.fetch<T>(options));
  }
  chunked(): Observable<never> {
    return new Observable((subscriber) => subscriber.error(new Error('The embedded host has no chunked requests.')));
  }
  search(): Promise<[]> {
    return Promise.resolve([]);
  }
  getDashboardByUid(): Promise<never> {
    return Promise.reject(new Error('The embedded host has no dashboard API.'));
  }
  getFolderByUid(): Promise<never> {
    return Promise.reject(new Error('The embedded host has no folder API.'));
  }
}

export function asBackendSrv(service: HostBackendSrv): BackendSrv {
  return service as unknown as BackendSrv; // its overloads return `any`, which a typed class cannot repeat
}

async function send<T>(options: BackendSrvRequest, signal: AbortSignal): Promise<FetchResponse<T>> {
  const method = options.method ?? 'GET';
  const { body, headers } = encodeBody(options);
  const response = await fetch(addressOf(options), { method, headers, body, signal });
  const { status, statusText, ok, redirected, type, url } = response;
  const data = parse<T>(await response.text());
  if (!ok) {
    throw { status, statusText, data: isRecord(data) ? data : { message: String(data) }, config: options };
  }
  return { status, statusText, ok, redirected, type, url, headers: response.headers, data, config: options };
}

function addressOf({ url, params }: BackendSrvRequest): string {
  const pairs = Object.entries(params ?? {}).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter((v) => v !== undefined && v !== null).map((v) => [key, String(v)])
  );
  const query = new URLSearchParams(pairs).toString();
  const address = /^https?:/.test(url) ? url : `/${url.replace(/^\//, '')}`;
  return query === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

function encodeBody({ data, headers }: BackendSrvRequest): { body?: BodyInit; headers: Record<string, string> } {
  if (data === undefined || data === null) {
    return { headers: { ...headers } };
  }
  if (typeof data === 'string' || data instanceof URLSearchParams || data instanceof FormData) {
    return { body: data, headers: { ...headers } };
  }
  return { body: JSON.stringify(data), headers: { 'Content-Type': 'application/json', ...headers } };
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    return text as T;
  }
}
