import type { Firing } from './alertsFiring';

/** What the evaluator says at an evaluation of the rules: the kind of an alarm (critical or warning), or none. */
export interface Judgement {
  readonly atMs: number;
  readonly alarm: string | undefined;
}

/** A kind that only one of the two gives, and the instants between which it does. */
export interface Disagreement {
  readonly saidBy: 'evaluator' | 'alerts';
  readonly kind: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Rules need a 30 s stall, up to one evaluation for each of the groups, and `for`: so long may an alert come later. */
export const LATE_MS = 60_000;
/** `keep_firing_for` is 3 min at most, and conditions look back up to a minute: so long may it fire on. */
export const HELD_MS = 240_000;
/** A rule may also be the quicker one. */
export const EARLY_MS = 30_000;

/**
 * Where evaluator and alerts differ by more than their lag. An alarm that the evaluator gives for `LATE_MS` without a
 * break must fire as an alert of its kind then; an alert must be an alarm of the evaluator from `HELD_MS` before it to
 * `EARLY_MS` after it. Information is not compared.
 */
export function disagreements(judged: readonly Judgement[], firings: readonly Firing[]): Disagreement[] {
  const alarms = firings.filter((f) => f.severity === 'critical' || f.severity === 'warning');
  const kinds = new Set([...judged.flatMap((j) => j.alarm ?? []), ...alarms.map((f) => f.kind)]);
  return [...kinds].sort().flatMap((kind) => {
    const said = judged.filter((j) => j.alarm === kind).map((j) => j.atMs);
    const fired = alarms.filter((f) => f.kind === kind).map((f) => f.atMs);
    const others = judged.filter((j) => j.alarm !== kind).map((j) => j.atMs);
    const missing = said.filter((t) => isSettled(t, said, others) && !fired.includes(t));
    const extra = fired.filter((t) => !said.some((s) => s >= t - HELD_MS && s <= t + EARLY_MS));
    return [...spanOf('evaluator', kind, missing), ...spanOf('alerts', kind, extra)];
  });
}

/** The evaluator has said the same since `LATE_MS` ago. */
const isSettled = (atMs: number, said: readonly number[], others: readonly number[]): boolean =>
  said.some((t) => t <= atMs - LATE_MS) && !others.some((t) => t >= atMs - LATE_MS && t < atMs);

function spanOf(saidBy: Disagreement['saidBy'], kind: string, times: readonly number[]): Disagreement[] {
  return times.length > 0 ? [{ saidBy, kind, fromMs: Math.min(...times), toMs: Math.max(...times) }] : [];
}
