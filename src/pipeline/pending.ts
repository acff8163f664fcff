import type { TrackedEngine } from './fleet';
import type { EngineMoment } from './moment';
import type { StageId } from './model';
import { each, once } from './once';
import { indexAt, sumKnown } from './series';
import { trackOf } from './stalls';

/** How many requests a prefill engine, or one rank of it, had still to compute; `undefined` where it cannot be known. */
export type Pending = (engine: TrackedEngine, atMs: number) => number | undefined;

/** The two sides are scraped at different instants: the larger of the two scrapes around counts. */
export function pendingOn(decode: readonly EngineMoment[]): Pending {
  const at = pendingAt(decode);
  return (engine, atMs) => {
    const i = indexAt(engine.timesMs, atMs);
    const now = at(engine, i);
    return now === undefined ? undefined : Math.max(now, at(engine, i - 1) ?? 0);
  };
}

/** The same of several engines together, each at its last scrape. */
export const pendingIn = (prefill: readonly EngineMoment[], pending: Pending): number =>
  prefill.reduce((sum, p) => sum + (pending(p.engine, p.lastSampleMs) ?? 0), 0);

/**
 * Requests that wait for compute or are in it, at one scrape of prefill. Decode's metadata may have come for one that still
 * stands in the bootstrap queue, because prefill looks there between two chunks only: those are the ones that do not stand
 * at decode's door.
 */
export function pendingAt(decode: readonly EngineMoment[]): (engine: TrackedEngine, i: number) => number | undefined {
  const atDoor = each((atMs: number): number =>
    decode.reduce((n, { engine }) => n + (atMost(engine, 'decode.prealloc', indexAt(engine.timesMs, atMs)) ?? 0), 0)
  );
  const scrapesOf = once((engine: TrackedEngine) =>
    each((i: number): number | undefined => {
      const bootstrap = atMost(engine, 'prefill.bootstrap', i);
      const inside = [atMost(engine, 'prefill.waiting', i), atMost(engine, 'prefill.forward', i)];
      const ready = bootstrap === undefined ? undefined : Math.max(0, bootstrap - atDoor(engine.timesMs[i] ?? 0));
      return sumKnown([...inside, ready]);
    })
  );
  return (engine, i) => scrapesOf(engine)(i);
}

const atMost = (engine: TrackedEngine, stage: StageId, index: number): number | undefined =>
  trackOf(engine, stage)?.atMost[index];
