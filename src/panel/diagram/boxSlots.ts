/** Places inside one stage box: pure, depends on the size of the box and on what is shown, never on the data. */
import type { PipelineLayout, Rect } from '../../pipeline/layout';

export interface BoxSlots {
  readonly name: Rect;
  /** The shape of the state. */
  readonly sign: Rect;
  readonly depth: Rect;
  readonly depthSize: number;
  readonly gauge?: Rect;
  readonly rates?: Rect;
  /** Note and last progress. */
  readonly note?: Rect;
  readonly heat?: Rect;
}

export interface Shown {
  readonly rates: boolean;
  readonly notes: boolean;
  readonly heat: boolean;
}

const ROW = 16;

export function shownIn(layout: Pick<PipelineLayout, 'shed'>): Shown {
  return {
    rates: !layout.shed.includes('rates'),
    notes: !layout.shed.includes('notes'),
    heat: !layout.shed.includes('heat'),
  };
}

/** Name, number, rates, note and heat strip below each other; the number beside the name in a flat box. */
export function boxSlots(box: Rect, shown: Shown, orientation: PipelineLayout['orientation']): BoxSlots {
  return orientation === 'vertical' ? flatSlots(box, shown) : stackedSlots(box, shown);
}

interface Measures {
  readonly pad: number;
  readonly depthSize: number;
  readonly sign: number;
  /** Share of the width for the number; the gauge takes the rest. */
  readonly depthShare: number;
  /** The sign stands beside the number instead of the name. */
  readonly signBelow: boolean;
}

function measuresFor(width: number): Measures {
  if (width >= 110) {
    return { pad: width >= 130 ? 12 : 8, depthSize: 30, sign: 14, depthShare: 0.44, signBelow: false };
  }
  return width >= 80
    ? { pad: 8, depthSize: 26, sign: 11, depthShare: 1, signBelow: false }
    : { pad: 4, depthSize: 20, sign: 11, depthShare: 1, signBelow: true };
}

function stackedSlots(box: Rect, shown: Shown): BoxSlots {
  const measures = measuresFor(box.width);
  const { pad } = measures;
  const inner = { x: box.x + pad, width: box.width - 2 * pad };
  const heat = shown.heat ? { ...inner, y: box.y + box.height - ROW, height: 8 } : undefined;
  const head = stackedHead(box, inner, measures);
  const below = head.depth.y + head.depth.height + 4;
  const rates = shown.rates ? { ...inner, y: below, height: ROW } : undefined;
  const noteTop = below + (shown.rates ? ROW + 1 : 0);
  const bottom = heat ? heat.y - 4 : box.y + box.height - 5;
  const note = shown.notes ? noteSlot({ ...inner, y: noteTop, height: bottom - noteTop }) : undefined;
  return { ...head, rates, note, heat };
}

type Span = Pick<Rect, 'x' | 'width'>;
type Head = Pick<BoxSlots, 'name' | 'sign' | 'depth' | 'depthSize' | 'gauge'>;

function stackedHead(box: Rect, inner: Span, { depthSize: wanted, sign, depthShare, signBelow }: Measures): Head {
  const right = inner.x + inner.width;
  const depthSize = Math.min(wanted, box.height - 26);
  const beside = sign + 2;
  const depthWidth = inner.width * depthShare - (signBelow ? beside : 0);
  const depth = { x: inner.x, y: box.y + 22, width: depthWidth, height: depthSize + 2 };
  const gaugeX = depth.x + depth.width + 2;
  return {
    name: { ...inner, y: box.y + 6, height: ROW, width: inner.width - (signBelow ? 0 : beside) },
    sign: { x: right - sign, y: box.y + (signBelow ? 28 : 7), width: sign, height: sign },
    depth,
    depthSize,
    gauge: depthShare < 1 ? { x: gaugeX, y: depth.y + 2, width: right - gaugeX, height: depth.height - 2 } : undefined,
  };
}

/** Up to three lines: one or two of note, then the last progress. */
function noteSlot(room: Rect): Rect | undefined {
  const lines = Math.min(3, Math.floor((room.height + 2) / ROW));
  return lines < 1 ? undefined : { ...room, height: lines * ROW };
}

function flatSlots(box: Rect, shown: Shown): BoxSlots {
  const inner = { x: box.x + 10, width: box.width - 20 };
  const top = shown.notes ? box.y + 4 : box.y + box.height / 2 - ROW / 2;
  const bottom = box.y + box.height - 3 - (shown.heat ? 12 : 0);
  const row = (index: number): Rect => ({ ...inner, y: top + 1 + ROW * index, height: ROW });
  const noteLines = bottom - row(1).y >= (shown.rates ? 3 : 2) * ROW ? 2 : 1;
  const withGauge = inner.width >= 250;
  const noteWidth = withGauge ? inner.width - 112 : inner.width;
  const gauge = { ...row(1), x: inner.x + noteWidth, width: inner.width - noteWidth };
  return {
    ...flatHead(inner, top),
    note: shown.notes ? { ...row(1), width: noteWidth, height: noteLines * ROW } : undefined,
    gauge: shown.notes && withGauge ? gauge : undefined,
    rates: shown.rates ? row(1 + noteLines) : undefined,
    heat: shown.heat ? { ...inner, y: box.y + box.height - 12, height: 7 } : undefined,
  };
}

function flatHead(inner: Span, top: number): Head {
  const sign = 14;
  const depthSize = 18;
  const depthWidth = Math.min(70, inner.width * 0.36);
  const signX = inner.x + inner.width - sign;
  return {
    name: { ...inner, y: top, height: ROW, width: inner.width - depthWidth - sign - 12 },
    sign: { x: signX, y: top + 1, width: sign, height: sign },
    depth: { x: signX - 10 - depthWidth, y: top - 2, width: depthWidth, height: depthSize + 1 },
    depthSize,
  };
}
