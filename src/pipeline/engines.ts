import type { PipelineOptions, Problem, RawSeries, Role, RoleMapping } from './model';
import { SAMPLE_TIME } from './plan';
import { ENGINE_PREFIX, RANK_SPREAD, ROUTER_SIGNALS } from './profiles/sglang';
import { PROCESS_START } from './profiles/witnesses';

/** The series of one scrape target, before anything is computed from them. */
export interface EngineSeries {
  readonly id: string;
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

export const isEngineSeries = (series: RawSeries): boolean =>
  ENGINE_PREFIX.test(nameOf(series)) || nameOf(series) === RANK_SPREAD;
const isRouterSeries = (series: RawSeries): boolean => ROUTER_NAMES.has(nameOf(series));

/** A gateway that aggregates its engines names each in `worker_addr`; else the scrape target is the engine. */
function engineIdOf(series: RawSeries): string {
  const { worker_addr: worker, instance, pod, job } = series.labels;
  return worker || instance || pod || job || 'engine without an instance label';
}

/** Groups series by scrape target and reads each target's role and model. */
export function groupEngines(
  all: readonly RawSeries[],
  options: PipelineOptions
): { engines: EngineSeries[]; problems: Problem[] } {
  const groups = new Map<string, RawSeries[]>();
  for (const series of all) {
    const key = isRouterSeries(series)
      ? `router ${engineIdOf(series)}`
      : isEngineSeries(series)
        ? engineIdOf(series)
        : '';
    if (key) {
      groups.set(key, [...(groups.get(key) ?? []), series]);
    }
  }
  const mapping = compileMapping(options.roleMapping);
  const witness = (name: string, id: string): RawSeries | undefined =>
    all.find((s) => nameOf(s) === name && engineIdOf(s) === id);
  const engines = [...groups].map(([key, series]): EngineSeries => {
    const isRouter = key.startsWith('router ');
    const id = isRouter ? key.slice('router '.length) : key;
    return {
      id,
      role: isRouter ? 'router' : roleOf(series, mapping.roles),
      model: isRouter ? undefined : firstLabel(series, 'model_name'),
      series,
      up: witness('up', id),
      sampleTimes: witness(SAMPLE_TIME, id),
      processStart: witness(PROCESS_START, id),
    };
  });
  return { engines: engines.sort((a, b) => (a.id < b.id ? -1 : 1)), problems: mapping.problems };
}

const firstLabel = (series: readonly RawSeries[], label: string): string | undefined =>
  series.find((s) => s.labels[label])?.labels[label];

interface CompiledRole {
  readonly role: Role;
  readonly label: string;
  readonly pattern: RegExp;
}

function compileMapping(mapping: RoleMapping | undefined): { roles: CompiledRole[]; problems: Problem[] } {
  const roles: CompiledRole[] = [];
  const problems: Problem[] = [];
  for (const role of ['prefill', 'decode', 'router'] as const) {
    const text = mapping?.[role];
    if (!mapping || !text) {
      continue;
    }
    try {
      roles.push({ role, label: mapping.label, pattern: new RegExp(`^(?:${text})$`) });
    } catch {
      problems.push({
        kind: 'unknown-role',
        text: `The role pattern for ${role} is not a regular expression: ${text}`,
        nextStep: 'Correct the role mapping in the data source or panel settings.',
      });
    }
  }
  return { roles, problems };
}

/**
 * Role of an engine: `engine_type` when it is telling (SGLang up to 0.5.8 says "unified" for every engine), else the
 * configured label, else the side whose stages it has counted.
 */
function roleOf(series: readonly RawSeries[], mapping: readonly CompiledRole[]): Role | undefined {
  const types = new Set(series.map((s) => s.labels['engine_type']));
  const told = (['prefill', 'decode'] as const).filter((role) => types.has(role));
  if (told.length === 1) {
    return told[0];
  }
  const mapped = mapping.find(({ label, pattern }) => series.some((s) => pattern.test(s.labels[label] ?? '')));
  if (mapped) {
    return mapped.role;
  }
  const stages = series.map((s) => s.labels['stage'] ?? '');
  const prefill = stages.some((s) => s.startsWith('prefill_'));
  const decode = stages.some((s) => s.startsWith('decode_'));
  if (prefill !== decode) {
    return prefill ? 'prefill' : 'decode';
  }
  return types.has('unified') ? 'unified' : undefined;
}

/**
 * Which engines serve together: those with the same `model_name`. Models that show one side only are one pipeline when
 * together they have both (a prefill pool may be served under another name). Routers belong to every pipeline.
 */
export function groupPipelines(engines: readonly EngineSeries[]): Array<{ id: string; engines: EngineSeries[] }> {
  const routers = engines.filter((e) => e.role === 'router');
  const models = new Map<string, EngineSeries[]>();
  for (const engine of engines.filter((e) => e.role !== 'router')) {
    const model = engine.model ?? '';
    models.set(model, [...(models.get(model) ?? []), engine]);
  }
  const groups = [...models].map(([id, members]) => ({ id, engines: members }));
  const paired = groups.filter((g) => hasBothSides(g.engines));
  const rest = groups.filter((g) => !hasBothSides(g.engines));
  const leftovers = rest.flatMap((g) => g.engines);
  const merged = hasBothSides(leftovers) ? [{ id: rest.map((g) => g.id).join(' + '), engines: leftovers }] : rest;
  const pipelines = [...paired, ...merged].sort((a, b) => (a.id < b.id ? -1 : 1));
  if (pipelines.length === 0 && routers.length > 0) {
    return [{ id: 'router only', engines: routers }];
  }
  return pipelines.map((p) => ({ id: p.id || 'pipeline', engines: [...p.engines, ...routers] }));
}

const hasBothSides = (engines: readonly EngineSeries[]): boolean =>
  engines.some((e) => e.role === 'prefill') && engines.some((e) => e.role === 'decode');
