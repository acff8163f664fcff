import React from 'react';
import type { StripLayout, StripRowId } from '../../pipeline/layout';
import type { Severity, Timeline } from '../../pipeline/model';
import { testIds } from '../testIds';
import type { Formats } from './formats';
import { ROW_NAMES } from './markLabels';
import { STATE_WORDS } from './names';
import { hueOf, stateFill, type Paint } from './paint';
import { StripMarks } from './StripMarks';
import {
  axisTicks,
  stripSegments,
  verdictAsState,
  xOf,
  type StripEvent,
  type StripSegment,
  type TimeScale,
} from './stripModel';
import { Words } from './Words';

interface Props {
  readonly timeline: Timeline;
  readonly annotations: readonly StripEvent[];
  readonly layout: StripLayout;
  /** Severity of the current verdict: the colour of culprit spans. */
  readonly severity: Severity;
  readonly formats: Formats;
  readonly paint: Paint;
}

/** The states of the stages over the range of the dashboard, and what happened. */
export function Strip({ timeline, annotations, layout, severity, formats, paint }: Props): React.ReactElement {
  const { fromMs, toMs } = timeline;
  const scale = { fromMs, toMs, x: layout.marks.x, width: layout.marks.width };
  return (
    <g data-testid={testIds.strip}>
      {layout.rows.map(({ id, label, track }) => (
        <g key={id} data-row={id}>
          {label && <Words text={ROW_NAMES[id] ?? id} rect={label} align="end" color={paint.secondary} />}
          <rect {...track} rx={2} fill="none" stroke={paint.barDim} />
          {segmentsOf(id, timeline, scale).map((segment, index) => (
            <Segment key={index} {...{ segment, track, severity, formats, paint }} row={id} />
          ))}
        </g>
      ))}
      <Axis layout={layout} scale={scale} formats={formats} paint={paint} />
      <StripMarks
        events={[...timeline.events, ...annotations]}
        layout={layout}
        scale={scale}
        formats={formats}
        paint={paint}
      />
    </g>
  );
}

function segmentsOf(id: StripRowId, timeline: Timeline, scale: TimeScale): readonly StripSegment[] {
  if (id === 'verdict') {
    return stripSegments(timeline.verdicts.map(verdictAsState), scale);
  }
  return stripSegments(timeline.stages.find(({ stage }) => stage === id)?.spans ?? [], scale);
}

interface SegmentProps {
  readonly segment: StripSegment;
  readonly track: { readonly y: number; readonly height: number };
  readonly severity: Severity;
  readonly row: StripRowId;
  readonly formats: Formats;
  readonly paint: Paint;
}

function Segment({ segment, track, severity, row, formats, paint }: SegmentProps): React.ReactElement {
  const { state, part, x, width, fromMs, toMs } = segment;
  const past = severity === 'none' || severity === 'info' || row === 'verdict';
  const spanSeverity = past ? (state === 'slow' ? 'warning' : 'critical') : severity;
  const fill = stateFill(state, paint, part === 'culprit' ? hueOf(spanSeverity, paint) : undefined);
  const inset = fill.stroke ? 0.5 : 0;
  return (
    <rect
      x={x + inset}
      y={track.y + inset}
      width={Math.max(0.5, width - 2 * inset)}
      height={track.height - 2 * inset}
      fill={fill.fill}
      stroke={fill.stroke}
      strokeWidth={fill.stroke ? 0.75 : 0}
      strokeDasharray={fill.dashed ? '3 3' : undefined}
      data-state={state}
      data-part={part}
    >
      <title>{`${ROW_NAMES[row] ?? row}: ${STATE_WORDS[state]}, ${formats.time(fromMs)} – ${formats.time(toMs)}`}</title>
    </rect>
  );
}

interface AxisProps {
  readonly layout: StripLayout;
  readonly scale: TimeScale;
  readonly formats: Formats;
  readonly paint: Paint;
}

function Axis({ layout, scale, formats, paint }: AxisProps): React.ReactElement {
  const { stepMs, atMs } = axisTicks(scale, 84);
  const { axis } = layout;
  const half = 36;
  return (
    <g aria-hidden="true">
      {atMs.map((at) => {
        const x = xOf(at, scale);
        if (x < axis.x + half - 16 || x > axis.x + axis.width - half + 16) {
          return null;
        }
        return (
          <React.Fragment key={at}>
            <path d={`M${x} ${axis.y}V${axis.y + 4}`} stroke={paint.line} />
            <Words
              text={formats.tick(at, stepMs)}
              rect={{ x: x - half, y: axis.y + 4, width: 2 * half, height: axis.height - 4 }}
              align="middle"
              color={paint.secondary}
            />
          </React.Fragment>
        );
      })}
    </g>
  );
}
