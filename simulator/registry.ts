export type Labels = Readonly<Record<string, string>>;

/** A metric family. `name` has no `_total`, `_count`, `_sum` or `_bucket`: the registry adds them. */
export interface Family {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** Upper bounds; a histogram without them publishes only `_count` and `_sum`. */
  readonly bucketBounds?: readonly number[];
}

/** One exposed value; `labels` is already in exposition form, without braces. */
export interface Sample {
  readonly family: Family;
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

interface Child {
  readonly family: Family;
  readonly name: string;
  readonly labels: string;
  value: number;
}

/** The children of one set of labels of a histogram. */
interface Histogram {
  readonly buckets: ReadonlyArray<{ readonly bound: number; readonly child: Child }>;
  readonly sum: Child;
  readonly count: Child;
}

/**
 * What one process exposes. A labelled child is born at its first event, as in the Python client:
 * an absent series is not a zero. A new process starts with a new registry.
 */
export class Registry {
  /** In order of birth. */
  private readonly children: Child[] = [];
  /** By family, then by rendered labels. */
  private readonly values = new Map<Family, Map<string, Child>>();
  private readonly histograms = new Map<Family, Map<string, Histogram>>();
  /** Most labels are used again and again: each set is rendered once. */
  private readonly rendered = new WeakMap<Labels, string>();

  add(family: Family, labels: Labels, by = 1): void {
    this.value(family, labels, '_total').value += by;
  }

  set(family: Family, labels: Labels, value: number): void {
    this.value(family, labels).value = value;
  }

  /** Moves a gauge that is counted up and down, such as requests in flight. */
  move(family: Family, labels: Labels, by: number): void {
    this.value(family, labels).value += by;
  }

  /** Adds the same observation `times` times. */
  observe(family: Family, labels: Labels, value: number, times = 1): void {
    const { buckets, sum, count } = known(this.histograms, family, this.render(labels), (text) =>
      this.bearHistogram(family, text)
    );
    for (const { bound, child } of buckets) {
      child.value += value <= bound ? times : 0;
    }
    sum.value += value * times;
    count.value += times;
  }

  /** Current values, in order of birth. */
  samples(): readonly Sample[] {
    return this.children.map((child) => ({ ...child }));
  }

  private render(labels: Labels): string {
    const found = this.rendered.get(labels);
    if (found !== undefined) {
      return found;
    }
    const text = renderLabels(labels);
    this.rendered.set(labels, text);
    return text;
  }

  private value(family: Family, labels: Labels, suffix = ''): Child {
    return known(this.values, family, this.render(labels), (text) => this.bear(family, suffix, text));
  }

  private bearHistogram(family: Family, labels: string): Histogram {
    const bounds = family.bucketBounds && [...family.bucketBounds, Infinity];
    const buckets = (bounds ?? []).map((bound) => {
      const le = `le="${bound === Infinity ? '+Inf' : bound}"`;
      return { bound, child: this.bear(family, '_bucket', labels === '' ? le : `${labels},${le}`) };
    });
    return { buckets, sum: this.bear(family, '_sum', labels), count: this.bear(family, '_count', labels) };
  }

  private bear(family: Family, suffix: string, labels: string): Child {
    const born = { family, name: `${family.name}${suffix}`, labels, value: 0 };
    this.children.push(born);
    return born;
  }
}

/** What is known of a family under these labels, or made now. */
function known<T>(
  families: Map<Family, Map<string, T>>,
  family: Family,
  labels: string,
  make: (labels: string) => T
): T {
  const ofFamily = families.get(family) ?? new Map<string, T>();
  families.set(family, ofFamily);
  const found = ofFamily.get(labels) ?? make(labels);
  ofFamily.set(labels, found);
  return found;
}

/** `a="b",c="d"`, with the escapes of the exposition formats. */
export function renderLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`)
    .join(',');
}
