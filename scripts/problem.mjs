/** A failure that the user can act on: printed as one plain message, without a stack trace. */
export class Problem extends Error {}

/** @param {unknown} error */
export function wordProblem(error) {
  if (error instanceof Problem) {
    return error.message;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
