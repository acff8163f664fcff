import type { EventKind, StageId, StageState } from '../../pipeline/model';
import { textWidth } from './text';

export interface StageName {
  /** On the box, where the lane is clear from the place. */
  readonly box: string;
  /** On a narrow box. */
  readonly short: string;
  /** Where it stands alone. */
  readonly full: string;
  readonly row: string;
}

export const STAGE_NAMES: Readonly<Record<StageId, StageName>> = {
  router: { box: 'Router', short: 'Route', full: 'router', row: 'Router' },
  'prefill.bootstrap': { box: 'Bootstrap', short: 'Boot', full: 'prefill bootstrap', row: 'P bootstrap' },
  'prefill.waiting': { box: 'Waiting', short: 'Wait', full: 'prefill waiting', row: 'P waiting' },
  'prefill.forward': { box: 'Forward', short: 'Fwd', full: 'prefill forward', row: 'P forward' },
  'prefill.inflight': { box: 'Inflight', short: 'Infl', full: 'prefill inflight', row: 'P inflight' },
  'decode.prealloc': { box: 'Prealloc', short: 'Alloc', full: 'decode prealloc', row: 'D prealloc' },
  'decode.transfer': { box: 'Transfer', short: 'Xfer', full: 'KV transfer', row: 'D transfer' },
  'decode.waiting': { box: 'Waiting', short: 'Wait', full: 'decode waiting', row: 'D waiting' },
  'decode.running': { box: 'Running', short: 'Run', full: 'decode running', row: 'D running' },
};

/** The word that goes with the shape of a state. */
export const STATE_WORDS: Readonly<Record<StageState, string>> = {
  lost: 'LOST',
  stalled: 'stalled',
  zombie: 'zombie',
  blocked: 'blocked',
  slow: 'slow',
  unknown: 'unknown',
  starved: 'starved',
  flowing: 'flowing',
  idle: 'idle',
};

export const EVENT_WORDS: Readonly<Record<EventKind, string>> = {
  'abort-burst': 'aborts',
  restart: 'restart',
  lost: 'lost',
  back: 'back',
  'stall-start': 'stall starts',
  recovery: 'recovered',
  'gauge-stale': 'gauge stale',
  retraction: 'retracted',
  'timer-expiry': 'timer',
  'canary-failed': 'canary fails',
  'canary-succeeded': 'canary passes',
};

/** The longest name of a stage that fits where its lane is clear from the place. */
export function nameFor(stage: StageId, width: number): string {
  const { box, short } = STAGE_NAMES[stage];
  return textWidth(box, { size: 13, bold: true }) <= width ? box : short;
}

/** The same where the lane is not clear: two stages are called waiting. */
export function laneNameFor(stage: StageId, width: number): string {
  const lane = stage === 'prefill.waiting' ? 'P ' : stage === 'decode.waiting' ? 'D ' : '';
  return lane + nameFor(stage, width - textWidth(lane, { size: 13, bold: true }));
}
