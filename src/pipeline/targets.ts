import { continued, repeats, samplesOf } from './copies';
import type { RawSeries, Role } from './model';
import { IDENTITY_LABELS, TARGET_LABELS } from './profiles/targets';

export type Labels = RawSeries['labels'];

/** Everything that one scrape target has exposed. */
export interface Target {
  /** Its target labels, without those of a replica. */
  readonly labels: Labels;
  readonly series: readonly RawSeries[];
  /** Which of several copies it is; empty where there is one only. */
  readonly replica: string;
  /** Other records of the same process; they stand in before its beginning and after its end. */
  readonly others: readonly Target[];
  /** Some of the others were there at the same time. */
  readonly isCopied: boolean;
}

/** A target with what its series tell of it. */
export interface ToldTarget extends Target {
  readonly role: Role | undefined;
  readonly model: string | undefined;
}

const pick = (labels: Labels, wanted: readonly string[]): Labels =>
  Object.fromEntries(wanted.flatMap((name) => (labels[name] ? [[name, labels[name]]] : [])));

export const targetLabelsOf = (series: RawSeries): Labels => pick(series.labels, IDENTITY_LABELS);

const replicaOf = ({ labels }: RawSeries): string => Object.values(pick(labels, TARGET_LABELS.replica)).join(' ');

/** What is scraped, or the engine behind the gateway that is. */
export const addressOf = (labels: Labels): string =>
  TARGET_LABELS.address.map((name) => labels[name]).find((value) => value) ?? '';

/** No label that both have differs. */
export const agrees = (one: Labels, other: Labels, names: readonly string[] = IDENTITY_LABELS): boolean =>
  names.every((name) => !one[name] || !other[name] || one[name] === other[name]);

/**
 * Groups series by scrape target. A series that lacks some of the labels (a label that SGLang was told to add is not on
 * its HTTP metrics) belongs to the one target that it does not contradict.
 */
export function groupTargets(all: readonly RawSeries[]): Target[] {
  const groups = new Map<string, { labels: Labels; series: RawSeries[] }>();
  for (const series of all) {
    const labels = targetLabelsOf(series);
    const key = JSON.stringify(labels);
    const group = groups.get(key) ?? { labels, series: [] };
    group.series.push(series);
    groups.set(key, group);
  }
  const byAddress = new Map<string, Labels[]>();
  for (const { labels } of groups.values()) {
    byAddress.set(addressOf(labels), [...(byAddress.get(addressOf(labels)) ?? []), labels]);
  }
  for (const [key, { labels, series }] of groups) {
    const whole = fullestOf(labels, byAddress.get(addressOf(labels)) ?? []);
    const target = whole && groups.get(JSON.stringify(whole));
    if (target) {
      target.series.push(...series);
      groups.delete(key);
    }
  }
  return [...groups.values()].flatMap(({ labels, series }) => oneOf(copiesIn(labels, series)));
}

const contains = (whole: Labels, part: Labels): boolean =>
  Object.keys(whole).length > Object.keys(part).length &&
  Object.entries(part).every(([name, value]) => whole[name] === value);

function fullestOf(labels: Labels, others: readonly Labels[]): Labels | undefined {
  const fuller = others.filter((other) => contains(other, labels));
  const fullest = fuller.filter((one) => !fuller.some((other) => contains(other, one)));
  return fullest.length === 1 ? fullest[0] : undefined;
}

/** What several Prometheus servers have stored of one target, the one with the most samples first. */
function copiesIn(labels: Labels, series: readonly RawSeries[]): Target[] {
  const replicas = [...new Set(series.map(replicaOf))].filter((replica) => replica !== '');
  if (replicas.length < 2) {
    return [{ labels, series, replica: '', others: [], isCopied: false }];
  }
  const copies = replicas.map((replica): Target => {
    const own = series.filter((s) => [replica, ''].includes(replicaOf(s)));
    return { labels, series: own, replica, others: [], isCopied: false };
  });
  return copies.sort((a, b) => samplesOf(b.series) - samplesOf(a.series) || (a.replica < b.replica ? -1 : 1));
}

/** The first of several records of one process, with the others to stand in. */
export function oneOf<T extends Target>([first, ...others]: readonly T[]): T[] {
  return first ? [others.reduce(joined, first)] : [];
}

export const joined = <T extends Target>(target: T, other: Target): T => ({
  ...target,
  series: continued(target.series, other.series),
  others: [...target.others, other, ...other.others],
  isCopied: target.isCopied || other.isCopied || repeats(target.series, other.series),
});

/** Finds what Prometheus says of a target among series that carry its labels, or fewer of them. */
export function witnessesAmong(all: readonly RawSeries[]): (target: Target) => RawSeries | undefined {
  const byAddress = new Map<string, RawSeries[]>();
  for (const series of all) {
    const address = addressOf(series.labels);
    byAddress.set(address, [...(byAddress.get(address) ?? []), series]);
  }
  const ofRecord = ({ labels, replica }: Target): RawSeries[] => {
    const near = byAddress.get(addressOf(labels)) ?? [];
    const own = near.find((s) => agrees(s.labels, labels) && (!replica || ['', replica].includes(replicaOf(s))));
    return own ? [own] : [];
  };
  return (target) =>
    [target, ...target.others]
      .map(ofRecord)
      .reduce((known, more) => (known.length > 0 ? continued(known, more) : more))[0];
}

const NAMELESS = 'engine without an instance label';
const baseName = (labels: Labels): string =>
  [addressOf(labels), ...[...TARGET_LABELS.place, ...TARGET_LABELS.job].map((name) => labels[name])].find(Boolean) ??
  NAMELESS;

const TELLING_LABELS = [...TARGET_LABELS.place, ...TARGET_LABELS.job, ...[...TARGET_LABELS.division].reverse()];

/** The shortest name that is the target's alone: its address, with further labels only where several share it. */
export function nameTargets(all: readonly Labels[]): (labels: Labels) => string {
  const byName = new Map<string, Labels[]>();
  for (const labels of all) {
    byName.set(baseName(labels), [...(byName.get(baseName(labels)) ?? []), labels]);
  }
  return (labels) => {
    const name = baseName(labels);
    const values = tellingOf(byName.get(name) ?? []).flatMap((label) => labels[label] ?? []);
    return values.length > 0 ? `${name} (${values.join(', ')})` : name;
  };
}

/** One label that tells all of them apart, else all labels that differ. */
function tellingOf(sharing: readonly Labels[]): string[] {
  const valuesOf = (name: string): number => new Set(sharing.map((labels) => labels[name])).size;
  const differing = sharing.length > 1 ? TELLING_LABELS.filter((name) => valuesOf(name) > 1) : [];
  const alone = differing.find((name) => valuesOf(name) === sharing.length);
  return alone === undefined ? differing : [alone];
}
