import React from 'react';
import type { Severity, StageState, VerdictKind } from '../../pipeline/model';

/** A shape of its own for every state and severity, so that a colour never stands alone. */
export type Shape = StageState | 'warning' | 'info';

interface Props {
  readonly shape: Shape;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color: string;
  /** What lies behind: the colour of the sign inside a filled shape. */
  readonly ground: string;
}

/** Drawn in a square of 20 units around its middle. */
export function StateGlyph({ shape, x, y, size, color, ground }: Props): React.ReactElement {
  return (
    <g transform={`translate(${x} ${y}) scale(${size / 20})`} data-shape={shape} aria-hidden="true">
      {DRAWINGS[shape](color, ground)}
    </g>
  );
}

const OCTAGON = '9.2,-3.8 9.2,3.8 3.8,9.2 -3.8,9.2 -9.2,3.8 -9.2,-3.8 -3.8,-9.2 3.8,-9.2';

type Draw = (color: string, ground: string) => React.ReactNode;

const triangle: Draw = (color, ground) => [
  <polygon key="t" points="0,-9 10,8.5 -10,8.5" fill={color} />,
  letter('!', ground, 6.5),
];

const DRAWINGS: Readonly<Record<Shape, Draw>> = {
  stalled: (color, ground) => [<polygon key="o" points={OCTAGON} fill={color} />, bar(ground)],
  zombie: (color, ground) => [<polygon key="d" points="0,-10 10,0 0,10 -10,0" fill={color} />, letter('Z', ground)],
  warning: triangle,
  slow: triangle,
  lost: (color) => [
    <circle key="c" r={8.6} {...line(color)} strokeDasharray="4 3" />,
    <path key="x" d="M-4 -4L4 4M4 -4L-4 4" {...line(color, 2.6)} />,
  ],
  blocked: (color) => <path d="M-4 -7V7M4 -7V7" {...line(color, 4)} />,
  unknown: (color) => [<circle key="c" r={8.6} {...line(color, 1.8)} strokeDasharray="3 3" />, letter('?', color, 5)],
  info: (color, ground) => [<circle key="c" r={9} fill={color} />, letter('i', ground, 5)],
  starved: (color) => <circle r={7} {...line(color, 1.8)} strokeDasharray="3 3" />,
  idle: (color) => <circle r={7} {...line(color, 1.8)} />,
  flowing: (color) => <path d="M-7 -7L0 0L-7 7M1 -7L8 0L1 7" {...line(color, 2.6)} />,
};

function line(stroke: string, strokeWidth = 2.2): { fill: string; stroke: string; strokeWidth: number } {
  return { fill: 'none', stroke, strokeWidth };
}

function bar(color: string): React.ReactElement {
  return <rect key="b" x={-5.6} y={-1.7} width={11.2} height={3.4} fill={color} />;
}

function letter(text: string, color: string, dy = 4.6): React.ReactElement {
  return (
    <text key="l" y={dy} textAnchor="middle" fontSize={13} fontWeight={700} fill={color}>
      {text}
    </text>
  );
}

/** The sign in front of the headline. */
export function verdictShape(severity: Severity, kind: VerdictKind): Shape {
  if (kind === 'unknown') {
    return 'unknown';
  }
  if (kind === 'idle') {
    return 'idle';
  }
  switch (severity) {
    case 'critical':
      return 'stalled';
    case 'warning':
      return 'warning';
    case 'info':
      return 'info';
    case 'none':
      return 'flowing';
  }
}
