import {
  SceneDataTransformer,
  SceneQueryRunner,
  VizPanel,
  VizPanelMenu,
  type SceneDataProvider,
} from '@grafana/scenes';
import type { DataTransformerConfig } from '@grafana/data';
import type { Panel } from '@grafana/schema';
import { linkTo } from '../links';

/** One dashboard panel with its queries, transformations, and a menu to look at it alone. */
export function readPanel(panel: Panel): VizPanel {
  const id = panel.id ?? 0;
  return new VizPanel({
    key: `panel-${id}`,
    title: panel.title ?? '',
    description: panel.description,
    pluginId: panel.type,
    pluginVersion: panel.pluginVersion,
    options: panel.options ?? {},
    fieldConfig: (panel.fieldConfig ?? { defaults: {}, overrides: [] }) as VizPanel['state']['fieldConfig'],
    displayMode: panel.transparent ? 'transparent' : 'default',
    $data: readData(panel, id),
    menu: new VizPanelMenu({
      items: [
        { text: 'View alone', iconClassName: 'eye', href: linkTo({ panel: String(id), page: undefined }) },
        { text: 'Options', iconClassName: 'edit', href: linkTo({ panel: String(id), page: 'options' }) },
      ],
    }),
  });
}

function readData(panel: Panel, id: number): SceneDataProvider | undefined {
  if (panel.targets === undefined || panel.targets.length === 0) {
    return undefined;
  }
  const runner = new SceneQueryRunner({
    datasource: panel.datasource,
    queries: panel.targets.map((target, index) => ({ ...target, refId: String(target['refId'] ?? `Q${index}`) })),
    maxDataPoints: panel.maxDataPoints,
    minInterval: panel.interval,
    dataLayerFilter: { panelId: id },
  });
  return panel.transformations?.length
    ? new SceneDataTransformer({ $data: runner, transformations: panel.transformations as DataTransformerConfig[] })
    : runner;
}
