/**
 * Two-lane geometry of the picture: sizes in, rectangles and lines out. Knows nothing of the data, so nothing moves
 * when the data does. All output is in layout units: one unit is `scale` pixels, the smallest type is 12 units.
 */
import { STAGES, type StageId } from './model';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is given up when room is short, first to last. */
export const SHED_ORDER = ['hints', 'hypotheses', 'rates', 'rows', 'heat', 'notes', 'boxes'] as const;
export type SheddablePart = (typeof SHED_ORDER)[number];

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

export interface HeaderLayout {
  readonly glyph: Rect;
  readonly headline: Rect;
  readonly age: Rect;
  readonly contradiction?: Rect;
  /** Lines of running text: detail, remedy, further findings. */
  readonly prose?: Rect;
}

export interface EdgeLayout {
  readonly from: StageId;
  readonly to: StageId | 'delivered';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly label?: Rect;
}

export type StripRowId = StageId | 'verdict';

export interface StripLayout {
  readonly marks: Rect;
  readonly rows: ReadonlyArray<{ readonly id: StripRowId; readonly label?: Rect; readonly track: Rect }>;
  readonly axis: Rect;
}

export interface PipelineLayout {
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
  readonly stages: Readonly<Record<StageId, Rect>>;
  /** Where the note of a stage goes that has no room for it inside; only the culprit uses it. */
  readonly outerNotes?: Readonly<Record<StageId, Rect>>;
  readonly laneLabels?: { readonly prefill: Rect; readonly decode: Rect };
  readonly edges: readonly EdgeLayout[];
  readonly handshake?: EdgeLayout;
  readonly kv?: EdgeLayout;
  readonly delivered?: Rect;
  readonly hypotheses?: Rect;
  readonly strip?: StripLayout;
  readonly notice?: Rect;
  readonly hints?: Rect;
}

/** The size that the picture is drawn for; a larger panel shows the same picture larger. */
const DESIGN = { width: 1280, height: 720 };
export const SMALLEST_TYPE = 12;
export const LINE = 18;
const STEPS = 7;
const MARKS_HEIGHT = 22;
const AXIS_HEIGHT = 18;
const NOTICE_HEIGHT = 20;
const OUTER_NOTE = 16;
const ROW = { min: 16, max: 30 };
const LANE_GAP = 50;

const SPOT: Readonly<Record<StageId, { readonly step: number; readonly lane: 'both' | 0 | 1 }>> = {
  router: { step: 0, lane: 'both' },
  'prefill.bootstrap': { step: 1, lane: 0 },
  'prefill.waiting': { step: 2, lane: 0 },
  'prefill.forward': { step: 3, lane: 0 },
  'prefill.inflight': { step: 4, lane: 0 },
  'decode.prealloc': { step: 1, lane: 1 },
  'decode.transfer': { step: 4, lane: 1 },
  'decode.waiting': { step: 5, lane: 1 },
  'decode.running': { step: 6, lane: 1 },
};

const EDGES: ReadonlyArray<readonly [StageId, StageId]> = [
  ['router', 'prefill.bootstrap'],
  ['router', 'decode.prealloc'],
  ['prefill.bootstrap', 'prefill.waiting'],
  ['prefill.waiting', 'prefill.forward'],
  ['prefill.forward', 'prefill.inflight'],
  ['decode.prealloc', 'decode.transfer'],
  ['decode.transfer', 'decode.waiting'],
  ['decode.waiting', 'decode.running'],
];

/** With fewer rows than stages, the verdict comes first and then the stages that tell most. */
const ROW_PRIORITY: readonly StageId[] = [
  'decode.transfer',
  'prefill.inflight',
  'decode.running',
  'router',
  'prefill.forward',
  'decode.prealloc',
  'prefill.bootstrap',
  'decode.waiting',
  'prefill.waiting',
];

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly pad: number;
  readonly gap: number;
  readonly vertical: boolean;
  readonly hideStrip: boolean;
  readonly hideHypotheses: boolean;
}

interface Kept {
  readonly hints: boolean;
  readonly hypotheses: boolean;
  readonly rates: boolean;
  readonly rows: boolean;
  readonly heat: boolean;
  readonly notes: boolean;
  readonly boxes: boolean;
}

