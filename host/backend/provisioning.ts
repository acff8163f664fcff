// The same files that Grafana reads from /etc/grafana/provisioning.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isRecord } from './http';

export interface ProvisionedDataSource {
  uid: string;
  name: string;
  type: string;
  isDefault: boolean;
  jsonData: Record<string, unknown>;
}

export interface ProvisionedDashboard {
  uid: string;
  title: string;
  json: Record<string, unknown>;
}

export function readDataSources(provisioning: string): ProvisionedDataSource[] {
  return filesOf(join(provisioning, 'datasources'), /\.ya?ml$/).flatMap((file) => {
    const document: unknown = parse(readFileSync(file, 'utf8'));
    const list = isRecord(document) && Array.isArray(document['datasources']) ? document['datasources'] : [];
    return list.filter(isRecord).map((entry) => ({
      uid: String(entry['uid']),
      name: String(entry['name']),
      type: String(entry['type']),
      isDefault: entry['isDefault'] === true,
      jsonData: isRecord(entry['jsonData']) ? entry['jsonData'] : {},
    }));
  });
}

export function readDashboards(provisioning: string): ProvisionedDashboard[] {
  return filesOf(join(provisioning, 'dashboards'), /\.json$/).flatMap((file) => {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(json) && typeof json['uid'] === 'string'
      ? [{ uid: json['uid'], title: String(json['title'] ?? json['uid']), json }]
      : [];
  });
}

function filesOf(folder: string, pattern: RegExp): string[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)) : [];
  return names.sort().map((name) => join(folder, name));
}
