/** Reads the Prometheus text format as far as the facts need it. */

const SAMPLE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** `[{name, labels, value}]` and the type of each family. */
export function parseExposition(text) {
  const types = new Map();
  const samples = [];
  for (const line of text.split('\n')) {
    const type = /^# TYPE (\S+) (\S+)/.exec(line);
    if (type) {
      types.set(type[1], type[2]);
      continue;
    }
    const sample = line.startsWith('#') ? null : SAMPLE.exec(line);
    if (sample) {
      const labels = Object.fromEntries([...(sample[2] ?? '').matchAll(LABEL)].map((match) => [match[1], match[2]]));
      samples.push({ name: sample[1], labels, value: Number(sample[3]) });
    }
  }
  return { types, samples };
}

/** `{family: {labels, samples, type}}`, as in the facts of the engines. */
export function familyFacts({ types, samples }) {
  const facts = {};
  for (const [family, type] of [...types].sort()) {
    const own = samples.filter(({ name }) => familyOf(name, types) === family);
    facts[family] = {
      labels: sorted(own.flatMap(({ labels }) => Object.keys(labels)).filter((label) => label !== ownLabel(type))),
      samples: sorted(own.map(({ name }) => name)),
      type,
    };
  }
  return facts;
}

export function sumOf({ samples }, name, labels = {}) {
  const own = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  );
  return own.length === 0 ? undefined : own.reduce((sum, { value }) => sum + value, 0);
}

/** `le` belongs to a histogram's buckets; on a gauge it is a label like any other. */
const ownLabel = (type) => (type === 'histogram' ? 'le' : undefined);

function familyOf(name, types) {
  return types.has(name) ? name : name.replace(/_(bucket|count|sum)$/, '');
}

const sorted = (values) => [...new Set(values)].sort();
