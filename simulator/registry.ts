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

/**
 * What one process exposes. A labelled child is born at its first event, as in the Python client:
 * an absent series is not a zero. A new process starts with a new registry.
 */
export class Registry {
  private readonly children = new Map<string, Child>();
  /** Most labels are used again and again: each set is rendered once. */
  private readonly rendered = new WeakMap<Labels, string>();

  add(family: Family, labels: Labels, by = 1): void {
    this.child(family, `${family.name}_total`, this.render(labels)).value += by;
  }

  set(family: Family, labels: Labels, value: number): void {
    this.child(family, family.name, this.render(labels)).value = value;
  }

  /** Moves a gauge that is counted up and down, such as requests in flight. */
  move(family: Family, labels: Labels, by: number): void {
    this.child(family, family.name, this.render(labels)).value += by;
  }

  /** Adds the same observation `times` times. */
  observe(family: Family, labels: Labels, value: number, times = 1): void {
    const rendered = this.render(labels);
    for (const bound of family.bucketBounds ?? []) {
      this.bucket(family, rendered, String(bound)).value += value <= bound ? times : 0;
    }
    if (family.bucketBounds !== undefined) {
      this.bucket(family, rendered, '+Inf').value += times;
    }
    this.child(family, `${family.name}_sum`, rendered).value += value * times;
    this.child(family, `${family.name}_count`, rendered).value += times;
  }

  /** Current values, in order of birth. */
  samples(): readonly Sample[] {
    return [...this.children.values()].map((child) => ({ ...child }));
  }

  private render(labels: Labels): string {
    const known = this.rendered.get(labels);
    if (known !== undefined) {
      return known;
    }
    const text = renderLabels(labels);
    this.rendered.set(labels, text);
    return text;
  }

  private bucket(family: Family, labels: string, bound: string): Child {
    const le = `le="${bound}"`;
    return this.child(family, `${family.name}_bucket`, labels === '' ? le : `${labels},${le}`);
  }

  private child(family: Family, name: string, labels: string): Child {
    const key = `${name}{${labels}}`;
    const known = this.children.get(key);
    if (known !== undefined) {
      return known;
    }
    const born = { family, name, labels, value: 0 };
    this.children.set(key, born);
    return born;
  }
}

/** `a="b",c="d"`, with the escapes of the exposition formats. */
export function renderLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n')}"`)
    .join(',');
}
