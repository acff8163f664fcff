import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { isRecord } from './http';

export interface FoundPlugin {
  id: string;
  type: string;
  folder: string;
  /** plugin.json with the addresses that Grafana adds: module, baseUrl, logos. */
  meta: Record<string, unknown>;
  version: string;
}

/** Finds every plugin.json with a module.js beside it, nested ones under their parent's address, as Grafana does. */
export function findPlugins(dist: string): FoundPlugin[] {
  return existsSync(dist) ? scan(dist, undefined, '') : [];
}

function scan(folder: string, rootId: string | undefined, relative: string): FoundPlugin[] {
  const json = existsSync(join(folder, 'module.js')) ? readPluginJson(join(folder, 'plugin.json')) : undefined;
  const parent = rootId ?? json?.id;
  const own = json && parent ? [describe(json, folder, posix.join('public/plugins', parent, relative))] : [];
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...own, ...folders.flatMap(({ name }) => scan(join(folder, name), parent, posix.join(relative, name)))];
}

interface PluginJson extends Record<string, unknown> {
  id: string;
  type: string;
}

function readPluginJson(file: string): PluginJson | undefined {
  if (!existsSync(file)) {
    return undefined;
  }
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(json) && typeof json['id'] === 'string' && typeof json['type'] === 'string'
    ? { ...json, id: json['id'], type: json['type'] }
    : undefined;
}

function describe(json: PluginJson, folder: string, baseUrl: string): FoundPlugin {
  const info = isRecord(json['info']) ? json['info'] : {};
  const logos = isRecord(info['logos']) ? info['logos'] : {};
  const logo = (size: string): string => `${baseUrl}/${String(logos[size] ?? 'img/logo.svg')}`;
  const meta = {
    ...json,
    baseUrl,
    module: `${baseUrl}/module.js`,
    signature: 'unsigned',
    hideFromList: false,
    sort: 100,
    info: { ...info, logos: { small: logo('small'), large: logo('large') } },
  };
  return { id: json.id, type: json.type, folder, meta, version: String(info['version'] ?? '') };
}
