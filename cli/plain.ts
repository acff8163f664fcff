/** Longer texts are cut: no name or sentence of a working deployment comes near. */
const MOST_GLYPHS = 600;
// Control characters drive a terminal, direction marks turn what follows, and neither is part of a name.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** One line of harmless text: what comes from label values or from a server may hold anything. */
export function plain(text: string): string {
  const glyphs = [...text.slice(0, 4 * MOST_GLYPHS).replace(UNSAFE, ' ')];
  return glyphs.length > MOST_GLYPHS ? `${glyphs.slice(0, MOST_GLYPHS - 1).join('')}…` : glyphs.join('');
}

/** Columns of a terminal that a text takes. */
export function columnsOf(text: string): number {
  return [...text].reduce((sum, glyph) => sum + (WIDE.test(glyph) ? 2 : 1), 0);
}

/** The text made plain and broken into lines of at most `width` columns: at spaces, and inside words that are longer. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of glued(plain(text)).split(' ').filter(Boolean)) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (columnsOf(joined) <= width) {
      line = joined;
      continue;
    }
    const pieces = chopped(word, width);
    lines.push(...(line === '' ? [] : [line]), ...pieces.slice(0, -1));
    line = pieces[pieces.length - 1] ?? '';
  }
  return [...lines, ...(line === '' ? [] : [line])].map((one) => one.replaceAll('\u00a0', ' '));
}

/** `10 m 42 s` is read as one word. */
function glued(text: string): string {
  return text.replace(/\d+ [dhms](?: \d+ [dhms])?(?=\W|$)/g, (span) => span.replaceAll(' ', '\u00a0'));
}

function chopped(word: string, width: number): string[] {
  const pieces = [''];
  for (const glyph of word) {
    const last = pieces[pieces.length - 1] ?? '';
    if (columnsOf(last + glyph) > width) {
      pieces.push(glyph);
    } else {
      pieces[pieces.length - 1] = last + glyph;
    }
  }
  return pieces;
}
