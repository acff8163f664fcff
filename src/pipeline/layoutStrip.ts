import { STAGES, type StageId } from './model';
import type { Frame, Kept, Rect } from './layoutFrame';

export type StripRowId = StageId | 'verdict';

export interface StripLayout {
  readonly marks: Rect;
  readonly rows: ReadonlyArray<{ readonly id: StripRowId; readonly label?: Rect; readonly track: Rect }>;
  readonly axis: Rect;
}

const MARKS_HEIGHT = 22;
const AXIS_HEIGHT = 17;
const ROW = { min: 15, max: 30 };

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

export function stripHeight(frame: Frame, kept: Kept): number {
  const rows = kept.rows ? STAGES.length : 1;
  return frame.hideStrip ? 0 : MARKS_HEIGHT + AXIS_HEIGHT + rows * ROW.min;
}

export function layoutStrip(
  frame: Frame,
  kept: Kept,
  { bottom, spare }: { bottom: number; spare: number }
): StripLayout {
  const ids = stripRowIds(kept, spare);
  const rowsNeeded = kept.rows ? ids.length : 1;
  const share = (spare - (ids.length - rowsNeeded) * ROW.min) * 0.3;
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
      return { id, label, track: { x, y: y + 1, width, height: pitch - 2 } };
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
