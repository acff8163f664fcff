import React from 'react';
import { PanelPlugin, PluginType, type PanelPluginMeta } from '@grafana/data';
import { config } from '@grafana/runtime';
import { importPlugin } from '../loader';
import { standIns } from '../standins/standIns';
import { UnknownPanel } from '../standins/UnknownPanel';

const cache = new Map<string, PanelPlugin>();

/** The built panel plugin, a stand-in for a core panel that npm does not carry, or a panel that says what is missing. */
export async function importPanelPlugin(id: string): Promise<PanelPlugin> {
  const known = cache.get(id);
  if (known !== undefined) {
    return known;
  }
  const plugin = await load(id);
  cache.set(id, plugin);
  return plugin;
}

export function getPanelPluginFromCache(id: string): PanelPlugin | undefined {
  return cache.get(id);
}

async function load(id: string): Promise<PanelPlugin> {
  const meta = config.panels[id];
  if (meta !== undefined) {
    const plugin = await importPlugin(meta.module);
    if (!(plugin instanceof PanelPlugin)) {
      throw new Error(`${id} is not a panel plugin.`);
    }
    plugin.meta = meta;
    return plugin;
  }
  const plugin = standIns[id] ?? new PanelPlugin(() => <UnknownPanel id={id} />);
  plugin.meta = metaOf(id);
  return plugin;
}

function metaOf(id: string): PanelPluginMeta {
  return {
    id,
    name: id,
    type: PluginType.panel,
    module: '',
    baseUrl: '',
    sort: 100,
    info: {
      author: { name: 'embedded host' },
      description: '',
      links: [],
      logos: { small: '', large: '' },
      screenshots: [],
      updated: '',
      version: '',
    },
  };
}
