import { LoadingState, type PanelData } from '@grafana/data';
import type { Problem } from '../pipeline/model';

/** Says in place of the picture what is wrong and what to do. */
export interface Message {
  readonly title: string;
  readonly text: string;
  readonly nextStep: string;
}

const EXPECTED =
  'Expected: the metrics of SGLang servers started with --enable-metrics, such as sglang:num_running_reqs, as time series with their labels.';
const HOW =
  'Use a query of the PD Flow data source; or a Prometheus range query such as {__name__=~"sglang:.*"} in the format "Time series". If the roles are not recognised, say in the panel options under "Roles" which label tells them.';

/** For data without any pipeline in it. */
export function emptyMessage(data: PanelData, problems: readonly Problem[]): Message {
  const failure = queryProblems(data)[0];
  if (failure !== undefined) {
    return { title: 'The query failed', text: failure.text, nextStep: failure.nextStep };
  }
  if (data.state === LoadingState.Loading || data.state === LoadingState.NotStarted) {
    return { title: 'Waiting for data', text: 'The first answer is on its way.', nextStep: '' };
  }
  const [first] = problems;
  if (data.series.length === 0 || first === undefined) {
    return {
      title: 'No pipeline in the data',
      text: `The query returned ${seriesCount(data)}. ${EXPECTED}`,
      nextStep: HOW,
    };
  }
  return { title: 'No pipeline in the data', text: `${first.text} ${EXPECTED}`, nextStep: first.nextStep };
}

function seriesCount({ series }: PanelData): string {
  return series.length === 0 ? 'no series' : `${series.length} series, none of them of an engine`;
}

/** Failed queries as data problems, so that a part that failed does not hide the part that came. */
export function queryProblems(data: PanelData): readonly Problem[] {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only error that older Grafana versions set
  const errors = data.errors ?? (data.error ? [data.error] : []);
  return errors.map(({ refId, message, data: body, statusText }) => {
    const query = refId === undefined ? 'Query' : `Query ${refId}`;
    const reason = message ?? body?.message ?? statusText ?? 'no reason given';
    return {
      kind: 'query-failed',
      text: `${query} failed: ${reason.replace(/\.$/, '')}.`,
      nextStep: 'Open the query inspector of this panel and check the data source.',
    };
  });
}

/** The pipeline that the options name is not there; the worst one is shown instead. */
export function missingPipeline(id: string): Problem {
  return {
    kind: 'no-series',
    text: `The pipeline "${id.slice(0, 80)}" is not in the data.`,
    nextStep: 'Showing the worst of the others; correct the panel option "Pipeline" or clear it.',
  };
}
