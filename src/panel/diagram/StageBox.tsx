import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { StageState, StageSummary } from '../../pipeline/model';
import { boxSlots, type Shown } from './boxSlots';
import { HeatStrip } from './HeatStrip';
import { nameFor } from './names';
import { hueOf, patternUrl, type Hue, type Paint } from './paint';
import { StateGlyph } from './StateGlyph';
import { StageDepth, type PartProps } from './StageDepth';
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
        text={nameFor(stage.stage, slots.name.width)}
        rect={slots.name}
        size={slots.name.width >= 64 ? 13 : 12}
        bold
        color={hue ? paint.text : paint.secondary}
      />
      <StageDepth words={words} slots={slots} hue={hue} paint={paint} />
      <Details words={words} slots={slots} hue={hue} paint={paint} />
      {slots.heat && (
        <HeatStrip engines={stage.engines} state={stage.state} rect={slots.heat} hue={hue} paint={paint} />
      )}
      <Sign state={stage.state} slot={slots.sign} hue={hue} paint={paint} />
      {hue && !slots.note && props.outerNote && (
        <Words text={words.note} rect={props.outerNote} align="middle" bold color={hue.strong} />
      )}
    </g>
  );
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

function Details({ words, slots, hue, paint }: PartProps): React.ReactElement {
  const strong = words.look !== 'plain';
  const color = hue?.strong ?? (strong ? paint.text : paint.secondary);
  return (
    <>
      {slots.rates && <Rates words={words} rect={slots.rates} color={paint.secondary} />}
      {slots.note && <Note words={words} slots={slots} strong={strong} color={color} paint={paint} />}
    </>
  );
}

/** Below this width, words for rates of usual length do not fit; then no box has them. */
const WORDS_OF_RATES = 112;

/** In on the left, out from the middle on or further right when the first is long; both in one when they do not fit. */
function Rates({ words, rect, color }: { words: StageWords; rect: Rect; color: string }): React.ReactElement {
  const [arrivals, departures] = words.rates;
  const shift = Math.max(rect.width / 2, textWidth(arrivals, { size: 12 }) + 6);
  if (rect.width < WORDS_OF_RATES || shift + textWidth(departures, { size: 12 }) > rect.width) {
    return <Words text={words.shortRates} rect={rect} color={color} />;
  }
  return (
    <>
      <Words text={arrivals} rect={rect} color={color} />
      <Words text={departures} rect={{ ...rect, x: rect.x + shift, width: rect.width - shift }} color={color} />
    </>
  );
}

const NOTE_LINE = 16;

/** The note in one line or two, the last progress below it when a line is left. */
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
  const total = Math.round(slots.note.height / NOTE_LINE);
  const fits = textWidth(words.note, { size: 12, bold: strong }) <= slots.note.width;
  const noteHeight = NOTE_LINE * (fits ? 1 : Math.min(2, total));
  const below = { ...slots.note, y: slots.note.y + noteHeight, height: NOTE_LINE };
  return (
    <>
      <Words text={words.note} rect={{ ...slots.note, height: noteHeight }} bold={strong} color={color} />
      {slots.note.height > noteHeight && <Words text={words.progress} rect={below} color={paint.secondary} />}
    </>
  );
}

interface SignProps {
  readonly state: StageState;
  readonly slot: Rect;
  readonly hue?: Hue;
  readonly paint: Paint;
}

/** The shape of the state; the culprit's is larger and in its colour. */
function Sign({ state, slot, hue, paint }: SignProps): React.ReactElement {
  const size = slot.width * (hue ? 1.4 : 1);
  // Grows to the left and not out of the box.
  const x = slot.x + slot.width - size / 2;
  const shape = hue && (state === 'flowing' || state === 'idle') ? 'warning' : state;
  return (
    <StateGlyph
      shape={shape}
      x={x}
      y={slot.y + slot.height / 2}
      size={size}
      color={hue?.strong ?? paint.secondary}
      ground={hue?.fill ?? paint.box}
    />
  );
}
