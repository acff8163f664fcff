/** What the parts of the layout share: sizes, what is kept, measures in layout units. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is given up when room is short, first to last. */
export const SHED_ORDER = ['hints', 'hypotheses', 'rates', 'rows', 'heat', 'notes', 'boxes'] as const;
export type SheddablePart = (typeof SHED_ORDER)[number];

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly pad: number;
  readonly gap: number;
  readonly vertical: boolean;
  readonly hideStrip: boolean;
  readonly hideHypotheses: boolean;
}

export interface Kept {
  readonly hints: boolean;
  readonly hypotheses: boolean;
  readonly rates: boolean;
  readonly rows: boolean;
  readonly heat: boolean;
  readonly notes: boolean;
  readonly boxes: boolean;
}

export interface Area {
  readonly top: number;
  readonly bottom: number;
}

export const LINE = 18;
/** Places along the flow. */
export const STEPS = 7;
export function keptAt(level: number): Kept {
  const keeps = (part: SheddablePart): boolean => SHED_ORDER.indexOf(part) >= level;
  return {
    hints: keeps('hints'),
    hypotheses: keeps('hypotheses'),
    rates: keeps('rates'),
    rows: keeps('rows'),
    heat: keeps('heat'),
    notes: keeps('notes'),
    boxes: keeps('boxes'),
  };
}

interface Hidden {
  readonly hideStrip?: boolean;
  readonly hideHypotheses?: boolean;
}

export function frameOf(width: number, height: number, input: Hidden): Frame {
  return {
    width,
    height,
    pad: width >= 900 ? 24 : width >= 480 ? 14 : 8,
    gap: width >= 1000 ? 24 : width >= 640 ? 14 : 8,
    vertical: width < 900 && height >= width * 1.2,
    hideStrip: input.hideStrip === true,
    hideHypotheses: input.hideHypotheses === true,
  };
}

export function boxWidth(frame: Frame): number {
  const inner = frame.width - 2 * frame.pad;
  return frame.vertical ? (inner - laneGap(frame)) / 2 : pitchX(frame) - frame.gap;
}

export function pitchX(frame: Frame): number {
  const pitch = (frame.width - 2 * frame.pad - deliveredWidth(frame) + frame.gap) / STEPS;
  return Math.min(pitch, 250);
}

export function deliveredWidth(frame: Frame): number {
  return frame.width >= 900 ? 64 : 0;
}

export function laneGap(frame: Frame): number {
  return frame.width >= 480 ? 88 : 24;
}
