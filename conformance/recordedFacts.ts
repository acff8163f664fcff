import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TESTDATA = join(__dirname, '..', 'testdata');

export interface FamilyFacts {
  readonly type: string;
  readonly labels: readonly string[];
  /** Names on the wire, such as `x_bucket`, `x_count` and `x_sum`. */
  readonly samples: readonly string[];
}
export type Families = Readonly<Record<string, FamilyFacts>>;

export interface EngineFacts {
  readonly version: string;
  readonly engineType: Readonly<Record<'prefill' | 'decode' | 'null', string>>;
  readonly scheduler: Families;
  readonly tokenizer: Families;
  readonly http: {
    readonly metrics: Families;
    readonly responseCountedAt: string;
    readonly activeLeavesAt: string | null;
  } | null;
  /** Values of the label `mode`, by family. */
  readonly modes: Readonly<Record<string, readonly string[]>>;
  readonly stages: { readonly counted: readonly string[]; readonly namedOnly: readonly string[] };
  readonly decodeLogInterval: number;
  readonly idleRefreshSeconds: readonly number[];
}

export interface RouterFacts {
  readonly package: string;
  readonly version: string;
  readonly metrics: Families;
  readonly labelValues: Readonly<Record<string, readonly string[]>>;
}

/** Oldest release first. */
export function readEngineFacts(): readonly EngineFacts[] {
  return read<EngineFacts>('sglang').sort((one, other) => compareVersions(one.version, other.version));
}

export function readRouterFacts(): readonly RouterFacts[] {
  return read<RouterFacts>('router');
}

/** Every family of an engine; the three processes never share a name. */
export function familiesOf(facts: EngineFacts): Families {
  return { ...facts.scheduler, ...facts.tokenizer, ...facts.http?.metrics };
}

/** The family that exposes this name on the wire. */
export function familyOfSample(families: Families, sample: string): [string, FamilyFacts] | undefined {
  return Object.entries(families).find(([, { samples }]) => samples.includes(sample));
}

export function compareVersions(one: string, other: string): number {
  const [left, right] = [numbers(one), numbers(other)];
  const index = left.findIndex((part, at) => part !== (right[at] ?? 0));
  return index < 0 ? left.length - right.length : (left[index] ?? 0) - (right[index] ?? 0);
}

const numbers = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);

function read<Facts>(folder: string): Facts[] {
  const path = join(TESTDATA, folder);
  return readdirSync(path)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(path, file), 'utf8')));
}
