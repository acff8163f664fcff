import type { useTheme2 } from '@grafana/ui';
import type { Severity, StageState } from '../../pipeline/model';

export type Theme = ReturnType<typeof useTheme2>;

/**
 * Colour by exception. Neutral greys come from the theme; the alarm hues are the vermilion, orange and blue of the
 * Okabe-Ito palette, moved until text in them has a contrast of 4.5:1 on the panel and on its own fill.
 */
export interface Paint {
  readonly text: string;
  readonly secondary: string;
  readonly background: string;
  readonly box: string;
  readonly border: string;
  readonly line: string;
  readonly bar: string;
  readonly barDim: string;
  readonly hatch: string;
  readonly critical: string;
  readonly criticalFill: string;
  readonly caution: string;
  readonly cautionFill: string;
  readonly info: string;
  readonly infoFill: string;
  readonly fontFamily: string;
  /** Prefix of the pattern ids, unique for every panel on the page. */
  readonly patterns: string;
}

const DARK = {
  line: '#6b6e78',
  bar: '#5a5d66',
  barDim: '#33363d',
  hatch: '#7b7f8a',
  critical: '#ff6a2b',
  criticalFill: '#3a1e14',
  caution: '#e69f00',
  cautionFill: '#33270d',
  info: '#56b4e9',
  infoFill: '#152a36',
};

const LIGHT = {
  line: '#8b8e99',
  bar: '#a3a6b0',
  barDim: '#e3e4e8',
  hatch: '#8f929c',
  critical: '#bf3b00',
  criticalFill: '#fdeae1',
  caution: '#825900',
  cautionFill: '#fbf0d9',
  info: '#0068a8',
  infoFill: '#e3f1fa',
};

export function paintOf(theme: Theme, patterns: string): Paint {
  return {
    ...(theme.isDark ? DARK : LIGHT),
    text: theme.colors.text.primary,
    secondary: theme.colors.text.secondary,
    background: theme.colors.background.primary,
    box: theme.colors.background.secondary,
    border: theme.colors.border.medium,
    fontFamily: theme.typography.fontFamily,
    patterns,
  };
}

export interface Hue {
  readonly strong: string;
  readonly fill: string;
}

/** The one saturated colour of an alarm of this severity; `none` is no alarm and stays neutral. */
export function hueOf(severity: Severity, paint: Paint): Hue {
  switch (severity) {
    case 'critical':
      return { strong: paint.critical, fill: paint.criticalFill };
    case 'warning':
      return { strong: paint.caution, fill: paint.cautionFill };
    case 'info':
      return { strong: paint.info, fill: paint.infoFill };
    case 'none':
      return { strong: paint.text, fill: paint.box };
  }
}

export type PatternName = 'hatch' | 'cross' | 'dots' | 'sparse' | 'wash' | 'veil';

export function patternUrl(paint: Paint, name: PatternName): string {
  return `url(#${paint.patterns}-${name})`;
}

export interface Fill {
  readonly fill: string;
  readonly stroke?: string;
  readonly dashed?: boolean;
}

/** Every state has a texture of its own, so that none depends on colour; only the culprit gets its hue. */
export function stateFill(state: StageState, paint: Paint, culprit?: Hue): Fill {
  if (culprit) {
    return { fill: culprit.strong };
  }
  switch (state) {
    case 'flowing':
      return { fill: paint.bar };
    case 'idle':
      return { fill: paint.barDim };
    case 'starved':
      return { fill: 'none', stroke: paint.line, dashed: true };
    case 'slow':
      return { fill: patternUrl(paint, 'dots'), stroke: paint.line };
    case 'blocked':
    case 'stalled':
    case 'zombie':
      return { fill: patternUrl(paint, 'hatch'), stroke: paint.line };
    case 'lost':
      return { fill: patternUrl(paint, 'cross'), stroke: paint.line, dashed: true };
    case 'unknown':
      return { fill: patternUrl(paint, 'sparse'), stroke: paint.line, dashed: true };
  }
}
