import type { Problem, RawSeries } from '../pipeline/model';
import { encodeSeriesName } from './seriesName';

/** What was wrong with the frames, counted while reading. */
export interface Flaws {
  readonly unreadable: Array<{ readonly frame: string; readonly why: string }>;
  /** Series that nothing gives a metric name to. */
  nameless: number;
  readonly dropped: SeriesFlaw[];
  readonly sorted: SeriesFlaw[];
  readonly conflicts: SeriesFlaw[];
}

export interface SeriesFlaw {
  readonly labels: RawSeries['labels'];
  readonly count: number;
}

const MAX_NAME = 120;

/** One problem per kind of flaw, each with the number of cases, one example and the next step. */
export function wordProblems(flaws: Flaws): Problem[] {
  return [...unreadable(flaws), ...nameless(flaws), ...dropped(flaws), ...sorted(flaws), ...conflicts(flaws)];
}

function unreadable({ unreadable: cases }: Flaws): Problem[] {
  const first = cases[0];
  return first === undefined
    ? []
    : [
        {
          kind: 'unreadable-frame',
          text: `${count(cases.length, 'result')} cannot be read as time series: "${clip(first.frame)}", because ${clip(first.why)}.`,
          nextStep: 'Set the query to type Range and format Time series, or use the PD Flow data source.',
        },
      ];
}

function nameless({ nameless: cases }: Flaws): Problem[] {
  return cases === 0
    ? []
    : [
        {
          kind: 'unreadable-frame',
          text: `${count(cases, 'series', 'series')} have no metric name: functions such as rate() and sum() drop it.`,
          nextStep: 'Query the metrics themselves, such as {__name__=~"sglang.+"}, or use the PD Flow data source.',
        },
      ];
}

function dropped({ dropped: cases }: Flaws): Problem[] {
  const total = sum(cases);
  return problem(cases, 'non-finite', (example) => ({
    text: `${count(total, 'sample')} of ${count(cases.length, 'series', 'series')} have no finite value or no readable time and are left out: ${example}.`,
    nextStep: 'They are treated as a gap. If this lasts, look at this metric on the exporter.',
  }));
}

function sorted({ sorted: cases }: Flaws): Problem[] {
  return problem(cases, 'out-of-order', (example) => ({
    text: `The samples of ${count(cases.length, 'series', 'series')} came out of order and were sorted: ${example}.`,
    nextStep: 'Remove transformations that sort or join the rows before the panel.',
  }));
}

function conflicts({ conflicts: cases }: Flaws): Problem[] {
  const total = sum(cases);
  return problem(cases, 'duplicate-series', (example) => ({
    text: `${count(cases.length, 'series', 'series')} came twice with different values (${count(total, 'instant')}); the larger value is used: ${example}.`,
    nextStep: 'Add label matchers so that each engine is read from one Prometheus replica only.',
  }));
}

function problem(
  cases: readonly SeriesFlaw[],
  kind: Problem['kind'],
  word: (example: string) => Omit<Problem, 'kind'>
): Problem[] {
  const first = cases[0];
  return first === undefined ? [] : [{ kind, ...word(clip(encodeSeriesName(first.labels))) }];
}

function sum(cases: readonly SeriesFlaw[]): number {
  return cases.reduce((total, one) => total + one.count, 0);
}

function count(total: number, one: string, many = `${one}s`): string {
  return `${total} ${total === 1 ? one : many}`;
}

function clip(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text;
}
