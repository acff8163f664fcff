import { PROBE_FAMILIES } from './canary';
import { type Run } from './run';
import { type Family, renderLabels, type Sample } from './registry';

interface Series {
  readonly name: string;
  readonly labels: string;
  readonly points: string[];
}

interface RecordedFamily {
  readonly family: Family;
  readonly series: Map<string, Series>;
}

/** How many requests really were where, at one sample, by the time that the sample bears. */
export interface StageCount {
  readonly atMs: number;
  readonly engines: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const UP: Family = { name: 'up', type: 'gauge', help: 'Whether the last scrape of the target worked.' };

/** What a Prometheus that scrapes every target at the same instants would have stored. */
export class Recorder {
  readonly stageCounts: StageCount[] = [];
  private readonly families = new Map<string, RecordedFamily>();

  constructor(private readonly run: Run) {}

  /** Advances the run to its end and scrapes at each interval, counted back from the end. */
  recordAll(): void {
    const { startMs, endMs, options, simulation } = this.run;
    const intervalMs = options.intervalSeconds * 1000;
    const scrapes = Math.floor((endMs - startMs) / intervalMs);
    for (let left = scrapes; left >= 0; left -= 1) {
      simulation.runUntil(endMs - left * intervalMs);
      this.scrapeAll();
    }
  }

  /** OpenMetrics text with timestamps, families grouped, as `promtool tsdb create-blocks-from openmetrics` reads it. */
  *openMetrics(): Generator<string> {
    for (const { family, series } of this.families.values()) {
      yield `# HELP ${family.name} ${family.help}\n# TYPE ${family.name} ${family.type}\n`;
      for (const { name, labels, points } of series.values()) {
        yield points.map((point) => `${name}{${labels}} ${point}\n`).join('');
      }
    }
    yield '# EOF\n';
  }

  private scrapeAll(): void {
    const { deployment, faults, simulation } = this.run;
    const atMs = faults.stamp(simulation.nowMs);
    this.stageCounts.push({
      atMs,
      engines: Object.fromEntries(deployment.engines.map((engine) => [engine.instance, engine.stages()])),
    });
    if (faults.isPrometheusAway(simulation.nowMs)) {
      return;
    }
    for (const target of deployment.targets) {
      const labels = renderLabels({ job: target.job, instance: target.instance });
      const samples = target.scrape();
      this.append({ family: UP, name: UP.name, labels: '', value: samples === undefined ? 0 : 1 }, labels, atMs);
      samples?.forEach((sample) => this.append(sample, labels, atMs));
    }
    this.appendProbes();
  }

  /** A probe is dated at its beginning and stored when it has ended. */
  private appendProbes(): void {
    const { canary, faults } = this.run;
    for (const { sentMs, seconds, isAnswered, status } of canary?.takeEnded() ?? []) {
      const labels = renderLabels({ job: canary?.job ?? '', instance: canary?.instance ?? '' });
      const values = { success: isAnswered ? 1 : 0, seconds, status };
      for (const word of ['success', 'seconds', 'status'] as const) {
        const family = PROBE_FAMILIES[word];
        const sample = { family, name: family.name, labels: '', value: values[word] };
        this.append(sample, labels, faults.stamp(sentMs));
      }
    }
  }

  private append(sample: Sample, targetLabels: string, atMs: number): void {
    const { family, name } = sample;
    const labels = sample.labels === '' ? targetLabels : `${sample.labels},${targetLabels}`;
    const recorded = this.families.get(family.name) ?? { family, series: new Map<string, Series>() };
    this.families.set(family.name, recorded);
    const key = `${name}{${labels}}`;
    const series = recorded.series.get(key) ?? { name, labels, points: [] };
    recorded.series.set(key, series);
    series.points.push(`${sample.value} ${atMs / 1000}`);
  }
}
