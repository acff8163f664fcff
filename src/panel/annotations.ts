import type { DataFrame } from '@grafana/data';
import type { StripEvent } from './diagram/stripModel';

/** Dashboard annotations as marks of the strip. Total: rows without a time are left out. */
export function readAnnotations(frames: readonly DataFrame[] | undefined): readonly StripEvent[] {
  return (frames ?? []).flatMap((frame) => {
    const column = (name: string): readonly unknown[] =>
      frame.fields.find((field) => field.name === name)?.values ?? [];
    const texts = column('text');
    const titles = column('title');
    return column('time').flatMap((atMs, row) =>
      typeof atMs === 'number' && Number.isFinite(atMs)
        ? [{ kind: 'annotation' as const, atMs, text: plain(texts[row]) || plain(titles[row]) || 'annotation' }]
        : []
    );
  });
}

/** Annotation texts may hold markup, which is shown as what it says. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 1000) : '';
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
