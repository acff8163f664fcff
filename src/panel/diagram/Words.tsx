import React from 'react';
import type { Rect } from '../../pipeline/layout';
import { fitLine, textWidth, wrapText } from './text';

interface Props {
  readonly text: string;
  readonly rect: Rect;
  readonly color: string;
  readonly size?: number;
  readonly bold?: boolean;
  readonly align?: 'start' | 'middle' | 'end';
  readonly testId?: string;
  /** Shown on hover; the full text when it had to be cut. */
  readonly title?: string;
}

const ANCHOR_SHARE = { start: 0, middle: 0.5, end: 1 };

/** Text in a rectangle: as many lines as fit, the last one ellipsized, the whole of it on hover. */
export function Words(props: Props): React.ReactElement | null {
  const { text, rect, size = 12, bold = false } = props;
  if (text === '') {
    return null;
  }
  const lineHeight = size * 1.28;
  const maxLines = Math.max(1, Math.floor((rect.height + 3) / lineHeight));
  const style = { size, bold };
  const lines =
    maxLines === 1 ? [fitLine(text, rect.width, style)] : wrapText(text, { width: rect.width, maxLines }, style);
  const cut = lines.some((line) => line.endsWith('…')) && textWidth(text.slice(0, 3000), style) > rect.width;
  return <Lines {...props} lines={lines} title={props.title ?? (cut ? text : undefined)} lineHeight={lineHeight} />;
}

interface LinesProps extends Omit<Props, 'text'> {
  readonly lines: readonly string[];
  readonly lineHeight: number;
}

/** Lines that are broken already. A single one is centred in the height of its rectangle. */
export function Lines(props: LinesProps): React.ReactElement {
  const { lines, rect, color, size = 12, bold = false, align = 'start', testId, title, lineHeight } = props;
  const x = rect.x + rect.width * ANCHOR_SHARE[align];
  const first = lines.length === 1 ? rect.y + rect.height / 2 + size * 0.36 : rect.y + size * 1.02;
  return (
    <g>
      {title !== undefined && <title>{title.slice(0, 2000)}</title>}
      <text
        data-testid={testId}
        fontSize={size}
        fontWeight={bold ? 600 : 400}
        fill={color}
        textAnchor={align}
        xmlSpace="preserve"
      >
        {lines.map((line, index) => (
          <tspan key={index} x={x} y={first + index * lineHeight}>
            {index < lines.length - 1 ? `${line} ` : line}
          </tspan>
        ))}
      </text>
    </g>
  );
}
