/**
 * Widths of text without a browser. Measured advance widths of Inter with tabular figures, in hundredths of the size,
 * for the printable ASCII glyphs from the space on. Other scripts and emoji count as more than a full square.
 */
const REGULAR = [
  27, 29, 47, 63, 64, 98, 64, 30, 39, 39, 65, 65, 27, 65, 27, 36, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 27, 27, 65,
  65, 65, 51, 97, 70, 65, 73, 72, 60, 59, 75, 74, 27, 57, 67, 57, 90, 75, 76, 64, 76, 64, 64, 65, 74, 70, 101, 68, 68,
  63, 39, 32, 39, 47, 46, 32, 56, 61, 57, 61, 58, 33, 61, 59, 24, 24, 55, 24, 88, 59, 60, 61, 61, 39, 53, 33, 59, 56,
  82, 55, 56, 55, 39, 33, 39, 65,
];
const BOLD = [
  27, 32, 52, 64, 65, 100, 66, 33, 39, 39, 65, 65, 27, 65, 27, 38, 65, 65, 65, 65, 65, 65, 65, 65, 65, 65, 27, 27, 65,
  65, 65, 54, 100, 74, 66, 74, 72, 61, 59, 75, 75, 28, 58, 70, 57, 92, 76, 77, 65, 77, 65, 65, 66, 74, 74, 104, 72, 71,
  65, 39, 33, 39, 48, 47, 35, 57, 62, 58, 62, 59, 35, 63, 61, 26, 26, 57, 26, 90, 61, 61, 62, 62, 41, 55, 35, 61, 59,
  84, 57, 59, 57, 39, 36, 39, 65,
];
const OTHER: Readonly<Record<string, number>> = { '≈': 58, '≠': 58, '·': 32, '–': 52, '→': 102, '…': 96 };
const WIDE = 112;
/** Room for other hinting and for a fall-back font that is a little wider. */
const SAFETY = 1.03;
const FIRST_GLYPH = 32;

function glyphWidth(glyph: string, bold: boolean): number {
  const code = glyph.charCodeAt(0) - FIRST_GLYPH;
  return ((bold ? BOLD : REGULAR)[code] ?? OTHER[glyph] ?? WIDE) * 0.01 * SAFETY;
}

/** Without control characters and without marks that turn the direction of what follows. */
export function plainText(text: string, most = 2000): string {
  return text.slice(0, most).replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ');
}

export interface TypeStyle {
  readonly size: number;
  readonly bold?: boolean;
}

/** Width of a single line in the unit of `size`. */
export function textWidth(text: string, { size, bold }: TypeStyle): number {
  let ems = 0;
  for (const glyph of text) {
    ems += glyphWidth(glyph, bold === true);
  }
  return ems * size;
}

/** The text itself, or as much of its beginning as fits with an ellipsis. Reads no more of it than it shows. */
export function fitLine(text: string, width: number, style: TypeStyle): string {
  const plain = plainText(text);
  const limit = width / style.size;
  const bold = style.bold === true;
  const ellipsis = glyphWidth('…', bold);
  let ems = 0;
  let kept = '';
  let keptWithEllipsis = '';
  for (const glyph of plain) {
    ems += glyphWidth(glyph, bold);
    if (ems > limit) {
      return `${keptWithEllipsis.trimEnd()}…`;
    }
    kept += glyph;
    if (ems + ellipsis <= limit) {
      keptWithEllipsis = kept;
    }
  }
  return kept;
}

/** At most `maxLines` lines broken at spaces; the last one is ellipsized when there is more. */
export function wrapText(text: string, box: { width: number; maxLines: number }, style: TypeStyle): string[] {
  const lines: string[] = [];
  let rest = plainText(text).trim();
  while (rest !== '' && lines.length < box.maxLines - 1) {
    const line = leadingLine(rest, box.width, style);
    lines.push(line.trimEnd());
    rest = rest.slice(line.length).trimStart();
  }
  return rest === '' ? lines : [...lines, fitLine(rest, box.width, style)];
}

function leadingLine(text: string, width: number, style: TypeStyle): string {
  const fitted = fitLine(text, width, style);
  if (!fitted.endsWith('…') || fitted === text) {
    return text;
  }
  const cut = fitted.length - 1;
  let space = text.lastIndexOf(' ', cut);
  while (space > 0 && isInsideDuration(text, space)) {
    space = text.lastIndexOf(' ', space - 1);
  }
  return text.slice(0, space > 0 ? space : Math.max(1, cut));
}

/** `10 m 42 s` is read as one word. */
function isInsideDuration(text: string, space: number): boolean {
  const before = text.slice(Math.max(0, space - 8), space);
  const after = text.slice(space + 1, space + 9);
  return (/\d$/.test(before) && /^[dhms]\b/.test(after)) || (/\d [dhms]$/.test(before) && /^\d+ [dhms]\b/.test(after));
}

/** The largest of `sizes` at which the text fits the box without an ellipsis, or the smallest of them. */
export function fitSize(
  text: string,
  box: { width: number; height: number },
  sizes: readonly number[]
): { size: number; lines: string[] } {
  for (const size of sizes) {
    const lines = wrapText(text, { width: box.width, maxLines: linesIn(box.height, size) }, { size, bold: true });
    if (!lines.some((line) => line.endsWith('…'))) {
      return { size, lines };
    }
  }
  const size = sizes[sizes.length - 1] ?? 12;
  const maxLines = linesIn(box.height, size);
  return { size, lines: wrapText(text, { width: box.width, maxLines }, { size, bold: true }) };
}

function linesIn(height: number, size: number): number {
  return Math.max(1, Math.floor((height + 2) / (size * 1.2)));
}
