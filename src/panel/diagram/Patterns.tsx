import React from 'react';
import type { Paint } from './paint';

/** The textures of the states that are not plain: waiting, lost, slow, unknown. */
export function Patterns({ paint }: { readonly paint: Paint }): React.ReactElement {
  const { hatch, patterns } = paint;
  const tile = (name: string, size: number, children: React.ReactNode): React.ReactElement => (
    <pattern id={`${patterns}-${name}`} width={size} height={size} patternUnits="userSpaceOnUse">
      <rect width={size} height={size} fill={paint.barDim} />
      {children}
    </pattern>
  );
  const stroke = { stroke: hatch, strokeWidth: 1.2, fill: 'none' };
  return (
    <defs>
      {tile('hatch', 6, <path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" {...stroke} />)}
      {tile('cross', 8, <path d="M0 8L8 0M0 0L8 8" {...stroke} />)}
      {tile('dots', 6, <circle cx={3} cy={3} r={1.3} fill={hatch} />)}
      {tile('sparse', 14, <path d="M-1 15L15 -1" {...stroke} />)}
      <pattern id={`${patterns}-wash`} width={9} height={9} patternUnits="userSpaceOnUse">
        <path d="M-1 10L10 -1M-1 1L1 -1M8 10L10 8" stroke={hatch} strokeWidth={1} opacity={0.28} fill="none" />
      </pattern>
      <pattern id={`${patterns}-veil`} width={24} height={24} patternUnits="userSpaceOnUse">
        <path d="M-2 26L26 -2M-2 2L2 -2M22 26L26 22" stroke={hatch} strokeWidth={3} opacity={0.55} fill="none" />
      </pattern>
    </defs>
  );
}
