import type { EngineSeries } from './engines';
import type { RawSeries, Role, VersionRange } from './model';
import {
  DERIVED_SIGNALS,
  ENGINE_PREFIX,
  PUSHED_GAUGES,
  ROUTER_SIGNALS,
  SIGNALS,
  type AnySignalId,
  type Signal,
} from './profiles/sglang';
import { holds } from './profiles/versions';
import { livesOf, spelledOnce } from './lives';
import { releasesOf } from './releases';
import {
  alignTo,
  fallsOf,
  gridOf,
  restartsOf,
  risesOf,
  mostOf,
  sumColumns,
  vanishingsOf,
  withoutRepeats,
  type Column,
} from './series';
import { replacementsOf } from './witnesses/processStart';

/** One scrape target, computed: every signal on the grid of its true scrapes. */
export interface Engine {
  readonly id: string;
  readonly role: Role | undefined;
  /** True scrape times, ascending. */
  readonly timesMs: readonly number[];
  readonly columns: ReadonlyMap<AnySignalId, Column>;
  /** Counters only: increase since the previous scrape. */
  readonly rises: ReadonlyMap<AnySignalId, readonly number[]>;
  /** Scrapes at which this engine had restarted (some counter fell). */
  readonly restarts: readonly number[];
  /** Per scrape: the SGLang releases that it may be of. */
  readonly releases: readonly VersionRange[];
  /** Where several data-parallel ranks share the engine: each by itself, on the same grid; its id is the `dp_rank`. */
  readonly ranks: readonly Engine[];
  /** Of a rank: departures from decode's transfer, per scrape and on whichever rank, that gave no first token. Empty elsewhere. */
  readonly tokenless: readonly number[];
  /** Per scrape: some gauge changed, so all gauges had just been pushed. */
  readonly pushed: readonly boolean[];
  /** The true scrape times are known; without them an unchanged value may be an old one repeated. */
  readonly stamped: boolean;
  /** Prometheus's own verdict on the target; absent when `up` was not queried. */
  readonly up: RawSeries | undefined;
}

/** Builds the columns of one engine, and of its data-parallel ranks. A release that was told is not looked for. */
export function buildEngine(source: EngineSeries, told?: VersionRange): Engine {
  const scrapes = trueScrapes(gridOf(source.series), source.sampleTimes);
  const whole = measure(source, scrapes, told ? { releases: scrapes.map(() => told) } : {});
  const rankIds = [...new Set(source.series.map((s) => s.labels['dp_rank']))].filter((id) => id !== undefined);
  return rankIds.length < 2 ? whole : { ...whole, ranks: rankIds.map((id) => measureRank(source, id, whole, scrapes)) };
}

/** Counted by the HTTP process, which does not tell for which rank: each may have lost as many, and may be served. */
const OF_ALL_RANKS: ReadonlySet<string> = new Set(
  [...SIGNALS['requests.aborted'].names, ...SIGNALS['tokens.streamed'].names].flatMap((n) => [
    `sglang:${n}`,
    `sglang_${n}`,
  ])
);

function measureRank(source: EngineSeries, id: string, whole: Engine, scrapes: readonly Scrape[]): Engine {
  const own = source.series.filter((s) => s.labels['dp_rank'] === id || OF_ALL_RANKS.has(s.labels['__name__'] ?? ''));
  return { ...measure({ ...source, id, series: own }, scrapes, whole), tokenless: tokenlessOf(whole) };
}

const tokenlessOf = ({ rises }: Engine): number[] => {
  const firsts = rises.get('tokens.first');
  return firsts ? (rises.get('decode.transferred') ?? []).map((n, i) => Math.max(0, n - (firsts[i] ?? 0))) : [];
};

type Known = Partial<Pick<Engine, 'restarts' | 'releases'>>;

