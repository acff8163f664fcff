import { buildEngine, type Engine } from './columns';
import type { Concluded } from './departures';
import { groupEngines, isEngineSeries, type EngineSeries } from './engines';
import { abortBursts, plainEvents, type AbortBurst } from './events';
import { groupPipelines, hasBothSides, type Group } from './groups';
import type { MetricContract, PipelineEvent, PipelineOptions, Problem, RawSeries, VersionRange } from './model';
import { gaugesTrueAtMs, lastMoveMs } from './occupancy';
import { ENGINE_PREFIX, EXPECTED_FAMILIES, isPerRank } from './profiles/sglang';
import { firstReleaseOf, holds, isOutside, rangeOfRelease, readRelease } from './profiles/versions';
import { problemsOf } from './problems';
import { isStandalone } from './roles';
import { indexAt, intervalsOf, quantile, sum, sumAfter } from './series';
import { intervalOf, trackStage, type StageTrack, type StallOptions } from './stalls';
import { STAGE_FLOWS, type StageFlow } from './stages';
import { engineByLife, type Life } from './lives';
import { gatherWitnesses, type Witnesses } from './witnesses/gather';

/** An engine with all its stages followed through the range. */
export interface TrackedEngine extends Engine {
  readonly stages: readonly StageTrack[];
  /** Data-parallel ranks, followed through the stages whose both ends each rank counts itself. */
  readonly ranks: readonly TrackedEngine[];
  readonly gaugesTrueAtMs: ReadonlyArray<number | undefined>;
  readonly lastMoveMs: ReadonlyArray<number | undefined>;
  /** Per scrape: the scrape interval of late. */
  readonly intervalsMs: readonly number[];
  /** Where it was restarted: the same engine as each of its processes showed it. */
  readonly lives: ReadonlyArray<Life & { readonly engine: TrackedEngine }>;
}

export interface Pipeline {
  readonly id: string;
  readonly engines: readonly TrackedEngine[];
  /** Its router serves others too, so that what the router counts is not all its own. */
  readonly sharesRouter: boolean;
  readonly metrics: MetricContract;
  readonly bursts: readonly AbortBurst[];
  readonly witnesses: Witnesses;
  /** Events that need no judgement, ascending. */
  readonly events: readonly PipelineEvent[];
}

/** Everything that was fetched, computed once; judged at any instant by `evaluate`. */
export interface Fleet {
  readonly pipelines: readonly Pipeline[];
  readonly problems: readonly Problem[];
  /** Scrape interval in milliseconds: configured, or the middle spacing of the samples. What is judged takes that of late. */
  readonly intervalMs: number;
  /** First and last sample of any engine; absent without samples. */
  readonly range?: { readonly fromMs: number; readonly toMs: number };
}

const FALLBACK_INTERVAL_MS = 15_000;

/** Reads raw series into a fleet. Total: odd input becomes a problem, never an exception. */
export function prepare(series: readonly RawSeries[], options: PipelineOptions = {}): Fleet {
  const told = toldReleases(options);
  const { engines: seen, problems } = groupEngines(series, options);
  const alone = standaloneAmong(seen, told);
  const engines = seen.filter((e) => !alone.includes(e));
  const built = new Map(engines.map((e) => [e, buildEngine(e, told)]));
  const spacings = [...built.values()].map(intervalOf).filter((ms) => ms !== undefined);
  const intervalMs = options.intervalMs ?? quantile(spacings, 0.5) ?? FALLBACK_INTERVAL_MS;
  const moved = instantsOfChange([...built.values()]);
  const groups = groupPipelines(engines);
  const witnessesOf = gatherWitnesses(series, groups);
  const pipelines = groups.map((group): Pipeline => {
    const servers = group.engines.map((e) => built.get(e)).filter((e) => e !== undefined);
    const concluded = concludedBy(servers.filter((e) => e.role === 'prefill'));
    const members = servers.map((engine) => {
      const isVerified = (atMs: number): boolean => engine.stamped || moved.has(atMs);
      const peerRestartsMs = restartsOfLone(servers.filter((e) => e.role !== engine.role && e.role !== 'router'));
      const intervalsMs =
        options.intervalMs === undefined
          ? intervalsOf(engine.timesMs, intervalMs)
          : engine.timesMs.map(() => intervalMs);
      return track(engine, { intervalsMs, windowMs: options.windowMs, isVerified, concluded, peerRestartsMs });
    });
    const bursts = abortBursts(members);
    const witnesses = witnessesOf(group);
    return {
      id: group.id,
      engines: members,
      sharesRouter: alone.length > 0 || sharesRouter(group, groups),
      metrics: contractOf(group.engines, members),
      bursts,
      witnesses,
      events: plainEvents({ engines: members, bursts, witnesses }),
    };
  });
  const times = [...built.values()].flatMap((e) => [e.timesMs[0], e.timesMs[e.timesMs.length - 1]]);
  const known = times.filter((t) => t !== undefined);
  return {
    pipelines,
    problems: [...problems, ...problemsOf({ series, engines, standalone: alone, options })],
    intervalMs,
    range: known.length > 0 ? { fromMs: Math.min(...known), toMs: Math.max(...known) } : undefined,
  };
}

const sharesRouter = ({ engines }: Group, groups: readonly Group[]): boolean =>
  engines.some((e) => e.role === 'router' && groups.filter((g) => g.engines.includes(e)).length > 1);

