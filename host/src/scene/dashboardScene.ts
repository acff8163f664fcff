// A provisioned dashboard (classic JSON) as a scene: variables, annotations, rows, time, refresh, shared crosshair.
import {
  behaviors,
  dataLayers,
  SceneControlsSpacer,
  SceneDataLayerControls,
  SceneDataLayerSet,
  SceneFlexItem,
  SceneFlexLayout,
  SceneGridItem,
  SceneGridLayout,
  SceneGridRow,
  SceneRefreshPicker,
  SceneTimePicker,
  SceneTimeRange,
  SceneVariableSet,
  VariableValueSelectors,
  type SceneGridItemLike,
  type SceneObject,
} from '@grafana/scenes';
import type { Panel, RowPanel } from '@grafana/schema';
import type { DashboardJson } from '../hostWindow';
import { HostScene } from './HostScene';
import { readPanel } from './panels';
import { readVariables } from './variables';

export interface SceneWish {
  /** Only this panel, filling its container. */
  panelId?: number;
  withControls: boolean;
}

/** @returns undefined when the dashboard has no such panel */
export function readDashboard(dashboard: DashboardJson, wish: SceneWish): HostScene | undefined {
  const body = wish.panelId === undefined ? readGrid(dashboard) : readSolo(dashboard, wish.panelId);
  if (body === undefined) {
    return undefined;
  }
  const { uid = '', title = '', time, templating, graphTooltip = 0 } = dashboard;
  const refresh = new SceneRefreshPicker({ refresh: dashboard.refresh ?? '', isOnCanvas: true });
  const bars = readControls(refresh, wish.withControls);
  return new HostScene({
    uid: uid ?? '',
    title,
    $timeRange: new SceneTimeRange(time ?? { from: 'now-1h', to: 'now' }),
    $variables: new SceneVariableSet({ variables: readVariables(templating?.list ?? []) }),
    $data: readAnnotations(dashboard),
    $behaviors: [new behaviors.CursorSync({ sync: graphTooltip }), ...bars.behaviors],
    controls: bars.controls,
    body,
  });
}

/** Panels of the dashboard, those inside collapsed rows included. */
export function allPanels(dashboard: DashboardJson): Panel[] {
  return (dashboard.panels ?? []).flatMap((entry) => (isRow(entry) ? entry.panels : [entry]));
}

/** Without bars the refresh picker is a behaviour: it keeps refreshing, unseen. */
function readControls(
  refresh: SceneRefreshPicker,
  visible: boolean
): { controls?: SceneObject[]; behaviors: SceneObject[] } {
  if (!visible) {
    return { behaviors: [refresh] };
  }
  const layers = new SceneDataLayerControls();
  const spacer = new SceneControlsSpacer();
  const time = new SceneTimePicker({ isOnCanvas: true });
  return { controls: [new VariableValueSelectors({}), layers, spacer, time, refresh], behaviors: [] };
}

function readGrid(dashboard: DashboardJson): SceneGridLayout {
  return new SceneGridLayout({ children: (dashboard.panels ?? []).map(readGridItem) });
}

function readGridItem(entry: Panel | RowPanel): SceneGridItemLike {
  const { x = 0, y = 0, w: width = 12, h: height = 8 } = entry.gridPos ?? {};
  if (isRow(entry)) {
    return new SceneGridRow({
      title: entry.title,
      isCollapsed: entry.collapsed,
      y,
      children: entry.panels.map(readGridItem),
    });
  }
  return new SceneGridItem({ x, y, width, height, body: readPanel(entry), isDraggable: false, isResizable: false });
}

function readSolo(dashboard: DashboardJson, panelId: number): SceneFlexLayout | undefined {
  const panel = allPanels(dashboard).find(({ id }) => id === panelId);
  return (
    panel &&
    new SceneFlexLayout({
      direction: 'column',
      children: [new SceneFlexItem({ minHeight: 0, body: readPanel(panel) })],
    })
  );
}

function readAnnotations(dashboard: DashboardJson): SceneDataLayerSet | undefined {
  const queries = (dashboard.annotations?.list ?? []).filter((query) => query.builtIn !== 1);
  if (queries.length === 0) {
    return undefined;
  }
  const layers = queries.map(
    (query) =>
      new dataLayers.AnnotationsDataLayer({ name: query.name, isEnabled: query.enable, isHidden: query.hide, query })
  );
  return new SceneDataLayerSet({ layers });
}

function isRow(entry: Panel | RowPanel): entry is RowPanel {
  return entry.type === 'row';
}
