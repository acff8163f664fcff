/** Readers of values of unknown shape (stored JSON, frame metadata). Total: whatever comes in, nothing is thrown. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The trimmed text, or `undefined` when it is not a string or blank. */
export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A finite number above zero, or `undefined`. */
export function readPositive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The member of a closed set, or `undefined`. */
export function readMember<T extends string>(members: readonly T[], value: unknown): T | undefined {
  return members.find((member) => member === value);
}
