import { STAGE_STATES, type StageReading, type StageState } from '../../pipeline/model';

export interface HeatCell {
  readonly state: StageState;
  /** Shares of the width, 0…1. */
  readonly from: number;
  readonly share: number;
  readonly title: string;
}

/**
 * One cell per engine, worst first. More engines than cells fit become one cell per state, as wide as its share but
 * never too narrow to be seen: a thousand engines are a handful of cells and a count.
 */
export function heatCells(engines: readonly StageReading[], maxCells: number): readonly HeatCell[] {
  if (engines.length <= maxCells) {
    return engines.map((engine, index) => ({
      from: index / engines.length,
      state: engine.state,
      share: 1 / engines.length,
      title: `${engine.engine.slice(0, 200)}: ${engine.state}. ${engine.reason}`,
    }));
  }
  const groups = STAGE_STATES.map((state) => engines.filter((engine) => engine.state === state)).filter(
    (group) => group.length > 0
  );
  const least = 0.04;
  const widths = groups.map((group) => Math.max(least, group.length / engines.length));
  const total = widths.reduce((sum, width) => sum + width, 0);
  return groups.map((group, index) => ({
    state: group[0]?.state ?? 'unknown',
    from: widths.slice(0, index).reduce((sum, width) => sum + width, 0) / total,
    share: (widths[index] ?? 0) / total,
    title: groupTitle(group, engines.length),
  }));
}

function groupTitle(group: readonly StageReading[], total: number): string {
  const names = group.slice(0, 3).map((engine) => engine.engine.slice(0, 80));
  const more = group.length > names.length ? ` and ${group.length - names.length} more` : '';
  return `${group.length} of ${total} ${group[0]?.state ?? 'unknown'}: ${names.join(', ')}${more}`;
}
