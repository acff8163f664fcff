import { css } from '@emotion/css';
import type { PanelProps } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React, { useMemo, useState } from 'react';
import { evaluate, timeline as timelineOf, type PipelineEvaluation, type Problem } from '../pipeline';
import { layoutPipeline, readableTypePx } from '../pipeline/layout';
import { readAnnotations } from './annotations';
import { PipelineView } from './diagram/PipelineView';
import { formatsFor } from './format';
import { useAnswered, usePassed, useRefreshGaps } from './hooks';
import { readFleet, readInstants, veilAgeMs, worstFirst, type FleetReading } from './judgement';
import { MessageView } from './MessageView';
import { emptyMessage, missingPipeline, queryProblems } from './messages';
import { readOptions, type PanelOptions } from './options';
import { testIds } from './testIds';

/** Series in, picture out: read, judge at the end of the range, draw. */
export function PipelinePanel(props: PanelProps<PanelOptions>): React.ReactElement {
  const { width, height, timeZone, fieldConfig } = props;
  const styles = useStyles2(getStyles);
  const data = useAnswered(props.data);
  const options = useMemo(() => readOptions(props.options), [props.options]);
  const reading = useMemo(() => readFleet(data, options), [data, options]);
  const { atMs } = useMemo(() => readInstants(data), [data]);
  const decimals = fieldConfig.defaults.decimals ?? undefined;
  const formats = useMemo(() => formatsFor(timeZone, atMs, decimals), [timeZone, atMs, decimals]);
  const evaluations = useMemo(() => worstFirst(evaluate(reading.fleet, atMs, formats)), [reading.fleet, atMs, formats]);
  const [picked, setPicked] = useState('');
  const wanted = options.pipeline || picked;
  const evaluation = evaluations.find(({ id }) => id === wanted) ?? evaluations[0];
  const problems = useMemo(
    () => [
      ...queryProblems(data),
      ...(options.pipeline !== '' && evaluation?.id !== options.pipeline ? [missingPipeline(options.pipeline)] : []),
      ...reading.problems,
    ],
    [data, reading.problems, options.pipeline, evaluation?.id]
  );
  return (
    <div className={styles.panel} style={{ width, height }} data-testid={testIds.panel}>
      {evaluation === undefined ? (
        <MessageView message={emptyMessage(data, problems)} />
      ) : (
        <Pipeline
          {...{ width, height, data, options, reading, formats, evaluations, evaluation, problems }}
          onChoose={setPicked}
        />
      )}
    </div>
  );
}

interface PipelineProps {
  readonly width: number;
  readonly height: number;
  readonly data: PanelProps['data'];
  readonly options: PanelOptions;
  readonly reading: FleetReading;
  readonly formats: ReturnType<typeof formatsFor>;
  readonly evaluations: readonly PipelineEvaluation[];
  readonly evaluation: PipelineEvaluation;
  readonly problems: readonly Problem[];
  readonly onChoose: (id: string) => void;
}

function Pipeline(props: PipelineProps): React.ReactElement {
  const { width, height, data, options, reading, formats, evaluations, evaluation, problems, onChoose } = props;
  const { fleet } = reading;
  const { fromMs, live } = useMemo(() => readInstants(data), [data]);
  const { id, atMs, dataAsOfMs } = evaluation;
  const timeline = useMemo(
    () => timelineOf(fleet, id, { fromMs, toMs: atMs }, formats),
    [fleet, id, fromMs, atMs, formats]
  );
  const annotations = useMemo(() => readAnnotations(data.annotations), [data.annotations]);
  const tabs = evaluations.length > 1 && options.pipeline === '';
  const layout = useMemo(
    () => layoutPipeline(layoutInput({ width, height, options, tabs })),
    [width, height, options, tabs]
  );
  const veilMs = veilAgeMs(options.veilAfter, fleet.intervalMs, useRefreshGaps(data));
  const watched = live && veilMs > 0 && dataAsOfMs !== undefined;
  const lost = usePassed(watched ? dataAsOfMs + veilMs : undefined);
  return (
    <PipelineView
      {...{ evaluations, evaluation, timeline, annotations, problems, layout, formats, live, lost, onChoose }}
    />
  );
}

interface Sizes {
  readonly width: number;
  readonly height: number;
  readonly options: PanelOptions;
  readonly tabs: boolean;
}

function layoutInput({ width, height, options, tabs }: Sizes): Parameters<typeof layoutPipeline>[0] {
  const { distanceM, screenInch, showStrip, showHypotheses, showRates } = options;
  return {
    width,
    height,
    tabs,
    smallestTypePx: readableTypePx(distanceM, screenInch, Math.hypot(window.screen.width, window.screen.height)),
    hideStrip: !showStrip,
    hideHypotheses: !showHypotheses,
    hideRates: !showRates,
  };
}

const getStyles = (): { panel: string } => ({
  panel: css({ position: 'relative', overflow: 'hidden' }),
});
