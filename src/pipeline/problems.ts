import type { EngineSeries } from './engines';
import type { PipelineOptions, Problem, RawSeries } from './model';
import { readRelease } from './profiles/versions';

/** Above this the picture stays right but the browser works hard; the reader is told. */
const MANY_ENGINES = 1000;

interface Read {
  readonly series: readonly RawSeries[];
  /** The engines of the picture, and those that serve by themselves. */
  readonly engines: readonly EngineSeries[];
  readonly standalone: readonly EngineSeries[];
  readonly options: PipelineOptions;
}

/** What is odd about the input as a whole, each with the next step. */
export const problemsOf = ({ series, engines, standalone, options }: Read): Problem[] => [
  ...describeFleet(series, engines),
  ...describeStandalone(standalone),
  ...unreadableVersion(options),
];

function unreadableVersion({ sglangVersion = '' }: PipelineOptions): Problem[] {
  return sglangVersion.trim() === '' || readRelease(sglangVersion)
    ? []
    : [
        {
          kind: 'unknown-version',
          text: `This is no SGLang release: ${sglangVersion}`,
          nextStep: 'Write one such as 0.5.9 in the data source or panel settings, or nothing: then the series tell.',
        },
      ];
}

function describeStandalone(engines: readonly EngineSeries[]): Problem[] {
  return engines.length === 0
    ? []
    : [
        {
          kind: 'standalone-engine',
          text: `${engines.length === 1 ? 'One engine serves' : `${engines.length} engines serve`} without prefill and decode apart: ${listOf(engines.map((e) => e.id))}. Left out.`,
          nextStep: 'Nothing to do where that is meant; else set the role mapping.',
        },
      ];
}

const listOf = (ids: readonly string[]): string => `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ' …' : ''}`;

function describeFleet(series: readonly RawSeries[], engines: readonly EngineSeries[]): Problem[] {
  if (!engines.some((e) => e.role !== 'router')) {
    const others = series.length > 0 ? ` ${series.length} other series were received.` : '';
    return [
      {
        kind: 'no-series',
        text: `No SGLang series in this time range.${others}`,
        nextStep:
          'Start the SGLang servers with --enable-metrics, let Prometheus scrape them, and check the label matchers.',
      },
    ];
  }
  const problems: Problem[] = [];
  const nameless = engines.filter((e) => e.role === undefined || e.role === 'unified').map((e) => e.id);
  if (nameless.length > 0) {
    problems.push({
      kind: 'unknown-role',
      text: `${nameless.length === 1 ? 'One engine does' : `${nameless.length} engines do`} not tell whether prefill or decode: ${listOf(nameless)}.`,
      nextStep: 'Set the role mapping: a label (such as job or pod) and a pattern for prefill and for decode.',
    });
  }
  if (engines.length > MANY_ENGINES) {
    problems.push({
      kind: 'too-many-engines',
      text: `${engines.length} engines in one picture.`,
      nextStep: 'Narrow the label matchers to one deployment.',
    });
  }
  return problems;
}
