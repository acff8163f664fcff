import { isRecord } from '../frames/json';
import type { PipelineOptions } from '../pipeline/model';

export interface PanelOptions {
  /** Id of the pipeline to show; empty: the worst. */
  readonly pipeline: string;
  readonly showStrip: boolean;
  readonly showHypotheses: boolean;
  readonly showRates: boolean;
  /** Metres to the reader and diagonal of the screen in inches; 0: type fits the panel. */
  readonly distanceM: number;
  readonly screenInch: number;
  /** Missed refreshes after which the picture is veiled; 0: never. */
  readonly veilAfter: number;
  /** Seconds that replace the self-adjusting stall window; 0: self-adjusting. */
  readonly windowSec: number;
  /** Which label tells the role of an engine in plain Prometheus data, and by which values. */
  readonly roleLabel: string;
  readonly prefillPattern: string;
  readonly decodePattern: string;
  readonly routerPattern: string;
  /** The SGLang release of all engines; empty: read from their series. */
  readonly sglangVersion: string;
}

export const DEFAULT_OPTIONS: PanelOptions = {
  pipeline: '',
  showStrip: true,
  showHypotheses: true,
  showRates: true,
  distanceM: 0,
  screenInch: 55,
  veilAfter: 3,
  windowSec: 0,
  roleLabel: '',
  prefillPattern: '',
  decodePattern: '',
  routerPattern: '',
  sglangVersion: '',
};

/** Saved options of any age or hand: what cannot be read has its default. */
export function readOptions(saved: unknown): PanelOptions {
  const from: Readonly<Record<string, unknown>> = isRecord(saved) ? saved : {};
  const text = (key: keyof PanelOptions, fallback: string): string => {
    const value = from[key];
    return typeof value === 'string' ? value.slice(0, 500) : fallback;
  };
  const flag = (key: keyof PanelOptions, fallback: boolean): boolean => {
    const value = from[key];
    return typeof value === 'boolean' ? value : fallback;
  };
  const amount = (key: keyof PanelOptions, fallback: number, most: number): number => {
    const value = from[key];
    return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(0, value), most) : fallback;
  };
  const defaults = DEFAULT_OPTIONS;
  return {
    pipeline: text('pipeline', defaults.pipeline),
    showStrip: flag('showStrip', defaults.showStrip),
    showHypotheses: flag('showHypotheses', defaults.showHypotheses),
    showRates: flag('showRates', defaults.showRates),
    distanceM: amount('distanceM', defaults.distanceM, 100),
    screenInch: amount('screenInch', defaults.screenInch, 1000),
    veilAfter: amount('veilAfter', defaults.veilAfter, 1000),
    windowSec: amount('windowSec', defaults.windowSec, 86_400),
    roleLabel: text('roleLabel', defaults.roleLabel),
    prefillPattern: text('prefillPattern', defaults.prefillPattern),
    decodePattern: text('decodePattern', defaults.decodePattern),
    routerPattern: text('routerPattern', defaults.routerPattern),
    sglangVersion: text('sglangVersion', defaults.sglangVersion),
  };
}

/** What the panel's options ask of the evaluator; on top of what the query already said. */
export function pipelineOptions(options: PanelOptions, fromQuery: PipelineOptions = {}): PipelineOptions {
  const { roleLabel, prefillPattern, decodePattern, routerPattern, windowSec, sglangVersion } = options;
  const roleMapping = {
    label: roleLabel,
    prefill: prefillPattern || undefined,
    decode: decodePattern || undefined,
    router: routerPattern || undefined,
  };
  return {
    ...fromQuery,
    ...(roleLabel === '' ? {} : { roleMapping }),
    ...(windowSec > 0 ? { windowMs: windowSec * 1000 } : {}),
    ...(sglangVersion.trim() === '' ? {} : { sglangVersion }),
  };
}
