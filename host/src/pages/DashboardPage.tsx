import { css } from '@emotion/css';
import React, { useEffect, useMemo, type JSX } from 'react';
import { UrlSyncContextProvider, type SceneObject } from '@grafana/scenes';
import { Alert } from '@grafana/ui';
import type { DashboardJson } from '../hostWindow';
import type { PageParams } from '../links';
import { readDashboard } from '../scene/dashboardScene';

/** A whole dashboard, or one of its panels over the whole window (`panel=<id>`). */
export function DashboardPage({ dashboard, params }: { dashboard: DashboardJson; params: PageParams }): JSX.Element {
  const { kiosk, panelId } = params;
  const scene = useMemo(
    () => readDashboard(dashboard, { panelId, withControls: !kiosk && panelId === undefined }),
    [dashboard, kiosk, panelId]
  );
  if (scene === undefined) {
    return <Alert title={`Dashboard ${dashboard.uid} has no panel ${panelId}.`} />;
  }
  return (
    <UrlSyncContextProvider scene={scene}>
      <div className={panelId === undefined ? pageStyle : soloStyle}>
        <SceneView scene={scene} />
      </div>
    </UrlSyncContextProvider>
  );
}

export function SceneView({ scene }: { scene: SceneObject }): JSX.Element {
  useEffect(() => {
    window.__grafanaSceneContext = scene;
  }, [scene]);
  return <scene.Component model={scene} />;
}

const pageStyle = css({ padding: 16, display: 'flex', flexDirection: 'column', flex: 1 });
const soloStyle = css({ height: '100vh', width: '100vw', display: 'flex', overflow: 'hidden' });
