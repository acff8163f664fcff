export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function wordError(error: unknown): string {
  if (error instanceof Error) {
    return error.message;
  }
  if (isRecord(error)) {
    const data = isRecord(error['data']) ? error['data']['message'] : undefined;
    return String(data ?? error['message'] ?? error['statusText'] ?? 'unknown error');
  }
  return String(error);
}
