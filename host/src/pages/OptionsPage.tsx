import { css } from '@emotion/css';
import React, { useMemo, type JSX } from 'react';
import { sceneGraph, VizPanel } from '@grafana/scenes';
import { Alert } from '@grafana/ui';
import type { DashboardJson } from '../hostWindow';
import { allPanels, readDashboard } from '../scene/dashboardScene';
import { SceneView } from './DashboardPage';
import { OptionsPane } from './OptionsPane';

/** One panel beside the pane with its options, as in Grafana's panel editor. */
export function OptionsPage({
  dashboard,
  panelId,
}: {
  dashboard: DashboardJson;
  panelId: number | undefined;
}): JSX.Element {
  const id = panelId ?? allPanels(dashboard)[0]?.id;
  const scene = useMemo(() => readDashboard(dashboard, { panelId: id, withControls: true }), [dashboard, id]);
  const panel = scene && sceneGraph.findObject(scene, (object) => object instanceof VizPanel);
  if (scene === undefined || !(panel instanceof VizPanel)) {
    return <Alert title={`Dashboard ${dashboard.uid} has no panel ${id}.`} />;
  }
  return (
    <main className={styles.page} data-testid="host-options-page">
      <div className={styles.panel}>
        <SceneView scene={scene} />
      </div>
      <aside className={styles.pane}>
        <OptionsPane panel={panel} />
      </aside>
    </main>
  );
}

const styles = {
  page: css({ display: 'flex', height: 'calc(100vh - 48px)' }),
  panel: css({ flex: 1, display: 'flex', padding: 16, minWidth: 0 }),
  pane: css({ width: 360, padding: 16, overflow: 'auto' }),
};
