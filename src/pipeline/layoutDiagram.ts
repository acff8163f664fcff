import type { StageId } from './model';
import { boxWidth, deliveredWidth, pitchX, STEPS, type Area, type Frame, type Kept, type Rect } from './layoutFrame';

export interface EdgeLayout {
  readonly from: StageId;
  readonly to: StageId | 'delivered';
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
  readonly label?: Rect;
}

const OUTER_NOTE = 16;
const LANE_GAP = 46;

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

/** Room that one box needs for what it still shows. */
function boxHeightNeeded(kept: Pick<Kept, 'rates' | 'heat' | 'notes'>, vertical: boolean): number {
  const base = vertical ? 26 : kept.notes ? 54 : 42;
  const notes = kept.notes ? (vertical ? 14 : 34) : 0;
  return base + notes + (kept.rates ? 17 : 0) + (kept.heat ? 15 : 0);
}

export function diagramHeightNeeded(frame: Frame, kept: Kept): number {
  const box = boxHeightNeeded(kept, frame.vertical);
  if (frame.vertical) {
    return STEPS * box + (STEPS - 1) * 9;
  }
  return laneLabelHeight(frame) + 2 * box + (kept.notes ? LANE_GAP : 2 * OUTER_NOTE + 2);
}

function laneLabelHeight(frame: Frame): number {
  return frame.width >= 640 && !frame.vertical ? 18 : 0;
}

export function forStages<T>(make: (stage: StageId, index: number) => T): Record<StageId, T> {
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

export interface Diagram {
  readonly stages: Readonly<Record<StageId, Rect>>;
  /** Where the note of a stage goes that has no room for it inside; only the culprit uses it. */
  readonly outerNotes?: Readonly<Record<StageId, Rect>>;
  readonly laneLabels?: { readonly prefill: Rect; readonly decode?: Rect };
  readonly edges: readonly EdgeLayout[];
  readonly handshake?: EdgeLayout;
  readonly kv?: EdgeLayout;
  readonly delivered?: Rect;
  readonly hypotheses?: Rect;
}

export function horizontalDiagram(frame: Frame, kept: Kept, area: Area): Diagram {
  const label = laneLabelHeight(frame);
  const needed = boxHeightNeeded(kept, false);
  const spare = Math.max(0, area.bottom - area.top - diagramHeightNeeded(frame, kept));
  const boxHeight = Math.min(needed * 1.4, needed + spare * 0.3);
  const laneGapY = Math.min((kept.notes ? LANE_GAP : OUTER_NOTE + 2) + spare * 0.25, 96);
  const left = spare - 2 * (boxHeight - needed) - (laneGapY - (kept.notes ? LANE_GAP : OUTER_NOTE + 2));
  const top = area.top + Math.max(0, left) / 2;
  const lane0 = top + label;
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
  const corner = { x: x(5), y: top, width: frame.width - frame.pad - x(5), height: lane1 - 8 - top };
  return {
    stages,
    outerNotes: !kept.notes ? forStages((stage) => outerNote(frame, stages[stage])) : undefined,
    laneLabels:
      label > 0
        ? {
            prefill: { ...word, x: x(1), y: top },
            decode:
              kept.notes || laneGapY >= OUTER_NOTE + label ? { ...word, x: beside, y: lane1 - label + 2 } : undefined,
          }
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

export function verticalDiagram(frame: Frame, kept: Kept, area: Area): Diagram {
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
  const kv = link({ join: across, stages, labelHeight: 34, shortHeight: 17 }, 'prefill.inflight', 'decode.transfer');
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
  /** Where the gap is too narrow for the label and some of the line. */
  readonly shortHeight?: number;
}

function link({ join, stages, labelHeight, shortHeight }: LinkStyle, from: StageId, to: StageId): EdgeLayout {
  const line = join(stages[from], stages[to]);
  const room = line.y2 - line.y1;
  const { x, width } = stages[from];
  const height = shortHeight !== undefined && room < labelHeight + 24 ? shortHeight : labelHeight;
  const label = { x, y: line.y1 + (room - height) / 2, width, height };
  return { from, to, ...line, label: room >= 44 ? label : undefined };
}

/** Long stretches carry their words above the line. */
function withRoomForLabel(edge: EdgeLayout): EdgeLayout {
  const room = edge.x2 - edge.x1;
  if (room < 150) {
    return edge;
  }
  return { ...edge, label: { x: edge.x1 + 8, y: edge.y1 - 22, width: room - 24, height: 18 } };
}
