import { realDecodeWork } from '../departures';
import { serversOf, type EngineMoment, type Moment } from '../moment';
import type { AnySignalId } from '../profiles/sglang';
import { cut, indexAt } from '../series';
import { lastHeardMs } from './gauges';

/** A rule about requests that nobody waits for, where decode's tokens are not counted (SGLang before 0.5.7). */

/** As long as a zombie is waited for where tokens are counted. */
const UNHEARD_MS = 60_000;
/** Reports in each part of that time show that decode works all the time. */
const PARTS = 3;
/** Over this long before, and for so many tokens, what clients heard is compared with what decode reported. */
const BEFORE_MS = 180_000;
const ENOUGH_TOKENS = 500;
const HEARD_SHARE = 0.7;

export interface Unheard {
  readonly engine: EngineMoment;
  /** When a client last heard anything. */
  readonly sinceMs: number;
  readonly running: number;
  /** Before, clients heard the tokens that decode reported: answers are streamed here. */
  readonly isStreamed: boolean;
}

/** "Decode reports a running batch again and again, and for a minute no token has reached a client." */
export const unheardDecode = (moment: Moment): Unheard | undefined =>
  serversOf(moment, 'decode').flatMap((e) => unheardOf(e) ?? [])[0];

function unheardOf(e: EngineMoment): Unheard | undefined {
  const { engine, index } = e;
  const { columns, timesMs } = engine;
  const sinceMs = lastHeardMs(e);
  const from = indexAt(timesMs, e.lastSampleMs - UNHEARD_MS);
  const isCounted = columns.has('tokens.decode') || columns.has('passes.decode');
  const isSilent = e.state === 'live' && e.lastSampleMs - sinceMs >= UNHEARD_MS && from >= 0;
  return isSilent && !isCounted && columns.has('tokens.streamed') && isWorking(e, from)
    ? {
        engine: e,
        sinceMs,
        running: columns.get('gauge.running')?.[index] ?? 0,
        isStreamed: isStreamedBefore(e, sinceMs),
      }
    : undefined;
}

const isWorking = ({ engine, index }: EngineMoment, from: number): boolean =>
  cut(realDecodeWork(engine).slice(from + 1, index + 1), PARTS).every((part) => part.some(Boolean));

function isStreamedBefore({ engine }: EngineMoment, sinceMs: number): boolean {
  const { timesMs, columns, rises } = engine;
  const worked = realDecodeWork(engine);
  const span = timesMs.flatMap((t, i) => (i > 0 && t <= sinceMs && t > sinceMs - BEFORE_MS ? [i] : []));
  const sum = (at: (i: number) => number): number => span.reduce((n, i) => n + at(i), 0);
  const rise = (id: AnySignalId): number => sum((i) => rises.get(id)?.[i] ?? 0);
  const heard = rise('tokens.streamed') + rise('tokens.first');
  const seconds = (i: number): number => ((timesMs[i] ?? 0) - (timesMs[i - 1] ?? 0)) / 1000;
  const reported = sum((i) => (worked[i] ? (columns.get('gauge.throughput')?.[i] ?? 0) * seconds(i) : 0));
  return heard >= ENOUGH_TOKENS && heard >= reported * HEARD_SHARE;
}
