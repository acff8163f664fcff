import type { TrackedEngine } from './fleet';

/** KV usage from which a very large request may find no room, from which a large one, and from which none does. */
export const KV_SHORT = 0.5;
export const KV_TIGHT = 0.7;
export const KV_FULL = 0.9;

export const tellsUsage = ({ columns }: TrackedEngine): boolean => columns.has('gauge.usage');

/** KV room in use at a scrape, 0…1; 0 where it is not told. */
export const kvUsage = ({ columns }: TrackedEngine, index: number): number => columns.get('gauge.usage')?.[index] ?? 0;
