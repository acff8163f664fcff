import type { PipelineEvaluation, Severity } from '../src/pipeline';

export const EXIT = { ok: 0, trouble: 1, fault: 2, unknown: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const RANK: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 3, none: 4 };
const UNKNOWN_RANK = 2;

const rankOf = ({ verdict }: PipelineEvaluation): number =>
  verdict.kind === 'unknown' && RANK[verdict.severity] > UNKNOWN_RANK ? UNKNOWN_RANK : RANK[verdict.severity];

/** Faults, then what is unknown, then the rest. */
export function worstFirst(evaluations: readonly PipelineEvaluation[]): readonly PipelineEvaluation[] {
  return [...evaluations].sort((a, b) => rankOf(a) - rankOf(b) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** A fault in any pipeline outweighs an unknown one, however loud, and that outweighs those that are well. */
export function exitCodeOf(evaluations: readonly PipelineEvaluation[]): ExitCode {
  const isUnknown = ({ verdict }: PipelineEvaluation): boolean => verdict.kind === 'unknown';
  if (evaluations.some((e) => !isUnknown(e) && rankOf(e) < UNKNOWN_RANK)) {
    return EXIT.fault;
  }
  return evaluations.length === 0 || evaluations.some(isUnknown) ? EXIT.unknown : EXIT.ok;
}
