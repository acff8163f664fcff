import React from 'react';
import type { PipelineLayout, Rect } from '../../pipeline/layout';
import type { StageSummary } from '../../pipeline/model';
import { testIds } from '../testIds';
import { laneNameFor, STAGE_NAMES } from './names';
import { hueOf, type Paint } from './paint';
import { StateGlyph } from './StateGlyph';
import { stageWords, type Instant } from './stageView';
import { textWidth } from './text';
import { Words } from './Words';

interface Props {
  readonly stages: readonly StageSummary[];
  readonly layout: PipelineLayout;
  readonly instant: Instant;
  readonly paint: Paint;
  readonly className?: string;
}

/** The whole pipeline as a line of signs in the order of flow, for panels without room for boxes. */
export function StageGlyphs({ stages, layout, instant, paint, className }: Props): React.ReactElement {
  return (
    <>
      {stages.map((stage) => {
        const rect = layout.stages[stage.stage];
        const culprit = stage.part === 'culprit';
        const hue = culprit ? hueOf(instant.severity, paint) : undefined;
        const { title } = stageWords(stage, instant);
        return (
          <g
            key={stage.stage}
            role="img"
            tabIndex={0}
            aria-label={title}
            className={className}
            data-testid={testIds.stage(stage.stage)}
            data-state={stage.state}
            data-part={stage.part}
          >
            <title>{title}</title>
            <rect {...rect} fill="none" pointerEvents="all" />
            <StateGlyph
              shape={stage.state}
              x={rect.x + rect.width / 2}
              y={rect.y + (rect.height - 15) / 2}
              size={glyphSize(rect) * (culprit ? 1 : 0.7)}
              color={hue?.strong ?? paint.secondary}
              ground={paint.background}
            />
            <GlyphName stage={stage} rect={rect} bounds={layout.width} color={hue?.strong ?? paint.secondary} />
          </g>
        );
      })}
    </>
  );
}

function glyphSize({ width, height }: Rect): number {
  return Math.min(height - 16, width * 0.8, 36);
}

interface NameProps {
  readonly stage: StageSummary;
  readonly rect: Rect;
  readonly bounds: number;
  readonly color: string;
}

/** Short names below all signs where they fit; else the culprit's alone, with the room of its neighbours. */
function GlyphName({ stage, rect, bounds, color }: NameProps): React.ReactElement | null {
  const culprit = stage.part === 'culprit';
  const everyone = rect.width >= 44;
  if (!everyone && !culprit) {
    return null;
  }
  const name = everyone ? laneNameFor(stage.stage, rect.width - 4) : STAGE_NAMES[stage.stage].full;
  const width = everyone ? rect.width : textWidth(name, { size: 12, bold: true }) + 4;
  const x = Math.min(Math.max(0, rect.x + (rect.width - width) / 2), bounds - width);
  return (
    <Words
      text={name}
      rect={{ x, y: rect.y + rect.height - 15, width, height: 15 }}
      align="middle"
      bold={culprit}
      color={color}
    />
  );
}
