import type { DataFrame, QueryResultMeta } from '@grafana/data';
import type { PipelineOptions, RoleMapping } from '../pipeline/model';
import { isRecord, readPositive, readText } from './json';

/** The panel that Explore opens for our frames. */
const PANEL_PLUGIN_ID = 'pdflow-pipeline-panel';

/** What our data source writes into `frame.meta.custom.pdflow` of every raw frame; see docs/frames.md. */
export interface FrameContract {
  readonly version: 1;
  /** Id of the planned query that the frame answers. */
  readonly planned: string;
  /** Metric name of that query, when PromQL dropped it from the result. */
  readonly name?: string;
  /** How the series are to be evaluated. */
  readonly options: PipelineOptions;
}

/** `meta` with the contract added; everything already there is kept. */
export function encodeContract(meta: QueryResultMeta | undefined, contract: FrameContract): QueryResultMeta {
  return {
    ...meta,
    preferredVisualisationPluginId: PANEL_PLUGIN_ID,
    custom: { ...meta?.custom, pdflow: contract },
  };
}

/** The contract of a frame of our data source; `undefined` for any other frame and for unknown versions. */
export function readContract(frame: DataFrame): FrameContract | undefined {
  const custom: unknown = frame.meta?.custom;
  const stored = isRecord(custom) ? custom.pdflow : undefined;
  if (!isRecord(stored) || stored.version !== 1) {
    return undefined;
  }
  return {
    version: 1,
    planned: readText(stored.planned) ?? '',
    name: readText(stored.name),
    options: readPipelineOptions(stored.options),
  };
}

/** Options of unknown shape; parts that cannot be used are left out. */
export function readPipelineOptions(value: unknown): PipelineOptions {
  if (!isRecord(value)) {
    return {};
  }
  const intervalMs = readPositive(value.intervalMs);
  const windowMs = readPositive(value.windowMs);
  const roleMapping = readRoleMapping(value.roleMapping);
  const sglangVersion = readText(value.sglangVersion);
  return {
    ...(intervalMs !== undefined && { intervalMs }),
    ...(windowMs !== undefined && { windowMs }),
    ...(roleMapping && { roleMapping }),
    ...(sglangVersion !== undefined && { sglangVersion }),
  };
}

/** A mapping needs a label and at least one pattern that compiles; anything else is `undefined`. */
export function readRoleMapping(value: unknown): RoleMapping | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const label = readText(value.label);
  const prefill = readPattern(value.prefill);
  const decode = readPattern(value.decode);
  const router = readPattern(value.router);
  if (label === undefined || (prefill ?? decode ?? router) === undefined) {
    return undefined;
  }
  return { label, ...(prefill && { prefill }), ...(decode && { decode }), ...(router && { router }) };
}

function readPattern(value: unknown): string | undefined {
  const pattern = readText(value);
  return pattern !== undefined && isPattern(pattern) ? pattern : undefined;
}

/** Whether the text is a regular expression that compiles when anchored. */
export function isPattern(text: string): boolean {
  try {
    new RegExp(`^(?:${text})$`);
    return true;
  } catch {
    return false;
  }
}
