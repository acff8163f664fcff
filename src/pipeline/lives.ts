import type { Engine } from './columns';
import type { AnySignalId } from './profiles/sglang';
import type { Column } from './series';

/** The scrapes of one process, from one restart to the next. */
export interface Life {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** A range is one life more than it has restarts. */
export function livesOf(scrapes: number, restarts: readonly number[]): Life[] {
  const starts = [0, ...restarts.filter((r) => r > 0 && r < scrapes)];
  return starts.map((from, k) => ({ from, to: starts[k + 1] ?? scrapes }));
}

const isSeenIn = (column: Column, { from, to }: Life): boolean =>
  column.slice(from, to).some((value) => value !== undefined);

/** Of one signal in several spellings, newest first: each process has one. */
export function spelledOnce(spellings: ReadonlyArray<readonly Column[]>, lives: readonly Life[]): Column[] {
  const [first, ...older] = spellings.filter((parts) => parts.length > 0);
  if (!first || older.length === 0) {
    return [...(first ?? [])];
  }
  const all = [first, ...older];
  const spoken = lives.map((life) => all.findIndex((parts) => parts.some((part) => isSeenIn(part, life))));
  return all.flatMap((parts, k) =>
    parts.map((part) =>
      lives.flatMap(({ from, to }, n) => part.slice(from, to).map((v) => (spoken[n] === k ? v : undefined)))
    )
  );
}

/** What the HTTP process counts by itself; all else shows that the scheduler has taken a request. */
const COUNTED_BEFORE: ReadonlySet<AnySignalId> = new Set([
  'http.requests',
  'http.all',
  'http.responses',
  'checks.failed',
  'requests.aborted',
  'heartbeat',
] as const);

/**
 * The engine as each of its processes showed it: with the signals of that process only, since the one before may have
 * been of another release. A process that has counted no request yet is taken to have those of the one before.
 */
export function engineByLife<T extends Pick<Engine, 'timesMs' | 'restarts' | 'columns' | 'rises'>>(
  engine: T
): ReadonlyArray<Life & { readonly engine: T }> {
  const lives = livesOf(engine.timesMs.length, engine.restarts);
  let known: ReadonlySet<AnySignalId> = new Set();
  if (lives.length === 1) {
    return lives.map((life) => ({ ...life, engine }));
  }
  return lives.map((life) => {
    const own = [...engine.columns].flatMap(([id, column]) => (isSeenIn(column, life) ? [id] : []));
    const hasServed = own.some((id) => engine.rises.has(id) && !COUNTED_BEFORE.has(id));
    known = new Set(hasServed ? own : [...known, ...own]);
    return { ...life, engine: known.size === engine.columns.size ? engine : only(engine, known) };
  });
}

function only<T extends Pick<Engine, 'columns' | 'rises'>>(engine: T, signals: ReadonlySet<AnySignalId>): T {
  const kept = <V>(all: ReadonlyMap<AnySignalId, V>): Map<AnySignalId, V> =>
    new Map([...all].filter(([id]) => signals.has(id)));
  return { ...engine, columns: kept(engine.columns), rises: kept(engine.rises) };
}

/** The same grid, with nothing before and after the life: what is learnt of one process is not told of another. */
export function within<T extends Pick<Engine, 'timesMs' | 'columns' | 'rises' | 'pushed'>>(
  engine: T,
  { from, to }: Life
): T {
  if (from === 0 && to === engine.timesMs.length) {
    return engine;
  }
  const isIn = (i: number): boolean => i >= from && i < to;
  return {
    ...engine,
    columns: new Map([...engine.columns].map(([id, c]) => [id, c.map((v, i) => (isIn(i) ? v : undefined))])),
    rises: new Map([...engine.rises].map(([id, r]) => [id, r.map((n, i) => (isIn(i) ? n : 0))])),
    pushed: engine.pushed.map((p, i) => p && isIn(i)),
  };
}

/** Lists of which each is right in its own life, joined. */
export const joinLives = <V>(lives: readonly Life[], lists: ReadonlyArray<readonly V[]>): V[] =>
  lives.flatMap(({ from, to }, k) => (lists[k] ?? []).slice(from, to));
