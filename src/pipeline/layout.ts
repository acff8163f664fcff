/**
 * Two-lane geometry of the picture: sizes in, rectangles and lines out. Knows nothing of the data, so nothing moves
 * when the data does. All output is in layout units: one unit is `scale` pixels, the smallest type is 12 units.
 */
import { diagramHeightNeeded, forStages, horizontalDiagram, verticalDiagram, type Diagram } from './layoutDiagram';
import {
  boxWidth,
  frameOf,
  keptAt,
  SHED_ORDER,
  type Frame,
  type Kept,
  type Rect,
  type SheddablePart,
} from './layoutFrame';
import { layoutHeader, type HeaderLayout } from './layoutHeader';
import { layoutStrip, stripHeight, type StripLayout } from './layoutStrip';
import { STAGES } from './model';

export type { EdgeLayout } from './layoutDiagram';
export { LINE, SHED_ORDER, type Rect, type SheddablePart } from './layoutFrame';
export type { HeaderLayout } from './layoutHeader';
export type { StripLayout, StripRowId } from './layoutStrip';

/** The size that the picture is drawn for; a larger panel shows the same picture larger. */
const DESIGN = { width: 1280, height: 720 };
export const SMALLEST_TYPE = 12;
const NOTICE_HEIGHT = 20;

export interface LayoutInput {
  /** Size of the panel in pixels. */
  readonly width: number;
  readonly height: number;
  /** Height in pixels of the smallest type that must be readable; absent: fit to the size. */
  readonly smallestTypePx?: number;
  readonly hideStrip?: boolean;
  readonly hideHypotheses?: boolean;
  readonly hideRates?: boolean;
  /** Several pipelines: a row to choose from. */
  readonly tabs?: boolean;
}

export interface PipelineLayout extends Diagram {
  /** Pixels per layout unit. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  readonly orientation: 'horizontal' | 'vertical';
  readonly shed: readonly SheddablePart[];
  readonly tabs?: Rect;
  readonly header: HeaderLayout;
  /** Where the picture below the header begins. */
  readonly bodyTop: number;
  /** `glyphs`: a line of signs without boxes. `none`: no room even for these. */
  readonly density: 'boxes' | 'glyphs' | 'none';
  readonly strip?: StripLayout;
  readonly notice?: Rect;
  readonly hints?: Rect;
}

/** Pixels that the smallest type must have to be read from `distanceM` metres: cap height 0.0058 of the distance. */
export function readableTypePx(distanceM: number, diagonalInch: number, screenDiagonalPx: number): number | undefined {
  if (!(distanceM > 0 && diagonalInch > 0 && screenDiagonalPx > 0)) {
    return undefined;
  }
  const pxPerMetre = screenDiagonalPx / (diagonalInch * 0.0254);
  const capShareOfType = 0.727;
  return (0.0058 * distanceM * pxPerMetre) / capShareOfType;
}

/** The whole picture for one panel size. Total: any size gives a layout, tiny ones without the diagram. */
export function layoutPipeline(input: LayoutInput): PipelineLayout {
  const fit = Math.max(1, Math.min(input.width / DESIGN.width, input.height / DESIGN.height));
  const scale = Math.max(fit, (input.smallestTypePx ?? 0) / SMALLEST_TYPE);
  const frame = frameOf(Math.max(input.width / scale, 80), Math.max(input.height / scale, 40), input);
  const tabs = input.tabs ? { x: frame.pad, y: 4, width: frame.width - 2 * frame.pad, height: 26 } : undefined;
  const top = tabs ? tabs.y + tabs.height : 0;
  const header = layoutHeader(frame, top);
  const headerBottom = Math.max(...Object.values(header).map((rect: Rect) => rect.y + rect.height));
  const level = firstFittingLevel(frame, headerBottom);
  const kept = keptAt(level);
  return {
    scale,
    width: frame.width,
    height: frame.height,
    orientation: frame.vertical ? 'vertical' : 'horizontal',
    shed: SHED_ORDER.filter((part) => !kept[part] || (part === 'rates' && input.hideRates === true)),
    tabs,
    header,
    bodyTop: headerBottom,
    ...layoutBody(frame, kept, headerBottom),
  };
}

