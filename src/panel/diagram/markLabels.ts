import { duration } from '../../pipeline';
import { EVENT_WORDS, STAGE_NAMES } from './names';
import type { Formats } from './formats';
import type { Mark, StripEvent } from './stripModel';
import { fitLine, textWidth } from './text';

export interface PlacedLabel {
  readonly mark: Mark;
  readonly text: string;
  readonly x: number;
  readonly width: number;
}

const GAP = 10;

/**
 * A label beside its mark, left or right, where no other mark or label is; those that find no room are only told on
 * hover. The weightiest marks choose first.
 */
export function placeLabels(
  marks: readonly Mark[],
  room: { readonly x: number; readonly width: number },
  formats: Formats
): readonly PlacedLabel[] {
  const taken = marks.map((mark) => [mark.x - 8, mark.x + 8] as const);
  const placed: PlacedLabel[] = [];
  const byWeight = [...marks].sort((a, b) => weight(b) - weight(a)).slice(0, 24);
  for (const mark of byWeight) {
    const text = labelText(mark, formats);
    const width = textWidth(text, { size: 12, bold: true });
    const free = (from: number): boolean =>
      from >= room.x &&
      from + width <= room.x + room.width &&
      taken.every(([left, right]) => from + width < left || from > right);
    const x = [mark.x - GAP - width, mark.x + GAP].find(free);
    if (x !== undefined) {
      taken.push([x - 4, x + width + 4]);
      placed.push({ mark, text, x, width });
    }
  }
  return placed;
}

function weight({ kind, event }: Mark): number {
  if (kind === 'abort-burst') {
    return 1000 + (event.size ?? 0);
  }
  return kind === 'annotation' ? 0 : 100;
}

function labelText(mark: Mark, formats: Formats): string {
  return `${eventText(mark.event, formats)} ${formats.time(mark.event.atMs)}`;
}

function eventText({ kind, size, text }: StripEvent, formats: Formats): string {
  switch (kind) {
    case 'abort-burst':
      return size === undefined ? EVENT_WORDS[kind] : `${formats.count(size)} ${size === 1 ? 'abort' : 'aborts'}`;
    case 'recovery':
      return size === undefined ? EVENT_WORDS[kind] : `recovered after ${duration(size)}`;
    case 'annotation':
      return fitLine(text, 160, { size: 12 });
    default:
      return EVENT_WORDS[kind];
  }
}

export const ROW_NAMES: Readonly<Record<string, string>> = {
  verdict: 'Pipeline',
  ...Object.fromEntries(Object.entries(STAGE_NAMES).map(([stage, { row }]) => [stage, row])),
};
