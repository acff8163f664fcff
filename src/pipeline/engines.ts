import { describeDuplicates, hostAndPort, withoutDuplicates } from './duplicates';
import { lostTargets } from './lost';
import type { PipelineOptions, Problem, RawSeries, Role } from './model';
import { SAMPLE_TIME } from './plan';
import { ENGINE_PREFIX, isPerRankGauge, RANK_SPREAD, ROUTER_SIGNALS } from './profiles/sglang';
import { RELEASE_FAMILIES } from './profiles/versions';
import { compileMapping, roleOf } from './roles';
import { WATCHED_LABELS } from './profiles/targets';
import {
  addressOf,
  agrees,
  groupTargets,
  nameTargets,
  witnessesAmong,
  type Labels,
  type Target,
  type ToldTarget,
} from './targets';
import { PROCESS_START } from './profiles/witnesses';

/** The series of one scrape target, before anything is computed from them. */
export interface EngineSeries {
  /** The shortest name that no other engine has. */
  readonly id: string;
  /** The labels that tell its scrape target apart. */
  readonly labels: Labels;
  readonly role: Role | undefined;
  readonly model: string | undefined;
  readonly series: readonly RawSeries[];
  readonly up: RawSeries | undefined;
  readonly sampleTimes: RawSeries | undefined;
  /** When the process started, in seconds, as another exporter says. */
  readonly processStart?: RawSeries;
}

const ROUTER_NAMES = new Set<string>(Object.values(ROUTER_SIGNALS).flatMap((s) => [...s.names]));
const nameOf = (series: RawSeries): string => series.labels['__name__'] ?? '';
const familyOf = (series: RawSeries): string => nameOf(series).replace(ENGINE_PREFIX, '');

export const isEngineSeries = (series: RawSeries): boolean =>
  ENGINE_PREFIX.test(nameOf(series)) || nameOf(series) === RANK_SPREAD;
const isRouterSeries = (series: RawSeries): boolean => ROUTER_NAMES.has(nameOf(series));

/** Groups series by scrape target and reads each target's role and model. */
export function groupEngines(
  all: readonly RawSeries[],
  options: PipelineOptions
): { engines: EngineSeries[]; problems: Problem[] } {
  const mapping = compileMapping(options.roleMapping);
  const seen = groupTargets(all.filter((s) => isEngineSeries(s) && !isRouterSeries(s)));
  const servers = withoutDuplicates(
    seen.filter(isLeading).map((target): ToldTarget => {
      const { series } = target;
      return { ...target, role: roleOf(series, mapping.roles), model: firstLabel(series, 'model_name') };
    })
  );
  const routers = withoutDuplicates(
    groupTargets(all.filter(isRouterSeries)).map((t): ToldTarget => ({ ...t, role: 'router', model: undefined }))
  );
  const ups = all.filter((s) => nameOf(s) === 'up');
  const lost = lostTargets({ ups, seen, servers: servers.kept, roles: mapping.roles });
  const describe = describerOf(all);
  const engines = [...describe([...servers.kept, ...lost]), ...describe(routers.kept)];
  return {
    engines: engines.sort((a, b) => (a.id < b.id ? -1 : 1)),
    problems: [...mapping.problems, ...describeDuplicates([...servers.copied, ...routers.copied])],
  };
}

/** Names targets of one sort, and puts to each what Prometheus says of it. */
function describerOf(all: readonly RawSeries[]): (targets: readonly ToldTarget[]) => EngineSeries[] {
  const upOf = witnessesAmong(all.filter((s) => nameOf(s) === 'up'));
  const sampleTimesOf = witnessesAmong(all.filter((s) => nameOf(s) === SAMPLE_TIME));
  const processStartOf = witnessesAmong(
    all.filter((s) => nameOf(s) === PROCESS_START),
    isWatched
  );
  return (targets) => {
    const idOf = nameTargets(targets.map(({ labels }) => labels));
    return targets.map((target) => ({
      id: idOf(target.labels),
      labels: target.labels,
      role: target.role,
      model: target.model,
      series: target.series,
      up: upOf(target),
      sampleTimes: sampleTimesOf(target),
      processStart: processStartOf(target),
    }));
  };
}

/** At an address with a port there is one process, whoever tells of it; without one, only its own job speaks for it. */
const isWatched = (exporter: Labels, target: Labels): boolean =>
  agrees(exporter, target, hostAndPort(addressOf(target)) === undefined ? undefined : WATCHED_LABELS);

const firstLabel = (series: readonly RawSeries[], label: string): string | undefined =>
  series.find((s) => s.labels[label])?.labels[label];

/**
 * Of an engine that spans several nodes only the first speaks for all: the others, each a target of its own, publish
 * what every rank counts and no requests. One that leads data-parallel ranks of its own publishes their gauges too.
 */
const isLeading = ({ series }: Target): boolean => series.some((s) => !isDerived(s) && isOfLeader(s));

const RELEASE_NAMES: ReadonlySet<string> = new Set(RELEASE_FAMILIES);
const isDerived = (series: RawSeries): boolean => nameOf(series) === RANK_SPREAD || RELEASE_NAMES.has(familyOf(series));

function isOfLeader(series: RawSeries): boolean {
  const { tp_rank: tensor, pp_rank: stage } = series.labels;
  return isZero(stage) && (isZero(tensor) || isPerRankGauge(familyOf(series)));
}

const isZero = (rank: string | undefined): boolean => rank === undefined || rank === '0';
