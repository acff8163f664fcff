import type { RawSeries } from '../src/pipeline';
import { RECORDED_EVERY_MS } from './recording';

/** A recording that shall be replayed through the rules; each is a cluster of its own. */
export interface AlertPlay {
  readonly name: string;
  readonly series: readonly RawSeries[];
}

/** Plays that are replayed together, and the instants between which the rules are evaluated. */
export interface Batch {
  readonly plays: readonly AlertPlay[];
  /** First evaluation. No sample is older, and all stand on the grid of the recorder that begins here. */
  readonly baseMs: number;
  readonly endMs: number;
}

/** How often the rules are evaluated. */
export const EVALUATED_EVERY_MS = 15_000;
/** Rule groups in the order in which they read each other. */
const GROUPS = ['pdflow-recording', 'pdflow-conditions', 'pdflow-alerts'];
const FIRING = 'ALERTS{alertstate="firing"}';
/** The label that bears the instant of a question into its answer, and what it says in the answer that never is empty. */
export const AT_LABEL = 'asked_at';
export const ALWAYS = 'always';

/** Every instant at which the rules are evaluated. */
export const evaluations = ({ baseMs, endMs }: Batch): number[] =>
  Array.from(
    { length: Math.floor((endMs - baseMs) / EVALUATED_EVERY_MS) + 1 },
    (_, i) => baseMs + i * EVALUATED_EVERY_MS
  );

/** Which series the rules read: the names in their own selectors, and `up`. */
export function namesRead(rules: string): (name: string) => boolean {
  const patterns = [...rules.matchAll(/__name__=~"([^"]+)"/g)].map(([, names = '']) => new RegExp(`^(?:${names})$`));
  return (name) => name === 'up' || patterns.some((pattern) => pattern.test(name));
}

/**
 * The text of a file for `promtool test rules`. It expects that nothing fires, so promtool prints all that does. The
 * first question has an answer always: it shows that promtool asked and printed.
 */
export function promtoolTest(ruleFiles: readonly string[], batch: Batch): string {
  const questions = evaluations(batch).map((atMs) => question(FIRING, String(atMs), atMs - batch.baseMs));
  return JSON.stringify({
    rule_files: ruleFiles,
    evaluation_interval: seconds(EVALUATED_EVERY_MS),
    group_eval_order: GROUPS,
    tests: [
      {
        interval: seconds(RECORDED_EVERY_MS),
        input_series: batch.plays.flatMap((play) => inputSeries(play, batch)),
        promql_expr_test: [question('vector(1)', ALWAYS, 0), ...questions],
      },
    ],
  });
}

const seconds = (ms: number): string => `${ms / 1000}s`;

const question = (expr: string, at: string, afterMs: number): { expr: string; eval_time: string } => ({
  expr: `label_replace(${expr}, "${AT_LABEL}", "${at}", "", "")`,
  eval_time: seconds(afterMs),
});

function inputSeries(play: AlertPlay, batch: Batch): Array<{ series: string; values: string }> {
  const scrapes = scrapesOf(play.series);
  return play.series.map((one) => ({
    series: selector({ ...one.labels, cluster: play.name }),
    values: notation(slotsOf(one, batch, markersOf(one, scrapes))),
  }));
}

const targetOf = ({ labels }: RawSeries): string => `${labels['job']} ${labels['instance']}`;

/** When each target was scraped, or tried in vain: `up` has a sample then. */
const scrapesOf = (series: readonly RawSeries[]): ReadonlyMap<string, readonly number[]> =>
  new Map(series.filter((s) => s.labels['__name__'] === 'up').map((s) => [targetOf(s), s.timesMs]));

/**
 * Where Prometheus writes a staleness marker: at the first scrape that fails or no longer shows the series, and for a
 * target that was taken out, as soon as others are scraped. While Prometheus itself is away it writes none.
 */
function markersOf(one: RawSeries, scrapes: ReadonlyMap<string, readonly number[]>): number[] {
  const own = scrapes.get(targetOf(one)) ?? [];
  const lastMs = Math.max(...own);
  const afterwards = [...scrapes.values()].flat().filter((t) => t > lastMs);
  const chances = [...own, ...afterwards].sort((a, b) => a - b);
  return one.timesMs.flatMap((atMs, i) => {
    const nextMs = one.timesMs[i + 1] ?? Infinity;
    return chances.find((t) => t > atMs && t < nextMs) ?? [];
  });
}

function selector({ __name__: name = '', ...labels }: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}{${pairs.join(', ')}}`;
}

function slotsOf({ timesMs, values }: RawSeries, { baseMs, endMs }: Batch, markers: readonly number[]): string[] {
  const slots = Array.from({ length: Math.floor((endMs - baseMs) / RECORDED_EVERY_MS) + 1 }, () => '_');
  timesMs.forEach((atMs, i) => (slots[(atMs - baseMs) / RECORDED_EVERY_MS] = String(values[i])));
  markers.forEach((atMs) => (slots[(atMs - baseMs) / RECORDED_EVERY_MS] = 'stale'));
  return slots;
}

/** As promtool writes values: `_x3` is three times no sample, `5x3` is a 5 and three more. */
function notation(slots: readonly string[]): string {
  const runs: Array<{ readonly text: string; count: number }> = [];
  for (const text of slots) {
    const last = runs[runs.length - 1];
    if (last?.text === text) {
      last.count += 1;
    } else {
      runs.push({ text, count: 1 });
    }
  }
  return runs.map(({ text, count }) => (count === 1 ? text : `${text}x${text === '_' ? count : count - 1}`)).join(' ');
}
