import { isRecord } from './http';

const TIMEOUT_MS = 30_000;

/** What Prometheus answered to an API call, or why there is no answer. */
export type PrometheusAnswer =
  { ok: true; data: Record<string, unknown>; warnings: string[] } | { ok: false; status: number; message: string };

/** The address of a call of Prometheus' API; undefined when the path leads out of it, also by dots that are escaped. */
export function apiAddress(prometheusUrl: string, path: string): URL | undefined {
  const target = new URL(`${prometheusUrl}/${path.replace(/[?#]/g, encodeURIComponent)}`);
  return target.href.startsWith(`${prometheusUrl}/api/v1/`) ? target : undefined;
}

/** POSTs a form to the Prometheus API: queries may be longer than a URL allows. */
export async function postForm(
  url: string,
  form: Record<string, string>,
  client: AbortSignal
): Promise<PrometheusAnswer> {
  const signal = AbortSignal.any([client, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const body = new URLSearchParams({ ...form, timeout: `${TIMEOUT_MS / 1000}s` });
    const response = await fetch(url, { method: 'POST', body, signal });
    return readAnswer(response.status, await response.text());
  } catch (error) {
    return { ok: false, ...wordFailure(error) };
  }
}

function readAnswer(status: number, text: string): PrometheusAnswer {
  const body = parseJson(text);
  if (!isRecord(body)) {
    return { ok: false, status: 502, message: `Prometheus answered ${status} without JSON: ${text.slice(0, 200)}` };
  }
  if (body['status'] !== 'success' || !isRecord(body['data'])) {
    const kind = typeof body['errorType'] === 'string' ? `${body['errorType']}: ` : '';
    return {
      ok: false,
      status: status >= 400 ? status : 502,
      message: kind + String(body['error'] ?? `status ${status}`),
    };
  }
  const warnings = Array.isArray(body['warnings']) ? body['warnings'].map(String) : [];
  return { ok: true, data: body['data'], warnings };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function wordFailure(error: unknown): { status: number; message: string } {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { status: 504, message: `Prometheus did not answer within ${TIMEOUT_MS / 1000} s.` };
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { status: 502, message: `Prometheus cannot be reached: ${cause ?? message}` };
}
