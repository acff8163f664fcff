import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { StageSummary } from '../../pipeline/model';
import { boxSlots, type BoxSlots, type Shown } from './boxSlots';
import { HeatStrip } from './HeatStrip';
import { STAGE_NAMES } from './names';
import { hueOf, patternUrl, type Hue, type Paint } from './paint';
import { StateGlyph } from './StateGlyph';
import { stageWords, type Instant, type StageWords } from './stageView';
import { textWidth } from './text';
import { Words } from './Words';

export interface StageBoxProps {
  readonly stage: StageSummary;
  readonly rect: Rect;
  /** Below the box, for the culprit's note when there is no room inside. */
  readonly outerNote?: Rect;
  readonly orientation: 'horizontal' | 'vertical';
  readonly shown: Shown;
  readonly instant: Instant;
  readonly paint: Paint;
  readonly className?: string;
  readonly testId?: string;
}

export function StageBox(props: StageBoxProps): React.ReactElement {
  const { stage, rect, instant, paint, shown } = props;
  const words = stageWords(stage, instant);
  const hue = words.look === 'loud' ? hueOf(instant.severity, paint) : undefined;
  const slots = boxSlots(rect, shown, props.orientation);
  return (
    <g
      role="img"
      tabIndex={0}
      aria-label={words.title}
      className={props.className}
      data-testid={props.testId}
      data-state={stage.state}
      data-part={stage.part}
    >
      <title>{words.title}</title>
      <Frame rect={rect} look={words.look} hue={hue} paint={paint} />
      <Words
        text={slots.name.width >= 58 ? STAGE_NAMES[stage.stage].box : STAGE_NAMES[stage.stage].short}
        rect={slots.name}
        size={slots.name.width >= 70 ? 13 : 12}
        bold
        color={hue ? paint.text : paint.secondary}
      />
      <DepthNumber words={words} slots={slots} hue={hue} paint={paint} />
      <Details words={words} slots={slots} hue={hue} paint={paint} />
      {slots.heat && (
        <HeatStrip engines={stage.engines} state={stage.state} rect={slots.heat} hue={hue} paint={paint} />
      )}
      {hue && <Badge stage={stage} rect={rect} hue={hue} flat={props.orientation === 'vertical'} />}
      {hue && !slots.note && props.outerNote && (
        <Words text={words.note} rect={props.outerNote} align="middle" bold color={hue.strong} />
      )}
    </g>
  );
}

interface PartProps {
  readonly words: StageWords;
  readonly slots: BoxSlots;
  readonly hue?: Hue;
  readonly paint: Paint;
}

function Frame({
  rect,
  look,
  hue,
  paint,
}: {
  rect: Rect;
  look: StageWords['look'];
  hue?: Hue;
  paint: Paint;
}): React.ReactElement {
  const wash = look === 'waiting' ? patternUrl(paint, 'wash') : undefined;
  return (
    <>
      <rect
        {...rect}
        rx={6}
        fill={hue?.fill ?? (look === 'absent' ? 'none' : paint.box)}
        stroke={hue?.strong ?? (look === 'absent' ? paint.line : paint.border)}
        strokeWidth={hue ? 3 : 1}
        strokeDasharray={look === 'absent' ? '5 4' : undefined}
      />
      {wash && <rect {...rect} rx={6} fill={wash} />}
    </>
  );
}

/** The sign that the number is a balance is smaller than the number. */
function DepthNumber({ words, slots, hue, paint }: PartProps): React.ReactElement {
  const about = words.depth.startsWith('≈') ? '≈' : '';
  const figure = words.depth.slice(about.length);
  const wanted = textWidth(figure, { size: slots.depthSize, bold: true }) + (about ? slots.depthSize * 0.4 : 0);
  const size = Math.max(12, Math.min(slots.depthSize, (slots.depthSize * slots.depth.width) / wanted));
  const align = slots.depth.x > slots.name.x ? 'end' : 'start';
  const gaugeText = slots.gauge && slots.gauge.height < 20 ? words.gauge?.slice(-1) : words.gauge;
  const x = align === 'end' ? slots.depth.x + slots.depth.width : slots.depth.x;
  const y = slots.depth.y + slots.depth.height / 2 + size * 0.36;
  return (
    <>
      <text x={x} y={y} textAnchor={align} fontSize={size} fontWeight={600} fill={hue?.strong ?? paint.text}>
        {about && (
          <tspan fontSize={size * 0.6} fontWeight={400} fill={hue?.strong ?? paint.secondary}>
            {about}
          </tspan>
        )}
        {figure}
      </text>
      {slots.gauge && gaugeText && (
        <Words text={gaugeText.join(' ')} rect={slots.gauge} align={align} color={paint.caution} />
      )}
    </>
  );
}

function Details({ words, slots, hue, paint }: PartProps): React.ReactElement {
  const strong = words.look !== 'plain';
  const color = hue?.strong ?? (strong ? paint.text : paint.secondary);
  return (
    <>
      {slots.rates && <Words text={words.rates[0]} rect={slots.rates[0]} color={paint.secondary} />}
      {slots.rates && <Words text={words.rates[1]} rect={slots.rates[1]} color={paint.secondary} />}
      {slots.note && <Note words={words} slots={slots} strong={strong} color={color} paint={paint} />}
      {slots.progress && <Words text={words.progress} rect={slots.progress} color={paint.secondary} />}
    </>
  );
}

/** A note of one line leaves the second line of its place to the last progress. */
function Note({
  words,
  slots,
  strong,
  color,
  paint,
}: PartProps & { strong: boolean; color: string }): React.ReactElement | null {
  if (!slots.note) {
    return null;
  }
  const short = textWidth(words.note, { size: 12, bold: strong }) <= slots.note.width;
  const first = { ...slots.note, height: 16 };
  const second = { ...first, y: first.y + 16 };
  const roomForSecond = slots.note.height >= 30 && !slots.progress;
  return (
    <>
      <Words text={words.note} rect={short ? first : slots.note} bold={strong} color={color} />
      {short && roomForSecond && <Words text={words.progress} rect={second} color={paint.secondary} />}
    </>
  );
}

interface BadgeProps {
  readonly stage: StageSummary;
  readonly rect: Rect;
  readonly hue: Hue;
  readonly flat: boolean;
}

/** Sits on the upper edge, where no text of the box can be. */
function Badge({ stage, rect, hue, flat }: BadgeProps): React.ReactElement {
  const size = rect.width >= 110 && !flat ? 26 : 20;
  const shape = stage.state === 'flowing' || stage.state === 'idle' ? 'warning' : stage.state;
  const x = rect.x + (flat ? rect.width * 0.56 : rect.width - size * 0.65);
  return (
    <>
      <circle cx={x} cy={rect.y} r={size * 0.56} fill={hue.fill} />
      <StateGlyph shape={shape} x={x} y={rect.y} size={size} color={hue.strong} ground={hue.fill} />
    </>
  );
}
