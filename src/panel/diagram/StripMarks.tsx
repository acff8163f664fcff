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

interface Sign {
  readonly d: string;
  readonly strokeWidth?: number;
  readonly strokeDasharray?: string;
}

/** A shape for every kind of event; that of an abort burst is filled. */
const SIGNS: Readonly<Record<MarkKind, Sign>> = {
  'abort-burst': { d: 'M-7 -5H7L0 7z' },
  'stall-start': { d: 'M-4 -5V5M4 -5V5', strokeWidth: 3 },
  recovery: { d: 'M-5 -6L6 0L-5 6z' },
  restart: { d: 'M5 -3A6 6 0 1 0 6 2M6 -7V-2H1' },
  lost: { d: 'M-5 -5L5 5M5 -5L-5 5' },
  back: { d: 'M-6 0L-1 5L6 -5' },
  'gauge-stale': { d: 'M0 -6L6 0L0 6L-6 0z', strokeDasharray: '3 2' },
  retraction: { d: 'M6 -5V5H-5M-2 2L-5 5L-2 8' },
  'timer-expiry': { d: 'M-5 -6H5L-5 6H5z' },
  'canary-failed': { d: 'M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0M-2 -2L2 2M2 -2L-2 2' },
  'canary-succeeded': { d: 'M-6 0A6 6 0 1 0 6 0A6 6 0 1 0 -6 0M-2 0L0 2L3 -2' },
  annotation: { d: 'M-4 6V-6H5L2 -3L5 0H-4', strokeWidth: 1.5 },
};

function MarkSign({ mark, y, paint }: { mark: Mark; y: number; paint: Paint }): React.ReactElement {
  const color = colorOf(mark.kind, paint);
  const at = `translate(${mark.x} ${y})`;
  const { d, strokeWidth = 2, strokeDasharray } = SIGNS[mark.kind];
  return mark.kind === 'abort-burst' ? (
    <path transform={at} d={d} fill={color} />
  ) : (
    <path transform={at} d={d} fill="none" stroke={color} strokeWidth={strokeWidth} strokeDasharray={strokeDasharray} />
  );
}
