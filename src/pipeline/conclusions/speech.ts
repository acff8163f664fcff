import { riseSince, type EngineMoment, type Moment } from '../moment';
import type { Trigger, Verdict, VerdictKind, Words } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { count } from '../sentences';
import { sumKnown } from '../series';
import { burstBefore, triggerBefore } from '../triggers';

/** What a rule concluded, in words. */
export type Conclusion = Omit<Verdict, 'knownDefects'>;

export interface Speech {
  readonly moment: Moment;
  readonly words: Words;
}

export const plain = { completeness: 1, evidence: [], alternatives: [] } as const;

/** The abort burst that led to a stall, as far as it was known. */
export const triggerOf = (moment: Moment, sinceMs: number): Trigger | undefined =>
  wordTrigger(triggerBefore(moment, sinceMs));

/** The abort burst before a stall of which aborts are the cause, whatever made the clients leave. */
export const abortsBefore = (moment: Moment, sinceMs: number): Trigger | undefined =>
  wordTrigger(burstBefore(moment, sinceMs));

const wordTrigger = (found: ReturnType<typeof burstBefore>): Trigger | undefined =>
  found && { kind: 'abort-burst', atMs: found.burst.atMs, size: found.size };

export const after = (trigger: Trigger | undefined): string =>
  trigger ? `, right after ${count(trigger.size, 'abort')}` : '';

/** What has happened, in the words of a headline. */
export const SUBJECT: Readonly<Partial<Record<VerdictKind, string>>> = {
  'engine-down': 'Engine down',
  'router-fault': 'Router hands nothing on',
  'handshake-stalled': 'Handshake stalled',
  'decode-admission-blocked': 'Decode admits nobody',
  'frontend-stuck': 'Front end stuck',
  'rank-divergence': 'Ranks apart',
  'zombie-requests': 'Zombie requests',
  'transfer-slow': 'KV transfer slow',
  'decode-slow': 'Decode slow',
  'prefill-saturated': 'Prefill saturated',
  'aborts-not-absorbed': 'Aborts not absorbed',
  'prefill-stalled': 'Prefill stalled',
  'transfer-stalled': 'KV transfer stalled',
  'decode-wedged': 'Decode stopped',
};

/** The range shows no progress at all, so the stall may be older than the range. */
export const isOlder = (engine: EngineMoment | undefined, sinceMs: number, moment: Moment): boolean =>
  engine !== undefined && sinceMs <= (engine.engine.timesMs[0] ?? 0) + moment.intervalMs / 2;

/** Increase over all engines that count `id`; `undefined` where none does. */
export const sumSince = (moment: Moment, id: AnySignalId, sinceMs: number): number | undefined =>
  sumKnown(moment.engines.map((e) => riseSince(e.engine, id, sinceMs, e.index)));

/** Nothing can be said about the pipeline, and why. */
export const unknown = (headline: string, detail: string, more: Partial<Conclusion> = {}): Conclusion => ({
  ...plain,
  kind: 'unknown',
  severity: 'info',
  headline,
  detail,
  completeness: 0,
  ...more,
});
