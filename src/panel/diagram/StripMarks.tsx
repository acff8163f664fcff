import React from 'react';
import type { StripLayout } from '../../pipeline/layout';
import type { Formats } from './formats';
import { placeLabels } from './markLabels';
import type { Paint } from './paint';
import { clusterMarks, type Mark, type MarkKind, type StripEvent, type TimeScale } from './stripModel';
import { Words } from './Words';

interface Props {
  readonly events: readonly StripEvent[];
  readonly layout: StripLayout;
  readonly scale: TimeScale;
  readonly formats: Formats;
  readonly paint: Paint;
}

/** Signs above the rows, a hair line through them; close ones share one sign. */
export function StripMarks({ events, layout, scale, formats, paint }: Props): React.ReactElement {
  const marks = clusterMarks(events, scale, 16);
  const labels = placeLabels(marks, layout.marks, formats);
  const lane = layout.marks;
  return (
    <g>
      {marks.map((mark) => (
        <g key={`${mark.kind}-${mark.event.atMs}`} data-mark={mark.kind}>
          <title>{mark.texts.join('\n') + (mark.count > mark.texts.length ? `\n… ${mark.count} in all` : '')}</title>
          <path
            d={`M${mark.x} ${lane.y + 12}V${layout.axis.y}`}
            stroke={colorOf(mark.kind, paint)}
            strokeWidth={mark.kind === 'abort-burst' ? 1.5 : 1}
            strokeDasharray={mark.kind === 'abort-burst' ? undefined : '2 3'}
          />
          <MarkSign mark={mark} y={lane.y + 10} paint={paint} />
        </g>
      ))}
      {labels.map(({ mark, text, x, width }) => (
        <Words
          key={`${mark.kind}-${mark.event.atMs}`}
          text={text}
          rect={{ x, y: lane.y + 1, width: width + 2, height: 18 }}
          bold={mark.kind === 'abort-burst'}
          color={mark.kind === 'abort-burst' ? paint.caution : paint.secondary}
        />
      ))}
    </g>
  );
}

function colorOf(kind: MarkKind, paint: Paint): string {
  return kind === 'abort-burst' ? paint.caution : paint.secondary;
}

/** A shape for every kind of event. */
function MarkSign({ mark, y, paint }: { mark: Mark; y: number; paint: Paint }): React.ReactElement {
  const color = colorOf(mark.kind, paint);
  const line = { fill: 'none', stroke: color, strokeWidth: 2 };
  const at = `translate(${mark.x} ${y})`;
  switch (mark.kind) {
    case 'abort-burst':
      return <path transform={at} d="M-7 -5H7L0 7z" fill={color} />;
    case 'stall-start':
      return <path transform={at} d="M-4 -5V5M4 -5V5" {...line} strokeWidth={3} />;
    case 'recovery':
      return <path transform={at} d="M-5 -6L6 0L-5 6z" {...line} />;
    case 'restart':
      return <path transform={at} d="M5 -3A6 6 0 1 0 6 2M6 -7V-2H1" {...line} />;
    case 'lost':
      return <path transform={at} d="M-5 -5L5 5M5 -5L-5 5" {...line} />;
    case 'back':
      return <path transform={at} d="M-6 0L-1 5L6 -5" {...line} />;
    case 'gauge-stale':
      return <path transform={at} d="M0 -6L6 0L0 6L-6 0z" {...line} strokeDasharray="3 2" />;
    case 'annotation':
      return <path transform={at} d="M-4 6V-6H5L2 -3L5 0H-4" {...line} strokeWidth={1.5} />;
  }
}
