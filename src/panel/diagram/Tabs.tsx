import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { PipelineEvaluation } from '../../pipeline/model';
import { testIds } from '../testIds';
import { hueOf, type Paint } from './paint';
import { StateGlyph, verdictShape } from './StateGlyph';
import { Words } from './Words';

interface Props {
  /** Worst first. */
  readonly evaluations: readonly PipelineEvaluation[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly rect: Rect;
  readonly paint: Paint;
  readonly className?: string;
}

/** One button per pipeline, as many as fit; the rest is counted. */
export function Tabs({ evaluations, chosen, onChoose, rect, paint, className }: Props): React.ReactElement {
  const capacity = Math.max(1, Math.floor(rect.width / 130));
  const all = evaluations.length <= capacity;
  const shown = evaluations.slice(0, all ? capacity : Math.max(1, capacity - 1));
  const places = all ? shown.length : shown.length + 1;
  const pitch = Math.min(240, rect.width / places);
  return (
    <g role="group" aria-label="Pipelines" data-testid={testIds.tabs}>
      {shown.map(({ id, verdict }, index) => {
        const place = { x: rect.x + index * pitch, y: rect.y, width: pitch - 6, height: rect.height };
        const active = id === chosen;
        const color = hueOf(verdict.severity, paint).strong;
        const choose = (): void => onChoose(id);
        return (
          <g
            key={id}
            role="button"
            tabIndex={0}
            aria-pressed={active}
            aria-label={`${id.slice(0, 200)}: ${verdict.headline.slice(0, 200)}`}
            className={className}
            onClick={choose}
            onKeyDown={(event) => onActivate(event, choose)}
            cursor="pointer"
          >
            <title>{`${id.slice(0, 500)}: ${verdict.headline.slice(0, 500)}`}</title>
            <rect
              {...place}
              rx={4}
              fill={active ? paint.box : paint.background}
              stroke={active ? paint.text : paint.border}
            />
            <StateGlyph
              shape={verdictShape(verdict.severity, verdict.kind)}
              x={place.x + 15}
              y={place.y + place.height / 2}
              size={14}
              color={color}
              ground={paint.background}
            />
            <Words
              text={id}
              rect={{ ...place, x: place.x + 28, width: place.width - 34 }}
              bold={active}
              color={paint.text}
            />
          </g>
        );
      })}
      {!all && (
        <Words
          text={`+ ${evaluations.length - shown.length} more`}
          rect={{ ...rect, x: rect.x + shown.length * pitch, width: pitch - 6 }}
          color={paint.secondary}
        />
      )}
    </g>
  );
}

function onActivate(event: React.KeyboardEvent, act: () => void): void {
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    act();
  }
}
