import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { Problem } from '../../pipeline/model';
import { testIds } from '../testIds';
import type { Paint } from './paint';
import { StateGlyph } from './StateGlyph';
import { Words } from './Words';

interface Props {
  readonly problems: readonly Problem[];
  readonly rect: Rect;
  readonly paint: Paint;
}

/** Problems with the data in one line: how many, the first one and its next step, all of them on hover. */
export function Notice({ problems, rect, paint }: Props): React.ReactElement | null {
  const [first] = problems;
  if (first === undefined) {
    return null;
  }
  const count = problems.length > 1 ? `${problems.length} data problems. ` : '';
  const all = problems.slice(0, 20).map(({ text, nextStep }) => `${text} ${nextStep}`.slice(0, 400));
  return (
    <g>
      <StateGlyph
        shape="warning"
        x={rect.x + 7}
        y={rect.y + rect.height / 2}
        size={13}
        color={paint.caution}
        ground={paint.background}
      />
      <Words
        text={`${count}${first.text} → ${first.nextStep}`}
        rect={{ ...rect, x: rect.x + 20, width: rect.width - 20 }}
        color={paint.text}
        title={all.join('\n')}
        testId={testIds.problems}
      />
    </g>
  );
}
