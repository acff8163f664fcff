import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { StageReading, StageState } from '../../pipeline/model';
import { heatCells } from './heat';
import { stateFill, type Hue, type Paint } from './paint';

interface Props {
  readonly engines: readonly StageReading[];
  readonly state: StageState;
  readonly rect: Rect;
  readonly hue?: Hue;
  readonly paint: Paint;
}

/** The engines of a stage, worst first. In the culprit, the engines that are in its state have its colour. */
export function HeatStrip({ engines, state, rect, hue, paint }: Props): React.ReactElement {
  const cells = heatCells(engines, Math.floor(rect.width / 8));
  return (
    <g aria-hidden="true">
      {cells.map((cell, index) => {
        const width = cell.share * rect.width;
        const fill = stateFill(cell.state, paint, cell.state === state ? hue : undefined);
        return (
          <rect
            key={index}
            x={rect.x + cell.from * rect.width}
            y={rect.y}
            width={Math.max(1, width - (cells.length > 1 ? 1.5 : 0))}
            height={rect.height}
            rx={1.5}
            fill={fill.fill}
            stroke={fill.stroke}
            strokeWidth={fill.stroke ? 0.75 : 0}
            strokeDasharray={fill.dashed ? '3 2' : undefined}
          >
            <title>{cell.title}</title>
          </rect>
        );
      })}
    </g>
  );
}