function measure(source: EngineSeries, scrapes: readonly Scrape[], known: Known): Engine {
  const grid = scrapes.map((s) => s.gridMs);
  const table: ReadonlyArray<[string, Signal]> = Object.entries(
    source.role === 'router' ? ROUTER_SIGNALS : { ...SIGNALS, ...DERIVED_SIGNALS }
  );
  const spelled = table.flatMap(([id, signal]) => {
    const spellings = seriesOf(source.series, signal).map((list) => list.map((s) => alignTo(grid, s)));
    return spellings.length > 0 && isSignalId(id) ? [{ id, signal, spellings }] : [];
  });
  const isCounter = ({ signal }: { readonly signal: Signal }): boolean => signal.kind === 'counter';
  const counted = spelled.filter(isCounter).flatMap(({ spellings }) => spellings.flat());
  const replaced = replacementsOf(
    scrapes.map((s) => s.trueMs),
    source.processStart
  );
  const restarts = known.restarts ?? restartsOf([...counted.flatMap(fallsOf), ...vanishingsOf(counted), ...replaced]);
  const releases = known.releases ?? releasesOf(source.series, grid, restarts);
  const lives = livesOf(grid.length, restarts);
  const found = spelled.map(({ id, signal, spellings }): Counted => {
    const parts = spelledOnce(spellings, lives);
    return signal.kind === 'counter'
      ? { id, signal, parts: parts.map((part) => countedOnce(id, withoutRepeats(part, restarts), releases)) }
      : { id, signal, parts };
  });
  const columns = new Map<AnySignalId, Column>(found.map((one) => [one.id, joinColumns(one)]));
  const spread = columns.get('ranks.spread') ?? rankSpread(grid, source.series);
  if (spread) {
    columns.set('ranks.spread', spread);
  }
  return {
    id: source.id,
    role: source.role,
    timesMs: scrapes.map((s) => s.trueMs),
    columns,
    rises: risesBy(found.filter(isCounter), restarts),
    restarts,
    releases,
    pushed: pushedAt(grid.length, columns),
    ranks: [],
    tokenless: [],
    stamped: source.sampleTimes !== undefined,
    up: source.up,
  };
}

interface Counted {
  readonly id: AnySignalId;
  readonly signal: Signal;
  readonly parts: readonly Column[];
}

const risesBy = (counters: readonly Counted[], restarts: readonly number[]): Engine['rises'] =>
  new Map(
    counters.map(({ id, signal, parts }) => [
      id,
      joinRises(
        signal,
        parts.map((p) => risesOf(p, restarts))
      ),
    ])
  );

/** One release counts every request twice when it leaves prealloc. */
const countedOnce = (id: AnySignalId, part: Column, releases: readonly VersionRange[]): Column =>
  id === 'decode.bootstrapped'
    ? part.map((n, i) => (n !== undefined && holds(releases[i], 'bootstrapCountedTwice') ? n / 2 : n))
    : part;

/** Of states the highest: a worker that was removed stands at -1, and must not make up for an open breaker. */
const joinColumns = ({ signal, parts }: Counted): Column =>
  signal.kind === 'gauge' && signal.combine === 'most' ? mostOf(parts) : sumColumns(parts);

function joinRises({ combine }: Signal, lists: ReadonlyArray<readonly number[]>): number[] {
  const join = combine === 'most' ? Math.max : (a: number, b: number): number => a + b;
  return (lists[0] ?? []).map((_, i) => lists.reduce((sum, list) => join(sum, list[i] ?? 0), 0));
}

const isSignalId = (id: string): id is AnySignalId => id in SIGNALS || id in ROUTER_SIGNALS || id in DERIVED_SIGNALS;

/** An instant at which the query was evaluated, and the scrape that stood behind it. */
interface Scrape {
  readonly gridMs: number;
  readonly trueMs: number;
}

/**
 * Keeps the grid instants at which a new scrape stood. Prometheus repeats a value for up to five minutes when the
 * samples stop without a staleness marker (backfill, remote write), which would look like a counter at rest.
 */