/** Where a pair of prefill and decode is there, the engines that need neither are no part of the picture. */
function standaloneAmong(engines: readonly EngineSeries[], told: VersionRange | undefined): EngineSeries[] {
  const isSided = ({ role }: EngineSeries): boolean => role !== undefined && role !== 'unified';
  return hasBothSides(engines) ? engines.filter((e) => !isSided(e) && isStandalone(e.series, told)) : [];
}

/** Instants at which anything at all changed: Prometheus was scraping then. */
function instantsOfChange(engines: readonly Engine[]): ReadonlySet<number> {
  return new Set(
    engines.flatMap((e) =>
      e.timesMs.filter((_, i) => e.pushed[i] || [...e.rises.values()].some((rises) => (rises[i] ?? 0) > 0))
    )
  );
}

function restartsOfLone(engines: readonly Engine[]): number[] {
  const [lone, ...more] = engines;
  return lone && more.length === 0
    ? [...lone.restarts.flatMap((i) => lone.timesMs[i] ?? []), ...emptyReturnsOf(lone)]
    : [];
}

/** A target that answers again, and with no sample of its own, is a new process that has counted nothing yet. */
const emptyReturnsOf = ({ up, timesMs }: Engine): number[] =>
  up?.timesMs.filter((t, i) => up.values[i] === 1 && up.values[i - 1] === 0 && !timesMs.includes(t)) ?? [];

/** What the prefill side says of concluded transfers; unknown where it does not count them or was not scraped. */
function concludedBy(prefill: readonly Engine[]): Concluded {
  const each = prefill.map(transfersOf);
  return (fromMs, toMs) => {
    const parts = each.map((count) => count(fromMs, toMs)).filter((n) => n !== 'nothing');
    const known = parts.filter((n) => n !== undefined);
    return known.length > 0 && known.length === parts.length ? sum(known) : undefined;
  };
}

/**
 * The transfers of one engine in a time; `undefined` where its release does not count them, or no scrape tells, `nothing`
 * where it may not have begun to.
 */
function transfersOf(engine: Engine): (fromMs: number, toMs: number) => number | undefined | 'nothing' {
  const lives = engineByLife(engine);
  return (fromMs, toMs) => {
    const last = indexAt(engine.timesMs, toMs);
    const first = indexAt(engine.timesMs, fromMs);
    const rises = lives.find(({ to }) => last < to)?.engine.rises.get('kv.transfers');
    if (!rises) {
      return holds(engine.releases[last], 'transferHistogram') === false ? undefined : 'nothing';
    }
    return last === first ? undefined : sumAfter(rises, first, last);
  };
}

function track(engine: Engine, options: StallOptions, isTracked = (_: StageFlow): boolean => true): TrackedEngine {
  const flows = STAGE_FLOWS.filter((f) => f.role === engine.role && isTracked(f));
  const tracked = {
    ...engine,
    stages: flows.map((flow) => trackStage(engine, flow, options)),
    ranks: engine.ranks.map((rank) => track(rank, options, isCountedPerRank)),
    gaugesTrueAtMs: gaugesTrueAtMs(engine),
    lastMoveMs: lastMoveMs(engine),
    intervalsMs: options.intervalsMs,
    lives: [],
  };
  return engine.restarts.length === 0 ? tracked : { ...tracked, lives: withRanks(tracked) };
}

const withRanks = (engine: TrackedEngine): TrackedEngine['lives'] =>
  engineByLife(engine).map((life, k) => ({
    ...life,
    engine: { ...life.engine, ranks: engine.ranks.map((rank) => rank.lives[k]?.engine ?? rank) },
  }));

/** The engine as the process showed it that ran at a scrape. */
export const processAt = (engine: TrackedEngine, index: number): TrackedEngine =>
  engine.lives.find(({ from, to }) => index >= from && index < to)?.engine ?? engine;

const isCountedPerRank = ({ entry, exit }: StageFlow): boolean =>
  [entry, exit].every((id) => id !== undefined && isPerRank(id));

/** Every followed stage of an engine: its own, and those of its data-parallel ranks. */
export const tracksOf = (engine: TrackedEngine): readonly StageTrack[] => [
  ...engine.stages,
  ...engine.ranks.flatMap((r) => r.stages),
];

function contractOf(engines: readonly EngineSeries[], built: readonly Engine[]): MetricContract {
  const names = engines.flatMap((e) => e.series.filter(isEngineSeries).map((s) => s.labels['__name__'] ?? ''));
  const seen = new Set(names.map((n) => n.replace(ENGINE_PREFIX, '')));
  const servers = built.filter((e) => e.role !== 'router');
  const rows = EXPECTED_FAMILIES.map((name) => {
    const since = firstReleaseOf(name);
    const isTooNew = servers.every((e) => isOutside(e.releases[e.releases.length - 1] ?? {}, { since }));
    return { family: `sglang:${name}`, isSeen: seen.has(name), since: isTooNew ? since : undefined };
  });
  const unseen = rows.filter(({ isSeen }) => !isSeen);
  return {
    seen: rows.filter(({ isSeen }) => isSeen).map(({ family }) => family),
    missing: unseen.filter(({ since }) => since === undefined).map(({ family }) => family),
    notInRelease: unseen.flatMap(({ family, since }) => (since === undefined ? [] : [{ family, since }])),
  };
}

function toldReleases({ sglangVersion = '' }: PipelineOptions): VersionRange | undefined {
  const release = readRelease(sglangVersion);
  return release === undefined ? undefined : rangeOfRelease(release);
}
