import type { EngineSeries } from '../engines';
import type { RawSeries } from '../model';
import { SAMPLE_TIME } from '../plan';
import { DEPLOYMENT_LABELS } from '../profiles/targets';
import { GPU, NIXL, PLACED_METRICS, SCHEDULER_CPU, SCHEDULER_GROUP } from '../profiles/witnesses';
import { isSameProbe, readCanaries, type Canary } from './canary';
import { readGpus, type Machine } from './machine';
import { isAt, placeOfEngine, placeOfWitness, type Place } from './place';

/** What others tell about one pipeline; all of it may be empty. */
export interface Witnesses {
  readonly canaries: readonly Canary[];
  /** By engine id; engines of whose machine nothing is known are left out. */
  readonly machines: ReadonlyMap<string, Machine>;
  /** NIXL series of the hosts and pods of this pipeline. */
  readonly agents: readonly RawSeries[];
}

interface Group {
  readonly engines: readonly EngineSeries[];
}

/** Labels that a canary may share with the engines that it tries; where it has one, it must fit. */
const SHARED_LABELS: readonly string[] = ['model_name', ...DEPLOYMENT_LABELS];
const PLACED: ReadonlySet<string> = new Set(PLACED_METRICS);
const GPU_METRICS: ReadonlySet<string> = new Set(Object.values(GPU));
const NIXL_METRICS: ReadonlySet<string> = new Set(Object.values(NIXL));
const SCHEDULER = new RegExp(`^(?:${SCHEDULER_GROUP})$`);
const nameOf = (series: RawSeries): string => series.labels['__name__'] ?? '';

/** Gives every pipeline its witnesses. What fits more than one of them speaks for none. */
export function gatherWitnesses<T extends Group>(
  all: readonly RawSeries[],
  groups: readonly T[]
): (group: T) => Witnesses {
  const stamps = all.filter((s) => nameOf(s) === SAMPLE_TIME);
  const canaries = readCanaries(all, (labels) => stamps.find((s) => isSameProbe(s.labels, labels)));
  const placed = distinct(all.filter((s) => PLACED.has(nameOf(s)))).map((series) => ({
    series,
    place: placeOfWitness(series.labels),
  }));
  const sites = placed.length > 0 ? groups.flatMap(sitesOf) : [];
  return (group) => ({
    canaries: canaries.filter((canary) => isOnly(groups, group, (g) => fits(canary, g.engines))),
    machines: machinesOf(placed, sites, group),
    agents: placed
      .filter(({ series, place }) => isAgent(series) && isOnly(groups, group, (g) => hosts(sites, g, place)))
      .map(({ series }) => series),
  });
}

const isOnly = <T>(groups: readonly T[], group: T, test: (group: T) => boolean): boolean =>
  test(group) && groups.filter(test).length === 1;

function fits({ labels }: Canary, engines: readonly EngineSeries[]): boolean {
  return SHARED_LABELS.every((label) => {
    const own = new Set(engines.flatMap((e) => e.series.map((s) => s.labels[label])).filter(Boolean));
    return labels[label] === undefined || own.size === 0 || own.has(labels[label]);
  });
}

/** A series may come once for its pod and once more for its host, with a label that the query added. */
function distinct(series: readonly RawSeries[]): RawSeries[] {
  const key = ({ labels: { pdflow_host: _, ...labels } }: RawSeries): string =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return [...new Map(series.map((s) => [key(s), s])).values()];
}

interface Site {
  readonly group: Group;
  readonly id: string;
  readonly place: Place;
}

const sitesOf = (group: Group): Site[] =>
  group.engines
    .filter((e) => e.role !== 'router')
    .map((e) => ({ group, id: e.id, place: placeOfEngine(e.series[0]?.labels ?? {}) }));

const hosts = (sites: readonly Site[], group: Group, witness: Place): boolean =>
  sites.some((site) => site.group === group && isAt(witness, site.place));

const isAgent = (series: RawSeries): boolean =>
  NIXL_METRICS.has(nameOf(series)) && series.labels['agent'] !== undefined;

const isScheduler = (series: RawSeries): boolean =>
  nameOf(series) === SCHEDULER_CPU && SCHEDULER.test(series.labels['groupname'] ?? '');

interface Placed {
  readonly series: RawSeries;
  readonly place: Place;
}

function machinesOf(placed: readonly Placed[], sites: readonly Site[], group: Group): Map<string, Machine> {
  const machines = new Map<string, Machine>();
  for (const site of sites.filter((s) => s.group === group)) {
    const here = placed.filter(({ place }) => isAt(place, site.place));
    const series = here.map((p) => p.series);
    const machine = {
      gpus: readGpus(series.filter((s) => GPU_METRICS.has(nameOf(s)))),
      schedulerCpu: series.filter(isScheduler),
      isShared: sites.some((other) => other !== site && here.some(({ place }) => isAt(place, other.place))),
    };
    if (machine.gpus.length > 0 || machine.schedulerCpu.length > 0) {
      machines.set(site.id, machine);
    }
  }
  return machines;
}
