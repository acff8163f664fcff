import type { Verdict } from '../src/pipeline';

export type Colour = 'red' | 'yellow' | 'green';

/** The word before the headline. */
export function titleOf({ kind, severity }: Pick<Verdict, 'kind' | 'severity'>): { word: string; colour: Colour } {
  switch (severity) {
    case 'critical':
      return { word: 'CRITICAL', colour: 'red' };
    case 'warning':
      return { word: 'WARNING', colour: 'yellow' };
    case 'info':
      return kind === 'unknown' ? { word: 'UNKNOWN', colour: 'yellow' } : { word: 'INFO', colour: 'green' };
    case 'none':
      return { word: 'OK', colour: 'green' };
  }
}

const CODES: Readonly<Record<Colour, number>> = { red: 31, yellow: 33, green: 32 };

/** Bold and coloured, for terminals only. */
export function paint(text: string, colour: Colour, isOn: boolean): string {
  return isOn ? `\u001b[1;${CODES[colour]}m${text}\u001b[0m` : text;
}
