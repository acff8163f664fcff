import React from 'react';
import { LINE, type HeaderLayout, type Rect } from '../../pipeline/layout';
import { wordDefect } from '../../pipeline';
import type { Finding, PipelineEvaluation, Verdict } from '../../pipeline/model';
import { testIds } from '../testIds';
import { hueOf, type Paint } from './paint';
import { StateGlyph, verdictShape, type Shape } from './StateGlyph';
import { fitSize, wrapText } from './text';
import { Lines, Words } from './Words';

/** What stands at the top: the verdict, or that there is no current one. */
export interface Heading {
  readonly shape: Shape;
  readonly color: string;
  readonly headline: string;
  readonly detail: string;
  readonly remedy: string;
  readonly findings: string;
  readonly contradictions: readonly string[];
}

interface Props {
  readonly heading: Heading;
  readonly header: HeaderLayout;
  readonly paint: Paint;
}

const SIZES = [34, 30, 26, 24, 22, 20, 18, 16, 14];

export function Headline({ heading, header, paint }: Props): React.ReactElement {
  const { glyph, headline } = header;
  const { size, lines } = fitSize(heading.headline, headline, SIZES);
  const cut = lines.some((line) => line.endsWith('…'));
  const contradictions = heading.contradictions.join(' · ');
  const besideHeadline = headline.x + headline.width < header.age.x;
  return (
    <g>
      <StateGlyph
        shape={heading.shape}
        x={glyph.x + glyph.width / 2}
        y={glyph.y + glyph.height / 2}
        size={Math.min(glyph.width, glyph.height) * 0.92}
        color={heading.color}
        ground={paint.background}
      />
      <Lines
        lines={lines}
        lineHeight={size * 1.2}
        rect={headline}
        size={size}
        bold
        color={heading.color}
        testId={testIds.headline}
        title={cut ? heading.headline : undefined}
      />
      {header.prose && <Prose heading={heading} rect={header.prose} paint={paint} />}
      {header.contradiction && contradictions !== '' && (
        <Words
          text={contradictions}
          rect={header.contradiction}
          size={13}
          bold
          align={besideHeadline ? 'end' : 'start'}
          color={paint.caution}
        />
      )}
    </g>
  );
}

interface ProseProps {
  readonly heading: Heading;
  readonly rect: Rect;
  readonly paint: Paint;
}

function Prose({ heading, rect, paint }: ProseProps): React.ReactElement {
  const size = rect.width >= 600 ? 14 : 13;
  return (
    <>
      {proseBlocks(heading, rect, size).map(({ text, lines, firstLine, strong }) => (
        <Lines
          key={firstLine}
          lines={lines}
          lineHeight={LINE}
          rect={{ ...rect, y: rect.y + firstLine * LINE, height: lines.length * LINE }}
          size={size}
          color={strong ? paint.text : paint.secondary}
          title={text}
        />
      ))}
    </>
  );
}

interface Block {
  readonly text: string;
  readonly lines: readonly string[];
  readonly firstLine: number;
  readonly strong: boolean;
}

/** Detail, remedy and further findings as running lines; when lines are few, the remedy goes before the detail. */
function proseBlocks(heading: Heading, rect: Rect, size: number): readonly Block[] {
  const total = Math.floor(rect.height / LINE);
  const wrap = (text: string, maxLines: number): string[] =>
    maxLines > 0 ? wrapText(text, { width: rect.width, maxLines }, { size }) : [];
  const detail = wrap(heading.detail, total - (heading.remedy === '' ? 0 : 1));
  const remedy = wrap(heading.remedy, total - detail.length);
  const said = detail.length + remedy.length;
  const findings = wrap(heading.findings, total - said);
  return [
    { text: heading.detail, lines: detail, firstLine: 0, strong: true },
    { text: heading.remedy, lines: remedy, firstLine: detail.length, strong: true },
    { text: heading.findings, lines: findings, firstLine: said, strong: false },
  ].filter(({ lines }) => lines.length > 0);
}

export function headingOf(evaluation: PipelineEvaluation, paint: Paint): Heading {
  const { verdict, findings, contradictions } = evaluation;
  return {
    shape: verdictShape(verdict.severity, verdict.kind),
    color: hueOf(verdict.severity, paint).strong,
    headline: verdict.headline,
    detail: verdict.detail,
    remedy: remedyText(verdict),
    findings: notesText(verdict, findings),
    contradictions,
  };
}

/** What matches is a suspicion, never a cause. */
function notesText({ knownDefects }: Verdict, findings: readonly Finding[]): string {
  const parts = [
    findings.length === 0 ? '' : `Also: ${findings.map((finding) => finding.headline).join(' · ')}`,
    knownDefects.length === 0 ? '' : `Matches known defects: ${knownDefects.map(wordDefect).join(' · ')}.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** No verdict is current any more: the last one becomes history. */
export function lostHeading(evaluation: PipelineEvaluation, lastData: string, paint: Paint): Heading {
  return {
    shape: 'lost',
    color: paint.critical,
    headline: `LOST: no data since ${lastData}`,
    detail: `What is below is no longer known to be true. Last verdict: ${evaluation.verdict.headline}`,
    remedy: 'Do: check that the dashboard refreshes and that Prometheus still scrapes the engines.',
    findings: '',
    contradictions: [],
  };
}

function remedyText({ remedy, recoverySign, alternatives }: Verdict): string {
  const parts = [
    remedy === undefined ? '' : `Do: ${sentence(remedy)}`,
    recoverySign === undefined ? '' : `Recovered when: ${sentence(recoverySign)}`,
    alternatives.length === 0
      ? ''
      : `Could also be: ${alternatives.map((kind) => kind.replace(/-/g, ' ')).join(', ')}.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