interface Area {
  readonly top: number;
  readonly bottom: number;
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

function frameOf(width: number, height: number, input: LayoutInput): Frame {
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

function keptAt(level: number): Kept {
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
    [kept.rates, box >= 116],
    [kept.heat, box >= 60],
    [kept.notes, box >= 90],
    [kept.boxes, box >= 44],
  ];
  return needs.every(([wanted, fits]) => !wanted || fits);
}

function boxWidth(frame: Frame): number {
  const inner = frame.width - 2 * frame.pad;
  return frame.vertical ? (inner - laneGap(frame)) / 2 : pitchX(frame) - frame.gap;
}

function pitchX(frame: Frame): number {
  const pitch = (frame.width - 2 * frame.pad - deliveredWidth(frame) + frame.gap) / STEPS;
  return Math.min(pitch, 250);
}

function deliveredWidth(frame: Frame): number {
  return frame.width >= 900 ? 64 : 0;
}

function laneGap(frame: Frame): number {
  return frame.width >= 480 ? 88 : 24;
}

/** Room that one box needs for what it still shows. */
function boxHeightNeeded(kept: Pick<Kept, 'rates' | 'heat' | 'notes'>, vertical: boolean): number {
  const base = vertical ? 26 : kept.notes ? 56 : 42;
  const notes = kept.notes ? (vertical ? 14 : 34) : 0;
  return base + notes + (kept.rates ? 17 : 0) + (kept.heat ? 16 : 0);
}

function heightNeeded(frame: Frame, kept: Kept, headerBottom: number): number {
  const list = frame.vertical && kept.hypotheses && !frame.hideHypotheses ? 150 : 0;
  return headerBottom + diagramHeightNeeded(frame, kept) + list + stripHeight(frame, kept) + NOTICE_HEIGHT + 14;
}

function diagramHeightNeeded(frame: Frame, kept: Kept): number {
  const box = boxHeightNeeded(kept, frame.vertical);
  if (frame.vertical) {
    return STEPS * box + (STEPS - 1) * 9;
  }
  return laneLabelHeight(frame) + 2 * box + (kept.notes ? LANE_GAP : 2 * OUTER_NOTE + 2);
}

function laneLabelHeight(frame: Frame): number {
  return frame.width >= 640 && !frame.vertical ? 20 : 0;
}

function stripHeight(frame: Frame, kept: Kept): number {
  const rows = kept.rows ? STAGES.length : 1;
  return frame.hideStrip ? 0 : MARKS_HEIGHT + AXIS_HEIGHT + rows * ROW.min;
}

function layoutHeader(frame: Frame, top: number): HeaderLayout {
  return frame.width >= 720 ? wideHeader(frame, top) : narrowHeader(frame, top);
}

function wideHeader(frame: Frame, top: number): HeaderLayout {
  const { width, height, pad } = frame;
  const y = top + (height >= 420 && top === 0 ? 14 : 8);
  const headlineHeight = height >= 420 ? 48 : 36;
  const metaWidth = Math.min(300, width * 0.27);
  const x = pad + headlineHeight + 10;
  const metaX = width - pad - metaWidth;
  const lines = height >= 620 ? 4 : height >= 560 ? 3 : height >= 380 ? 2 : height >= 240 ? 1 : 0;
  return {
    glyph: { x: pad, y, width: headlineHeight, height: headlineHeight },
    headline: { x, y, width: metaX - x - 16, height: headlineHeight },
    age: { x: metaX, y, width: metaWidth, height: LINE },
    contradiction: { x: metaX, y: y + LINE, width: metaWidth, height: headlineHeight - LINE },
    ...prose({ x, y: y + headlineHeight + 4, width: width - pad - x, height: lines * LINE }),
  };
}

function prose(rect: Rect): { prose?: Rect } {
  return rect.height > 0 ? { prose: rect } : {};
}

function narrowHeader(frame: Frame, top: number): HeaderLayout {
  const { width, height, pad } = frame;
  const tall = height >= 480;
  const y = top + (tall ? 10 : 7);
  const glyph = tall ? 36 : 30;
  const headlineHeight = tall ? 66 : 42;
  const x = pad + glyph + 8;
  const full = width - 2 * pad;
  const ageY = y + headlineHeight + 2;
  const proseY = ageY + LINE * (tall ? 2 : 1);
  const lines = height >= 560 ? 5 : tall ? 3 : height >= 240 ? 1 : 0;
  return {
    glyph: { x: pad, y, width: glyph, height: headlineHeight },
    headline: { x, y, width: width - pad - x, height: headlineHeight },
    age: { x: pad, y: ageY, width: full, height: LINE },
    ...(tall ? { contradiction: { x: pad, y: ageY + LINE, width: full, height: LINE } } : {}),
    ...prose({ x: pad, y: proseY, width: full, height: lines * LINE }),
  };
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

function forStages<T>(make: (stage: StageId, index: number) => T): Record<StageId, T> {
  return {
    router: make('router', 0),
    'prefill.bootstrap': make('prefill.bootstrap', 1),
    'prefill.waiting': make('prefill.waiting', 2),
    'prefill.forward': make('prefill.forward', 3),
    'prefill.inflight': make('prefill.inflight', 4),
    'decode.prealloc': make('decode.prealloc', 5),
    'decode.transfer': make('decode.transfer', 6),
    'decode.waiting': make('decode.waiting', 7),
    'decode.running': make('decode.running', 8),
  };
}

type Diagram = Omit<Body, 'density' | 'strip' | 'notice' | 'hints'>;

function horizontalDiagram(frame: Frame, kept: Kept, area: Area): Diagram {
  const label = laneLabelHeight(frame);
  const needed = boxHeightNeeded(kept, false);
  const spare = Math.max(0, area.bottom - area.top - diagramHeightNeeded(frame, kept));
  const boxHeight = Math.min(needed * 1.4, needed + spare * 0.3);
  const laneGapY = Math.min((kept.notes ? LANE_GAP : OUTER_NOTE + 2) + spare * 0.25, 96);
  const lane0 = area.top + label;
  const lane1 = lane0 + boxHeight + laneGapY;
  const width = boxWidth(frame);
  const x = (step: number): number => frame.pad + step * pitchX(frame);
  const stages = forStages((stage) => {
    const { step, lane } = SPOT[stage];
    const height = lane === 'both' ? lane1 + boxHeight - lane0 : boxHeight;
    return { x: x(step), y: lane === 1 ? lane1 : lane0, width, height };
  });
  // The handshake line divides the gap above prealloc; a narrow box leaves room for a word on its right side only.
  const beside = width / 2 >= 70 ? x(1) : x(1) + width / 2 + 8;
  const word = { width: 64, height: label - 2 };
  const corner = { x: x(5), y: area.top, width: frame.width - frame.pad - x(5), height: lane1 - 8 - area.top };
  return {
    stages,
    outerNotes: !kept.notes ? forStages((stage) => outerNote(frame, stages[stage])) : undefined,
    laneLabels:
      label > 0
        ? { prefill: { ...word, x: x(1), y: area.top }, decode: { ...word, x: beside, y: lane1 - label + 2 } }
        : undefined,
    ...connect(frame, stages),
    hypotheses: kept.hypotheses && !frame.hideHypotheses ? corner : undefined,
  };
}

function outerNote(frame: Frame, box: Rect): Rect {
  const width = Math.min(box.width + 1.5 * pitchX(frame), frame.width);
  const x = Math.min(Math.max(0, box.x + (box.width - width) / 2), frame.width - width);
  return { x, y: box.y + box.height, width, height: 16 };
}

function verticalDiagram(frame: Frame, kept: Kept, area: Area): Diagram {
  const list = kept.hypotheses && !frame.hideHypotheses;
  const needed = boxHeightNeeded(kept, true);
  const listHeight = list
    ? Math.min(220, 150 + (area.bottom - area.top - 150 - diagramHeightNeeded(frame, kept)) / 2)
    : 0;
  const pitch = Math.min((area.bottom - area.top - listHeight + 9) / STEPS, needed * 1.6 + 12);
  const gap = Math.min(24, Math.max(9, pitch - needed));
  const width = boxWidth(frame);
  const stages = forStages((stage) => {
    const { step, lane } = SPOT[stage];
    const x = lane === 1 ? frame.width - frame.pad - width : frame.pad;
    const across = lane === 'both' ? frame.width - 2 * frame.pad : width;
    return { x, y: area.top + step * pitch, width: across, height: pitch - gap };
  });
  const listTop = area.top + STEPS * pitch - gap + 8;
  const listRect = { x: frame.pad, y: listTop, width: frame.width - 2 * frame.pad, height: area.bottom - listTop };
  return { stages, ...connect(frame, stages), hypotheses: list ? listRect : undefined };
}

type Connections = Pick<Diagram, 'edges' | 'handshake' | 'kv' | 'delivered'>;

function connect(frame: Frame, stages: Readonly<Record<StageId, Rect>>): Connections {
  const join = frame.vertical ? joinDown : joinRight;
  const across = frame.vertical ? joinRight : joinDown;
  const edges: EdgeLayout[] = EDGES.map(([from, to]) => ({ from, to, ...join(stages[from], stages[to]) }));
  const handshake = link({ join: across, stages, labelHeight: 16 }, 'prefill.bootstrap', 'decode.prealloc');
  const kv = link({ join: across, stages, labelHeight: 34 }, 'prefill.inflight', 'decode.transfer');
  const running = stages['decode.running'];
  const room = deliveredWidth(frame);
  if (frame.vertical || room === 0) {
    return { edges: edges.map(withRoomForLabel), handshake, kv };
  }
  const x1 = running.x + running.width;
  const y = running.y + running.height / 2;
  edges.push({ from: 'decode.running', to: 'delivered', x1, y1: y, x2: x1 + room, y2: y });
  return {
    edges: edges.map(withRoomForLabel),
    handshake,
    kv,
    delivered: { x: x1 + 4, y: y - 26, width: room - 4, height: 52 },
  };
}

type Line = Pick<EdgeLayout, 'x1' | 'y1' | 'x2' | 'y2'>;

/** Left box to right box, at the height of the one that is in a lane. */
function joinRight(a: Rect, b: Rect): Line {
  const lane = a.height < b.height ? a : b;
  const y = lane.y + lane.height / 2;
  return { x1: a.x + a.width, y1: y, x2: b.x, y2: y };
}

function joinDown(a: Rect, b: Rect): Line {
  const lane = a.width < b.width ? a : b;
  const x = lane.x + lane.width / 2;
  return { x1: x, y1: a.y + a.height, x2: x, y2: b.y };
}

interface LinkStyle {
  readonly join: (a: Rect, b: Rect) => Line;
  readonly stages: Readonly<Record<StageId, Rect>>;
  readonly labelHeight: number;
}

function link({ join, stages, labelHeight }: LinkStyle, from: StageId, to: StageId): EdgeLayout {
  const line = join(stages[from], stages[to]);
  const room = line.y2 - line.y1;
  const { x, width } = stages[from];
  const y = line.y1 + (room - labelHeight) / 2;
  return { from, to, ...line, label: room >= 44 ? { x, y, width, height: labelHeight } : undefined };
}

/** Long stretches carry their words above the line. */
function withRoomForLabel(edge: EdgeLayout): EdgeLayout {
  const room = edge.x2 - edge.x1;
  if (room < 150) {
    return edge;
  }
  return { ...edge, label: { x: edge.x1 + 8, y: edge.y1 - 22, width: room - 24, height: 18 } };
}

function layoutStrip(frame: Frame, kept: Kept, { bottom, spare }: { bottom: number; spare: number }): StripLayout {
  const ids = stripRowIds(kept, spare);
  const share = kept.rows ? spare * 0.35 : spare * 0.2;
  const pitch = Math.min(ROW.max, ROW.min + Math.max(0, share) / ids.length);
  const labelWidth = frame.width >= 640 || ids.length > 1 ? 96 : 0;
  const x = frame.pad + labelWidth;
  const width = frame.width - frame.pad - x;
  const axisY = bottom - AXIS_HEIGHT;
  const top = axisY - ids.length * pitch;
  return {
    marks: { x, y: top - MARKS_HEIGHT, width, height: MARKS_HEIGHT },
    rows: ids.map((id, index) => {
      const y = top + index * pitch;
      const label = labelWidth > 0 ? { x: frame.pad, y, width: labelWidth - 8, height: pitch } : undefined;
      return { id, label, track: { x, y: y + 1.5, width, height: pitch - 3 } };
    }),
    axis: { x, y: axisY, width, height: AXIS_HEIGHT },
  };
}

/** All stages; or the verdict and as many stages as there is room for, in the order of flow. */
function stripRowIds(kept: Kept, spare: number): readonly StripRowId[] {
  if (kept.rows) {
    return STAGES;
  }
  // Only when nothing else had to go after the rows.
  const extra = kept.heat ? Math.min(Math.floor(Math.max(0, spare) / ROW.min), 7) : 0;
  const chosen = ROW_PRIORITY.slice(0, extra);
  return ['verdict', ...STAGES.filter((stage) => chosen.includes(stage))];
}
