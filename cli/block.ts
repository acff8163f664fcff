import { columnsOf, plain, wrap } from './plain';

/** One paragraph; what does not fit in a line goes on below the text, not below the lead. */
export interface Paragraph {
  readonly lead?: string;
  readonly text: string;
}

/** Nothing is wider than this. */
export const WIDTH = 100;
const LABEL_WIDTH = 16;

/** A label and its paragraphs beside it; nothing at all without paragraphs. */
export function block(label: string, paragraphs: ReadonlyArray<Paragraph | string | undefined>): string[] {
  const lines = paragraphs.filter((one) => one !== undefined).flatMap((one) => hang(one, WIDTH - LABEL_WIDTH));
  return lines.map((line, i) => (i === 0 ? label : '').padEnd(LABEL_WIDTH) + line);
}

function hang(paragraph: Paragraph | string, width: number): string[] {
  const { lead = '', text } = typeof paragraph === 'string' ? { text: paragraph } : paragraph;
  const indent = columnsOf(lead);
  return wrap(text, width - indent).map((line, i) => (i === 0 ? lead : ' '.repeat(indent)) + line);
}

/** Two columns: names, and what is said of each. */
export function table(rows: ReadonlyArray<readonly [name: string, text: string]>): Paragraph[] {
  const names = rows.map(([name]) => plain(name).slice(0, 30));
  const width = Math.max(0, ...names.map(columnsOf)) + 2;
  return rows.map(([, text], i) => ({ lead: (names[i] ?? '').padEnd(width), text }));
}
