import type { Problem, RawSeries, Role, RoleMapping, VersionRange } from './model';
import { holds } from './profiles/versions';
import { releasesOf } from './releases';
import { gridOf } from './series';

/** A side, and the label values that tell it. */
export interface CompiledRole {
  readonly role: Role;
  readonly label: string;
  readonly pattern: RegExp;
}

/** The role mapping, ready to be asked; a pattern that is none becomes a problem. */
export function compileMapping(mapping: RoleMapping | undefined): { roles: CompiledRole[]; problems: Problem[] } {
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
export function roleOf(series: readonly RawSeries[], mapping: readonly CompiledRole[]): Role | undefined {
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
 * An engine that serves by itself, beside any prefill and decode: it has counted no stage of theirs, and calls itself
 * otherwise. "Unified" it is called up to 0.5.8 on either side, so there only the stage of a whole request tells.
 */
export function isStandalone(series: readonly RawSeries[], told?: VersionRange): boolean {
  const stages = series.map((s) => s.labels['stage'] ?? '');
  const types = new Set(series.flatMap((s) => s.labels['engine_type'] ?? []));
  if (types.has('prefill') || types.has('decode') || stages.some((s) => /^(prefill|decode)_/.test(s))) {
    return false;
  }
  const isOther = types.size > 0 && !types.has('unified');
  return isOther || stages.includes('request_process') || (types.size > 0 && tellsRoles(series, told));
}

function tellsRoles(series: readonly RawSeries[], told: VersionRange | undefined): boolean {
  return holds(told ?? releasesOf(series, gridOf(series), []).pop(), 'roleLabel') === true;
}