function trueScrapes(gridMs: readonly number[], sampleTimes: RawSeries | undefined): Scrape[] {
  if (!sampleTimes) {
    return gridMs.map((t) => ({ gridMs: t, trueMs: t }));
  }
  const stampAt = new Map(sampleTimes.timesMs.map((t, i) => [t, (sampleTimes.values[i] ?? 0) * 1000]));
  const kept: Scrape[] = [];
  for (const t of gridMs) {
    const stamp = stampAt.get(t);
    const trueMs = stamp === undefined ? t : Math.min(t, stamp);
    if (trueMs > (kept[kept.length - 1]?.trueMs ?? -Infinity)) {
      kept.push({ gridMs: t, trueMs });
    }
  }
  return kept;
}

/** The series that feed a signal, in each spelling that exists: matching labels, leader ranks. */
function seriesOf(all: readonly RawSeries[], signal: Signal): RawSeries[][] {
  const pattern = signal.matching && new RegExp(`^(?:${signal.matching.pattern})$`);
  const fits = (s: RawSeries): boolean =>
    (!signal.where || (s.labels[signal.where.label] ?? signal.where.value) === signal.where.value) &&
    (!pattern || (signal.matching?.labels ?? []).some((label) => pattern.test(s.labels[label] ?? ''))) &&
    !s.labels['priority'];
  return signal.names
    .map((name) => all.filter((s) => (s.labels['__name__'] ?? '').replace(ENGINE_PREFIX, '') === name && fits(s)))
    .filter((named) => named.length > 0)
    .map((named) => (signal.perRank ? leadersOf(named) : named));
}

/**
 * Every rank's process counts the same requests, so ranks are never summed. The leader of a data-parallel rank is its
 * lowest pipeline and tensor rank (with DP attention that is not tensor rank 0).
 */
function leadersOf(series: readonly RawSeries[]): RawSeries[] {
  const rank = (s: RawSeries): number => Number(s.labels['pp_rank'] ?? 0) * 1e6 + Number(s.labels['tp_rank'] ?? 0);
  const lowest = new Map<string, number>();
  for (const s of series) {
    const dp = s.labels['dp_rank'] ?? '';
    lowest.set(dp, Math.min(lowest.get(dp) ?? Infinity, rank(s)));
  }
  return series.filter((s) => rank(s) === lowest.get(s.labels['dp_rank'] ?? ''));
}

/** Where all ranks are at hand: the widest difference between their counts of one stage, per scrape. */
function rankSpread(grid: readonly number[], all: readonly RawSeries[]): Column | undefined {
  const stages = new Map<string, Column[]>();
  for (const s of all) {
    const { stage, dp_rank: dp = '', __name__: name = '' } = s.labels;
    if (stage !== undefined && name.replace(ENGINE_PREFIX, '') === 'per_stage_req_latency_seconds_count') {
      stages.set(`${dp} ${stage}`, [...(stages.get(`${dp} ${stage}`) ?? []), alignTo(grid, s)]);
    }
  }
  const ranked = [...stages.values()].filter((columns) => columns.length > 1);
  const widest = (i: number): number =>
    ranked.reduce((most, columns) => {
      const counts = columns.map((c) => c[i]).filter((n) => n !== undefined);
      return counts.length > 1 ? Math.max(most, Math.max(...counts) - Math.min(...counts)) : most;
    }, 0);
  return ranked.length > 0 ? grid.map((_, i) => widest(i)) : undefined;
}

function pushedAt(length: number, columns: ReadonlyMap<AnySignalId, Column>): boolean[] {
  const gauges = PUSHED_GAUGES.map((id) => columns.get(id)).filter((c) => c !== undefined);
  return Array.from({ length }, (_, i) => i > 0 && gauges.some((c) => c[i] !== undefined && c[i] !== c[i - 1]));
}
