import { serversOf, type EngineMoment, type Moment } from '../moment';
import { countsStages } from '../occupancy';
import type { AnySignalId } from '../profiles/sglang';
import { holds } from '../profiles/versions';
import { indexAt, lastCounted, sumAfter } from '../series';
import { trackOf } from '../stalls';

/** What an engine did when it was last seen. */

/** It had requests inside. */
export function heldRequests({ engine, index }: EngineMoment): boolean {
  const isOpen = (id: AnySignalId): boolean => (engine.columns.get(id)?.[index] ?? 0) > 0;
  // The running gauge is left over from the last steps: it speaks only where open requests are not counted to their end.
  const isCounted = engine.columns.has('http.active');
  const isToTheEnd = holds(engine.releases[index], 'httpOpenUntilStreamEnds') !== false;
  const open = isCounted && isToTheEnd ? 'http.active' : 'gauge.running';
  return engine.stages.some((t) => (t.balance[index] ?? 0) > 0) || isOpen(open);
}

/** It had got requests between its last two samples, or finished some: an engine that is drained before a restart has not. */
export const wasInUse = (e: EngineMoment): boolean =>
  ((countsStages(e.engine) ? arrivalsOf(e) : e.engine.rises.get('requests.finished'))?.[e.index] ?? 0) > 0;

/** So many requests come to each of its neighbours that some would have come to it too. */
const SURELY_COMES = 3;

export const liveNeighbours = ({ engine }: EngineMoment, moment: Moment): EngineMoment[] =>
  serversOf(moment, engine.role ?? 'unified').filter((o) => o.state === 'live');

/** Nothing had come to it for a while when its neighbours were still asked: it only finished what it had. */
export function wasDrained(e: EngineMoment, moment: Moment): boolean {
  const pool = liveNeighbours(e, moment);
  const span = { fromMs: lastAskedMs(e), toMs: e.lastSampleMs };
  const asked = pool.reduce((n, o) => n + arrivalsIn(o, span), 0);
  return pool.length > 0 && asked >= SURELY_COMES * pool.length;
}

const lastAskedMs = (e: EngineMoment): number =>
  e.engine.timesMs[Math.max(0, lastCounted(arrivalsOf(e), e.index))] ?? e.lastSampleMs;

const arrivalsIn = (e: EngineMoment, { fromMs, toMs }: { fromMs: number; toMs: number }): number =>
  sumAfter(arrivalsOf(e), indexAt(e.engine.timesMs, fromMs), indexAt(e.engine.timesMs, toMs));

/** Requests that came to an engine, per scrape; where HTTP requests are not counted, those that its scheduler took. */
const arrivalsOf = ({ engine }: EngineMoment): readonly number[] =>
  engine.rises.get('http.requests') ??
  trackOf(engine, engine.role === 'decode' ? 'decode.prealloc' : 'prefill.bootstrap')?.arrivals ??
  [];