function firstFittingLevel(frame: Frame, headerBottom: number): number {
  for (let level = 0; level < SHED_ORDER.length; level++) {
    const kept = keptAt(level);
    if (fitsWidth(frame, kept) && heightNeeded(frame, kept, headerBottom) <= frame.height) {
      return level;
    }
  }
  return SHED_ORDER.length;
}

function fitsWidth(frame: Frame, kept: Kept): boolean {
  const box = boxWidth(frame);
  const needs: ReadonlyArray<readonly [boolean, boolean]> = [
    [kept.hints, frame.width >= 900],
    [kept.hypotheses, frame.width >= (frame.vertical ? 340 : 1000)],
    [kept.rates, box >= 90],
    [kept.heat, box >= 60],
    [kept.notes, box >= 90],
    [kept.boxes, box >= 44],
  ];
  return needs.every(([wanted, fits]) => !wanted || fits);
}

function heightNeeded(frame: Frame, kept: Kept, headerBottom: number): number {
  const list = frame.vertical && kept.hypotheses && !frame.hideHypotheses ? 150 : 0;
  return headerBottom + diagramHeightNeeded(frame, kept) + list + stripHeight(frame, kept) + NOTICE_HEIGHT + 10;
}

type Body = Omit<PipelineLayout, 'scale' | 'width' | 'height' | 'orientation' | 'shed' | 'tabs' | 'header' | 'bodyTop'>;

function layoutBody(frame: Frame, kept: Kept, headerBottom: number): Body {
  if (!kept.boxes) {
    return glyphBody(frame, headerBottom);
  }
  const { width, height, pad } = frame;
  const foot = height - NOTICE_HEIGHT - 2;
  const spare = height - heightNeeded(frame, kept, headerBottom);
  const strip = frame.hideStrip ? undefined : layoutStrip(frame, kept, { bottom: foot, spare });
  const area = { top: headerBottom + 6, bottom: (strip ? strip.marks.y : foot) - 2 };
  const diagram = frame.vertical ? verticalDiagram(frame, kept, area) : horizontalDiagram(frame, kept, area);
  const noticeWidth = (width - 2 * pad) * (kept.hints ? 0.7 : 1);
  const notice = { x: pad, y: foot, width: noticeWidth, height: NOTICE_HEIGHT };
  const hintsX = pad + noticeWidth + 12;
  return {
    density: 'boxes',
    ...diagram,
    strip,
    notice,
    hints: kept.hints ? { ...notice, x: hintsX, width: width - pad - hintsX } : undefined,
  };
}

function glyphBody(frame: Frame, headerBottom: number): Body {
  const { width, height, pad } = frame;
  const room = height - headerBottom - 4;
  const glyphHeight = 36;
  const kept = keptAt(SHED_ORDER.length);
  const withStrip = !frame.hideStrip && room >= glyphHeight + stripHeight(frame, kept) + 4;
  const withNotice = room >= glyphHeight + stripHeight(frame, kept) + NOTICE_HEIGHT + 8;
  const foot = withNotice ? height - NOTICE_HEIGHT - 2 : height - 2;
  const strip = withStrip ? layoutStrip(frame, kept, { bottom: foot, spare: 0 }) : undefined;
  const pitch = (width - 2 * pad) / STAGES.length;
  const bottom = strip ? strip.marks.y : foot;
  const y = headerBottom + 4;
  const tall = Math.min(Math.max(glyphHeight, bottom - y - 4), 64);
  const middle = y + Math.max(0, bottom - y - tall) / 2;
  return {
    density: room >= glyphHeight ? 'glyphs' : 'none',
    stages: forStages((_, index) => ({ x: pad + index * pitch, y: middle, width: pitch, height: tall })),
    edges: [],
    strip,
    notice: withNotice ? { x: pad, y: foot, width: width - 2 * pad, height: NOTICE_HEIGHT } : undefined,
  };
}
