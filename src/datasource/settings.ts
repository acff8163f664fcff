import { rangeUtil, type DataSourceJsonData } from '@grafana/data';
import { readRoleMapping } from '../frames/contract';
import { isRecord } from '../frames/json';
import type { PipelineOptions } from '../pipeline/model';

/** What is stored in `jsonData` of the data source; everyone who may query it can read it, so no secrets. */
export interface PipelineSettings extends DataSourceJsonData {
  /** Uid of a Prometheus-compatible data source; may be a data source variable such as `${prometheus}`. */
  prometheusUid?: string;
  /** Label matchers in PromQL that every query gets, such as `namespace="prod"`. */
  matchers?: string;
  /** Scrape interval of the engines, such as `5s`; blank: as set in the Prometheus data source. */
  scrapeInterval?: string;
  /** Label that tells the role of an engine, with one anchored regular expression per role. */
  roleLabel?: string;
  rolePrefill?: string;
  roleDecode?: string;
  roleRouter?: string;
  /** The SGLang release of all engines, such as `0.5.9`; blank: read from their series. */
  sglangVersion?: string;
}

export const DEFAULT_SETTINGS = {
  prometheusUid: '',
  matchers: '',
  scrapeInterval: '',
  roleLabel: '',
  rolePrefill: '',
  roleDecode: '',
  roleRouter: '',
  sglangVersion: '',
} as const;

export type SettingName = keyof typeof DEFAULT_SETTINGS;
export type CompleteSettings = Record<SettingName, string>;

/** Settings of unknown shape (hand-written provisioning included) with every field a text. */
export function readSettings(value: unknown): CompleteSettings {
  const stored = isRecord(value) ? value : {};
  const text = (name: SettingName): string => {
    const found = stored[name];
    return typeof found === 'string' ? found : DEFAULT_SETTINGS[name];
  };
  return {
    prometheusUid: text('prometheusUid').trim(),
    matchers: text('matchers'),
    scrapeInterval: text('scrapeInterval'),
    roleLabel: text('roleLabel'),
    rolePrefill: text('rolePrefill'),
    roleDecode: text('roleDecode'),
    roleRouter: text('roleRouter'),
    sglangVersion: text('sglangVersion'),
  };
}

/** What the core needs to know of the settings. */
export function readOptions(settings: CompleteSettings): PipelineOptions {
  const intervalMs = readIntervalMs(settings.scrapeInterval);
  const roleMapping = readRoleMapping({
    label: settings.roleLabel,
    prefill: settings.rolePrefill,
    decode: settings.roleDecode,
    router: settings.roleRouter,
  });
  const sglangVersion = settings.sglangVersion.trim();
  return {
    ...(intervalMs !== undefined && { intervalMs }),
    ...(roleMapping && { roleMapping }),
    ...(sglangVersion !== '' && { sglangVersion }),
  };
}

/** Milliseconds of a duration such as `500ms`, `15s` or `1m`; `undefined` for anything else. */
export function readIntervalMs(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\s*\d+\s*(ms|[smhd])?\s*$/.test(text)) {
    return undefined;
  }
  const compact = text.replace(/\s/g, '');
  const ms = rangeUtil.intervalToMs(/\d$/.test(compact) ? `${compact}s` : compact);
  return ms > 0 ? ms : undefined;
}

/** A duration in the unit that people would choose: `15s`, `500ms`. */
export function encodeInterval(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
