import React from 'react';
import type { Rect } from '../../pipeline/layout';
import type { Hypothesis, HypothesisStatus } from '../../pipeline/model';
import { testIds } from '../testIds';
import type { Formats } from './formats';
import { listRows, type ListRow } from './hypothesisRows';
import type { Paint } from './paint';
import { Words } from './Words';

interface Props {
  readonly hypotheses: readonly Hypothesis[];
  readonly rect: Rect;
  readonly formats: Formats;
  readonly paint: Paint;
  readonly className?: string;
}

const PAD = 12;
const SIGN_WIDTH = 18;
const HYPOTHESIS_SIGNS: Readonly<Record<HypothesisStatus, string>> = {
  supported: '✓',
  undecided: '?',
  refuted: '✕',
};

/** What was considered and how it was decided: supported first, then open, then ruled out. */
export function HypothesisList({ hypotheses, rect, formats, paint, className }: Props): React.ReactElement {
  const inner = { x: rect.x + PAD, y: rect.y + 7, width: rect.width - 2 * PAD, height: rect.height - 11 };
  const { rows, hidden, nameWidth } = listRows(hypotheses, inner, SIGN_WIDTH);
  return (
    <g data-testid={testIds.hypotheses} role="list" aria-label={titleText(hypotheses)}>
      <rect {...rect} rx={6} fill="none" stroke={paint.border} />
      <Words text={titleText(hypotheses)} rect={{ ...inner, height: 16 }} bold size={13} color={paint.secondary} />
      {hidden.length > 0 && (
        <Words
          text={`+ ${hidden.length} more`}
          rect={{ ...inner, height: 16 }}
          align="end"
          color={paint.secondary}
          title={hidden.map((hypothesis) => fullText(hypothesis, formats)).join('\n\n')}
        />
      )}
      {rows.map((row) => (
        <Row
          key={row.hypothesis.kind}
          row={row}
          nameWidth={nameWidth}
          title={fullText(row.hypothesis, formats)}
          paint={paint}
          className={className}
        />
      ))}
    </g>
  );
}

interface RowProps {
  readonly row: ListRow;
  readonly nameWidth: number;
  readonly title: string;
  readonly paint: Paint;
  readonly className?: string;
}

function Row({ row, nameWidth, title, paint, className }: RowProps): React.ReactElement {
  const { hypothesis, rect } = row;
  const { kind, status, name, text } = hypothesis;
  const textX = rect.x + SIGN_WIDTH + nameWidth + 10;
  const color = status === 'supported' ? paint.text : paint.secondary;
  const signColor = status === 'undecided' ? paint.caution : color;
  const line = { ...rect, height: 16 };
  return (
    <g
      role="listitem"
      tabIndex={0}
      aria-label={title}
      className={className}
      data-testid={testIds.hypothesis(kind)}
      data-status={status}
    >
      <title>{title}</title>
      <rect {...rect} fill="none" pointerEvents="all" />
      <Words text={HYPOTHESIS_SIGNS[status]} rect={{ ...line, width: SIGN_WIDTH }} bold color={signColor} />
      <Words
        text={name}
        rect={{ ...line, x: rect.x + SIGN_WIDTH, width: nameWidth }}
        bold
        color={status === 'refuted' ? paint.secondary : paint.text}
      />
      <Words text={text} rect={{ ...rect, x: textX, width: rect.x + rect.width - textX }} color={color} title={title} />
    </g>
  );
}

function titleText(hypotheses: readonly Hypothesis[]): string {
  return hypotheses.every(({ status }) => status === 'refuted') ? 'Ruled out' : 'Causes considered';
}

function fullText({ name, status, text, evidence }: Hypothesis, formats: Formats): string {
  const facts = evidence.slice(0, 12).map(({ text: fact, signal, engine, fromMs, toMs }) => {
    const times = [fromMs, toMs].filter((at) => at !== undefined).map((at) => formats.time(at));
    return `· ${[fact, signal, engine, times.join('–')].filter(Boolean).join(' | ')}`;
  });
  return [`${name}: ${status}. ${text}`, ...facts].join('\n').slice(0, 2000);
}
