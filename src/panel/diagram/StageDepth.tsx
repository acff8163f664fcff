import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { BoxSlots } from './boxSlots';
import type { Hue, Paint } from './paint';
import type { StageWords } from './stageView';
import { textWidth } from './text';
import { Words } from './Words';

export interface PartProps {
  readonly words: StageWords;
  readonly slots: BoxSlots;
  readonly hue?: Hue;
  readonly paint: Paint;
}

/** How many requests are inside, and what the gauge says when it may not be believed. */
export function StageDepth({ words, slots, hue, paint }: PartProps): React.ReactElement {
  const beside = slots.depth.x > slots.name.x;
  const color = hue?.strong ?? paint.text;
  return (
    <>
      <Figure
        text={words.depth}
        slots={slots}
        align={beside ? 'end' : 'start'}
        color={color}
        aboutColor={hue?.strong ?? paint.secondary}
      />
      {slots.gauge && words.gauge && (
        <Gauge words={words.gauge} rect={slots.gauge} align={beside ? 'end' : 'start'} color={paint.caution} />
      )}
    </>
  );
}

interface GaugeProps {
  readonly words: readonly [string, string];
  readonly rect: Rect;
  readonly align: 'start' | 'end';
  readonly color: string;
}

/** What the gauge says and how old that is: on one line, or on two of which the second may lose the age. */
function Gauge({ words, rect, align, color }: GaugeProps): React.ReactElement {
  if (rect.height < 2 * 13) {
    return <Words text={words.join(' ')} rect={rect} align={align} color={color} />;
  }
  const half = { ...rect, height: rect.height / 2 };
  const age = textWidth(words[1], { size: 12 }) <= rect.width ? words[1] : 'stale';
  return (
    <>
      <Words text={words[0]} rect={half} align={align} color={color} />
      <Words text={age} rect={{ ...half, y: rect.y + half.height }} align={align} color={color} />
    </>
  );
}

interface FigureProps {
  readonly text: string;
  readonly slots: BoxSlots;
  readonly align: 'start' | 'end';
  readonly color: string;
  readonly aboutColor: string;
}

/** As large as fits. The sign that the number is a balance is smaller than the number. */
function Figure({ text, slots, align, color, aboutColor }: FigureProps): React.ReactElement {
  const { depth, depthSize } = slots;
  const about = text.startsWith('≈') ? '≈' : '';
  const figure = text.slice(about.length);
  const wanted = textWidth(figure, { size: depthSize, bold: true }) + about.length * depthSize * 0.4;
  const size = Math.max(12, Math.min(depthSize, (depthSize * depth.width) / wanted));
  const x = align === 'end' ? depth.x + depth.width : depth.x;
  return (
    <text
      x={x}
      y={depth.y + depth.height / 2 + size * 0.36}
      textAnchor={align}
      fontSize={size}
      fontWeight={600}
      fill={color}
    >
      {about !== '' && (
        <tspan fontSize={Math.max(12, size * 0.6)} fontWeight={400} fill={aboutColor}>
          {about}
        </tspan>
      )}
      {figure}
    </text>
  );
}
