import { sizeUntil } from '../events';
import type { Pipeline } from '../fleet';
import { riseSince, type EngineMoment, type Moment } from '../moment';
import type { Trigger, Verdict, VerdictKind, Words } from '../model';
import type { AnySignalId } from '../profiles/sglang';
import { count } from '../sentences';

/** What a rule concluded, in words. */
export type Conclusion = Verdict;

/** A burst that precedes a stall by at most this long is taken as its trigger. */
const TRIGGER_REACH_MS = 300_000;

/** Clients that give up after a stall began abort too: what comes later than this is consequence, not cause. */
const TRIGGER_SLACK_MS = 10_000;

export interface Speech {
  readonly moment: Moment;
  readonly words: Words;
}

export const plain = { completeness: 1, evidence: [], alternatives: [] } as const;

/** The abort burst that led to a stall: the latest one before it, allowing for the scrape that shows both. */
export function triggerOf(pipeline: Pipeline, moment: Moment, sinceMs: number): Trigger | undefined {
  const before = pipeline.bursts.filter(
    (b) =>
      b.atMs <= moment.atMs &&
      b.atMs >= sinceMs - TRIGGER_REACH_MS &&
      b.atMs <= sinceMs + Math.min(moment.intervalMs, TRIGGER_SLACK_MS)
  );
  const last = before[before.length - 1];
  return last && { kind: 'abort-burst', atMs: last.atMs, size: sizeUntil(last, moment.atMs) };
}

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

export const sumSince = (moment: Moment, id: AnySignalId, sinceMs: number): number | undefined =>
  moment.engines.reduce<number | undefined>((sum, e) => {
    const rise = riseSince(e.engine, id, sinceMs, e.index);
    return rise === undefined ? sum : (sum ?? 0) + rise;
  }, undefined);

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
