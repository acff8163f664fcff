import { hostAndPort } from './duplicates';
import type { EngineSeries } from './engines';
import { TARGET_LABELS } from './profiles/targets';
import { addressOf, agrees, groupBy } from './targets';

/** Engines that serve together. */
export interface Group {
  readonly id: string;
  readonly engines: readonly EngineSeries[];
}

/**
 * Which engines serve together: those with the same `model_name`, as far as neither a cluster nor a namespace divides them
 * into groups that have both sides each. Models that show one side only are one pipeline when together they have both (a
 * prefill pool may be served under another name). A router belongs to the pipelines that it is near to, and of these to
 * those that it names.
 */
export function groupPipelines(engines: readonly EngineSeries[]): Group[] {
  const routers = engines.filter((e) => e.role === 'router');
  const pipelines = pairedByModel(engines.filter((e) => e.role !== 'router'))
    .map((p) => ({ ...p, id: p.id || 'pipeline' }))
    .flatMap((p) => divided(p, TARGET_LABELS.division))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  if (pipelines.length === 0 && routers.length > 0) {
    return [{ id: 'router only', engines: routers }];
  }
  const served = new Map(routers.map((router) => [router, servedBy(router, pipelines)]));
  return pipelines.map((p) => ({
    id: p.id,
    engines: [...p.engines, ...routers.filter((router) => served.get(router)?.includes(p))],
  }));
}

function pairedByModel(servers: readonly EngineSeries[]): Group[] {
  const groups = [...groupBy(servers, ({ model = '' }) => model)].map(([id, members]) => ({ id, engines: members }));
  const rest = groups.filter((g) => !hasBothSides(g.engines));
  const leftovers = rest.flatMap((g) => g.engines);
  return [
    ...groups.filter((g) => hasBothSides(g.engines)),
    ...(hasBothSides(leftovers) ? [{ id: rest.map((g) => g.id).join(' + '), engines: leftovers }] : rest),
  ];
}

export const hasBothSides = (engines: readonly EngineSeries[]): boolean =>
  engines.some((e) => e.role === 'prefill') && engines.some((e) => e.role === 'decode');

/** A label divides only where each part could serve by itself: pools may live in namespaces of their own. */
function divided(group: Group, labels: readonly string[]): Group[] {
  const [label, ...narrower] = labels;
  if (label === undefined) {
    return [group];
  }
  const parts = [...groupBy(group.engines, (e) => e.labels[label] ?? '')];
  return parts.length > 1 && parts.every(([, members]) => hasBothSides(members))
    ? parts.flatMap(([value, members]) => divided({ id: named(group.id, value), engines: members }, narrower))
    : divided(group, narrower);
}

const named = (id: string, value: string): string => (value === '' ? id : `${id} (${value})`);

function servedBy(router: EngineSeries, pipelines: readonly Group[]): readonly Group[] {
  const near = TARGET_LABELS.division.reduce<readonly Group[]>(
    (left, label) => orAll(left, (p) => p.engines.some((e) => agrees(e.labels, router.labels, [label]))),
    pipelines
  );
  const workers = valuesOf(router, ['worker', 'worker_url']).map((url) => hostAndPort(url) ?? url);
  const models = valuesOf(router, ['model', 'model_id']);
  const byWorker = orAll(near, (p) => p.engines.some((e) => workers.includes(placeOf(e))));
  return byWorker.length < near.length
    ? byWorker
    : orAll(near, (p) => p.engines.some(({ model }) => model !== undefined && models.includes(model)));
}

/** Those that fit; all of them where none does, for then the labels are of another kind. */
function orAll<T>(all: readonly T[], fits: (one: T) => boolean): readonly T[] {
  const some = all.filter(fits);
  return some.length > 0 ? some : all;
}

const placeOf = ({ labels }: EngineSeries): string => hostAndPort(addressOf(labels)) ?? addressOf(labels);

const valuesOf = (router: EngineSeries, labels: readonly string[]): string[] => [
  ...new Set(router.series.flatMap((s) => labels.flatMap((label) => s.labels[label] ?? []))),
];
