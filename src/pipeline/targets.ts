import { continued, repeats, samplesOf, share } from './copies';
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

/** Values by key, in the order in which the keys come up. */
export function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group) {
      group.push(one);
    } else {
      groups.set(key, [one]);
    }
  }
  return groups;
}

interface Labelled {
  readonly labels: Labels;
  readonly series: RawSeries[];
  /** Of before it had all of its labels. */
  readonly earlier: Target[];
}

/**
 * Groups series by scrape target. A series that lacks some of the labels belongs to the one target that it does not
 * contradict: a label that SGLang was told to add is not on its HTTP metrics, or the target has a label more than before.
 */
export function groupTargets(all: readonly RawSeries[]): Target[] {
  const found = [...groupBy(all, (s) => JSON.stringify(targetLabelsOf(s))).values()].flatMap((series): Labelled[] =>
    series[0] ? [{ labels: targetLabelsOf(series[0]), series, earlier: [] }] : []
  );
  const whole = [...groupBy(found, ({ labels }) => addressOf(labels)).values()].flatMap(withParts);
  return whole.flatMap(({ labels, series, earlier }) => oneOf([...copiesIn(labels, series), ...earlier]));
}

/** Those at one address, each with what lacks some of its labels. */
function withParts(all: readonly Labelled[]): Labelled[] {
  return all.filter((part) => {
    const target = fullestOf(part, all);
    if (target && share(target.series, part.series)) {
      target.earlier.push(...copiesIn(part.labels, part.series));
    } else {
      target?.series.push(...part.series);
    }
    return target === undefined;
  });
}

const contains = (whole: Labels, part: Labels): boolean =>
  Object.keys(whole).length > Object.keys(part).length &&
  Object.entries(part).every(([name, value]) => whole[name] === value);

function fullestOf({ labels }: Labelled, others: readonly Labelled[]): Labelled | undefined {
  const fuller = others.filter((other) => contains(other.labels, labels));
  const fullest = fuller.filter((one) => !fuller.some((other) => contains(other.labels, one.labels)));
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

const isEqual = (one: Labels, other: Labels): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Finds what Prometheus says of a target among series that carry its labels, or fewer of them. */
export function witnessesAmong(
  all: readonly RawSeries[],
  isOf: (labels: Labels, target: Labels) => boolean = agrees
): (target: Target) => RawSeries | undefined {
  const byAddress = groupBy(all, (s) => addressOf(s.labels));
  const ofRecord = ({ labels, replica }: Target): RawSeries[] => {
    const near = byAddress.get(addressOf(labels)) ?? [];
    const fits = near.filter((s) => isOf(s.labels, labels) && (!replica || ['', replica].includes(replicaOf(s))));
    const own = fits.find((s) => isEqual(targetLabelsOf(s), labels)) ?? fits[0];
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
  const byName = groupBy(all, baseName);
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
