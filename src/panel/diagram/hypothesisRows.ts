import type { Rect } from '../../pipeline/layout';
import type { Hypothesis, HypothesisStatus } from '../../pipeline/model';
import { textWidth, wrapText } from './text';

export interface ListRow {
  readonly hypothesis: Hypothesis;
  readonly rect: Rect;
}

export interface ListRows {
  readonly rows: readonly ListRow[];
  readonly hidden: readonly Hypothesis[];
  readonly nameWidth: number;
}

const RANK: Readonly<Record<HypothesisStatus, number>> = { supported: 0, undecided: 1, refuted: 2 };
const LINE = 16;
const TITLE = 20;

/** Rows below the title of the list, one line each; lines that are left go to the rows whose text is cut. */
export function listRows(hypotheses: readonly Hypothesis[], inner: Rect, signWidth: number): ListRows {
  const ranked = [...hypotheses].sort((a, b) => RANK[a.status] - RANK[b.status]);
  const capacity = Math.max(1, Math.floor((inner.height - TITLE) / LINE));
  const shown = ranked.slice(0, capacity);
  const names = shown.map(({ name }) => textWidth(name.slice(0, 60), { size: 12, bold: true }));
  const nameWidth = Math.min(Math.max(0, ...names) + 2, inner.width * 0.5);
  const textBox = { width: inner.width - signWidth - nameWidth - 10, maxLines: 3 };
  let spare = capacity - shown.length;
  let y = inner.y + TITLE;
  const rows = shown.map((hypothesis) => {
    const wanted = Math.max(1, wrapText(hypothesis.text, textBox, { size: 12 }).length);
    const lines = 1 + Math.min(wanted - 1, spare);
    spare -= lines - 1;
    const rect = { x: inner.x, y, width: inner.width, height: lines * LINE };
    y += lines * LINE;
    return { hypothesis, rect };
  });
  return { rows, hidden: ranked.slice(capacity), nameWidth };
}
