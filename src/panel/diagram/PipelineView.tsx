import { css } from '@emotion/css';
import { useStyles2, useTheme2 } from '@grafana/ui';
import React, { memo, useId, useMemo } from 'react';
import type { PipelineLayout } from '../../pipeline/layout';
import type { PipelineEvaluation, Problem, StageId, StageSummary, Timeline } from '../../pipeline/model';
import { testIds } from '../testIds';
import { shownIn } from './boxSlots';
import { DataAge } from './DataAge';
import { Edges } from './Edges';
import type { Formats } from './formats';
import { Headline, headingOf, lostHeading } from './Headline';
import { HypothesisList } from './HypothesisList';
import { LiveRegion } from './LiveRegion';
import { Notice } from './Notice';
import { paintOf, type Paint, type Theme } from './paint';
import { Patterns } from './Patterns';
import { StageBox } from './StageBox';
import { StageGlyphs } from './StageGlyphs';
import type { Instant } from './stageView';
import { StateTable } from './StateTable';
import { Strip } from './Strip';
import type { StripEvent } from './stripModel';
import { Tabs } from './Tabs';
import { Veil } from './Veil';
import { Words } from './Words';

export interface PipelineViewProps {
  /** All pipelines, worst first. */
  readonly evaluations: readonly PipelineEvaluation[];
  /** The one that is shown. */
  readonly evaluation: PipelineEvaluation;
  readonly timeline: Timeline;
  readonly annotations: readonly StripEvent[];
  readonly problems: readonly Problem[];
  readonly layout: PipelineLayout;
  readonly formats: Formats;
  readonly live: boolean;
  readonly lost: boolean;
  readonly onChoose: (id: string) => void;
}

/** One pipeline as one picture; drawn anew only for new data, although Grafana renders its panels more often. */
export const PipelineView = memo(function PipelineView(props: PipelineViewProps): React.ReactElement {
  const { evaluation, layout, formats, lost } = props;
  const styles = useStyles2(getStyles);
  const theme = useTheme2();
  const patterns = useId().replace(/[^a-zA-Z0-9]/g, '');
  const paint = useMemo(() => paintOf(theme, `pdflow${patterns}`), [theme, patterns]);
  const { verdict, dataAsOfMs } = evaluation;
  const lastData = dataAsOfMs === undefined ? 'the range began' : formats.time(dataAsOfMs);
  const heading = lost ? lostHeading(evaluation, lastData, paint) : headingOf(evaluation, paint);
  const { scale, width, height, header } = layout;
  const besideHeadline = header.headline.x + header.headline.width < header.age.x;
  return (
    <>
      <svg
        className={styles.svg}
        width={width * scale}
        height={height * scale}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={heading.headline.slice(0, 500)}
        fontFamily={paint.fontFamily}
      >
        <Patterns paint={paint} />
        <Headline heading={heading} header={header} paint={paint} />
        <DataAge
          dataAsOfMs={dataAsOfMs}
          live={props.live}
          problemCount={layout.notice ? 0 : props.problems.length}
          rect={header.age}
          align={besideHeadline ? 'end' : 'start'}
          formats={formats}
          paint={paint}
        />
        <Picture {...props} paint={paint} focusClass={styles.focusable} />
        {lost && <Veil width={width} top={layout.bodyTop} height={height} paint={paint} />}
        {layout.notice && <Notice problems={props.problems} rect={layout.notice} paint={paint} />}
      </svg>
      <StateTable evaluation={evaluation} formats={formats} />
      <LiveRegion
        topic={[evaluation.id, verdict.kind, verdict.stage, verdict.engine, lost].join('|')}
        text={heading.headline.slice(0, 500)}
      />
    </>
  );
});

interface PictureProps extends PipelineViewProps {
  readonly paint: Paint;
  readonly focusClass: string;
}

function Picture(props: PictureProps): React.ReactElement {
  const { evaluation, layout, formats, paint, focusClass } = props;
  const { verdict, atMs, hypotheses } = evaluation;
  const instant: Instant = { atMs, severity: verdict.severity, sinceMs: verdict.sinceMs, formats };
  return (
    <>
      {layout.tabs && (
        <Tabs
          evaluations={props.evaluations}
          chosen={evaluation.id}
          onChoose={props.onChoose}
          rect={layout.tabs}
          paint={paint}
          className={focusClass}
        />
      )}
      <Stages stages={evaluation.stages} layout={layout} instant={instant} paint={paint} focusClass={focusClass} />
      {layout.hypotheses && hypotheses.length > 0 && verdict.severity !== 'none' && (
        <HypothesisList
          hypotheses={hypotheses}
          rect={layout.hypotheses}
          formats={formats}
          paint={paint}
          className={focusClass}
        />
      )}
      {layout.strip && (
        <Strip
          timeline={props.timeline}
          annotations={props.annotations}
          layout={layout.strip}
          severity={verdict.severity}
          formats={formats}
          paint={paint}
        />
      )}
      {layout.hints && <Words text={hintText(evaluation)} rect={layout.hints} align="end" color={paint.secondary} />}
    </>
  );
}

interface StagesProps {
  readonly stages: readonly StageSummary[];
  readonly layout: PipelineLayout;
  readonly instant: Instant;
  readonly paint: Paint;
  readonly focusClass: string;
}

function Stages({ stages, layout, instant, paint, focusClass }: StagesProps): React.ReactElement | null {
  if (layout.density === 'none') {
    return null;
  }
  if (layout.density === 'glyphs') {
    return <StageGlyphs stages={stages} layout={layout} instant={instant} paint={paint} className={focusClass} />;
  }
  const byId = new Map<StageId, StageSummary>(stages.map((stage) => [stage.stage, stage]));
  const { laneLabels } = layout;
  return (
    <>
      {laneLabels && <Words text="PREFILL" rect={laneLabels.prefill} bold color={paint.secondary} />}
      {laneLabels?.decode && <Words text="DECODE" rect={laneLabels.decode} bold color={paint.secondary} />}
      <Edges layout={layout} stages={byId} instant={instant} paint={paint} />
      {stages.map((stage) => (
        <StageBox
          key={stage.stage}
          stage={stage}
          rect={layout.stages[stage.stage]}
          outerNote={layout.outerNotes?.[stage.stage]}
          orientation={layout.orientation}
          shown={shownIn(layout)}
          instant={instant}
          paint={paint}
          className={focusClass}
          testId={testIds.stage(stage.stage)}
        />
      ))}
    </>
  );
}

function hintText({ id, engines }: PipelineEvaluation): string {
  const count = (role: string): number => engines.filter((engine) => engine.role === role).length;
  return `${id.slice(0, 80)} · ${count('prefill')} prefill · ${count('decode')} decode`;
}

const getStyles = (theme: Theme): { svg: string; focusable: string } => ({
  svg: css({ display: 'block', overflow: 'hidden', fontVariantNumeric: 'tabular-nums', userSelect: 'text' }),
  focusable: css({
    outline: 'none',
    '&:focus-visible': { outline: `2px solid ${theme.colors.primary.border}`, outlineOffset: 2 },
  }),
});
