/** Places inside one stage box: pure, depends on the size of the box and on what is shown, never on the data. */
import type { PipelineLayout, Rect } from '../../pipeline/layout';

export interface BoxSlots {
  readonly name: Rect;
  readonly depth: Rect;
  readonly depthSize: number;
  readonly gauge?: Rect;
  readonly rates?: readonly [Rect, Rect];
  /** Up to two lines. */
  readonly note?: Rect;
  readonly progress?: Rect;
  readonly heat?: Rect;
}

export interface Shown {
  readonly rates: boolean;
  readonly notes: boolean;
  readonly heat: boolean;
}

export function shownIn(layout: Pick<PipelineLayout, 'shed'>): Shown {
  return {
    rates: !layout.shed.includes('rates'),
    notes: !layout.shed.includes('notes'),
    heat: !layout.shed.includes('heat'),
  };
}

/** Name, number, rates, note and heat strip below each other; the number beside the rest in a flat box. */
export function boxSlots(box: Rect, shown: Shown, orientation: PipelineLayout['orientation']): BoxSlots {
  return orientation === 'vertical' ? flatSlots(box, shown) : stackedSlots(box, shown);
}

function stackedSlots(box: Rect, shown: Shown): BoxSlots {
  const pad = box.width >= 110 ? 12 : box.width >= 80 ? 8 : 4;
  const inner = { x: box.x + pad, width: box.width - 2 * pad };
  const roomy = box.width >= 110;
  const depthSize = roomy ? 30 : box.width >= 80 ? 26 : 20;
  const heat = shown.heat ? { ...inner, y: box.y + box.height - 16, height: 8 } : undefined;
  const name = { ...inner, y: box.y + 6, height: 16 };
  const depth = { ...inner, y: box.y + 22, height: depthSize + 2, width: roomy ? inner.width * 0.44 : inner.width };
  const gaugeX = depth.x + depth.width + 2;
  const gauge = roomy ? { x: gaugeX, y: depth.y + 2, width: inner.x + inner.width - gaugeX, height: 30 } : undefined;
  let y = depth.y + depth.height + 4;
  const half = inner.width / 2;
  const rate = { ...inner, y, width: half, height: 16 };
  y += shown.rates ? 17 : 0;
  const bottom = heat ? heat.y - 4 : box.y + box.height - 5;
  return {
    name,
    depth,
    depthSize,
    gauge,
    rates: shown.rates ? [rate, { ...rate, x: inner.x + half }] : undefined,
    ...noteSlots({ ...inner, y, height: bottom - y }, shown),
    heat,
  };
}

/** Two lines of note; a third, when the box has grown, is for the last progress alone. */
function noteSlots(room: Rect, shown: Shown): Pick<BoxSlots, 'note' | 'progress'> {
  if (!shown.notes || room.height < 15) {
    return {};
  }
  const line = 16;
  const lines = Math.min(3, Math.floor((room.height + 2) / line));
  const noteLines = Math.min(2, lines);
  return {
    note: { ...room, height: noteLines * line },
    progress: lines > 2 ? { ...room, y: room.y + noteLines * line, height: line } : undefined,
  };
}

function flatSlots(box: Rect, shown: Shown): BoxSlots {
  const pad = 10;
  const depthSize = box.height >= 40 ? 24 : 17;
  const right = Math.min(80, box.width * 0.42);
  const left = { x: box.x + pad, width: box.width - 2 * pad - right - 4 };
  const heat = shown.heat ? { ...left, y: box.y + box.height - 12, height: 7, width: box.width - 2 * pad } : undefined;
  const top = shown.notes ? box.y + 4 : box.y + box.height / 2 - 8;
  const depthTop = shown.notes ? box.y + 3 : box.y + box.height / 2 - depthSize / 2 - 1;
  const depth = { x: left.x + left.width + 4, y: depthTop, width: right, height: depthSize + 2 };
  const rate = { ...left, y: top + 36, width: (box.width - 2 * pad) / 2, height: 16 };
  const note = { ...left, y: top + 17, height: 17 };
  const gaugeBelow = depth.y + depth.height + 16 <= (heat?.y ?? box.y + box.height) && !shown.rates;
  return {
    name: { ...left, y: top, height: 16 },
    depth,
    depthSize,
    gauge: gaugeBelow ? { ...depth, y: depth.y + depth.height, height: 16 } : undefined,
    rates: shown.rates ? [rate, { ...rate, x: rate.x + rate.width }] : undefined,
    note: shown.notes ? note : undefined,
    heat,
  };
}
