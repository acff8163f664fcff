import React from 'react';
import { testIds } from '../testIds';
import { patternUrl, type Paint } from './paint';

interface Props {
  readonly width: number;
  readonly top: number;
  readonly height: number;
  readonly paint: Paint;
}

/** Over the picture when its data is too old to be taken for the present. */
export function Veil({ width, top, height, paint }: Props): React.ReactElement {
  const area = { x: 0, y: top, width, height: Math.max(0, height - top) };
  const size = Math.max(16, Math.min(96, area.height * 0.4, width / 5));
  const plate = { width: size * 3.6, height: size * 1.4 };
  return (
    <g data-testid={testIds.veil} pointerEvents="none">
      <rect {...area} fill={paint.background} opacity={0.6} />
      <rect {...area} fill={patternUrl(paint, 'veil')} />
      <rect
        x={(width - plate.width) / 2}
        y={area.y + (area.height - plate.height) / 2}
        {...plate}
        rx={8}
        fill={paint.background}
        stroke={paint.critical}
        strokeWidth={2}
        strokeDasharray="10 6"
      />
      <text
        x={width / 2}
        y={area.y + area.height / 2 + size * 0.36}
        textAnchor="middle"
        fontSize={size}
        fontWeight={700}
        fill={paint.critical}
      >
        LOST
      </text>
    </g>
  );
}
