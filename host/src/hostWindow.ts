import type { Dashboard } from '@grafana/schema';
import { isRecord } from './unknown';

/** A dashboard's JSON as Grafana provisions it. */
export type DashboardJson = Dashboard;

export interface HostData {
  dashboards: DashboardJson[];
  /** What can be set in the attached simulator, with the words of its button; none without a simulator. */
  faults: ReadonlyArray<{ name: string; label: string }>;
}

declare global {
  interface Window {
    pdflowHost?: HostData;
    /** The scene that template variables are looked up in when a request names none, as in Grafana. */
    __grafanaSceneContext?: unknown;
  }
}

export function hostData(): HostData {
  const data = window.pdflowHost;
  return isRecord(data) && Array.isArray(data.dashboards) ? data : { dashboards: [], faults: [] };
}
