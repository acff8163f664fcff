import { CoreApp, type DataQueryRequest } from '@grafana/data';
import { EmbeddedScene, getClosest, VizPanel, type EmbeddedSceneState, type SceneObject } from '@grafana/scenes';

interface HostSceneState extends EmbeddedSceneState {
  uid: string;
  title: string;
}

/** A scene that stamps its requests as Grafana's dashboards do: request ids and query caches depend on it. */
export class HostScene extends EmbeddedScene {
  private readonly uid: string;
  private readonly title: string;

  constructor({ uid, title, ...state }: HostSceneState) {
    super(state);
    this.uid = uid;
    this.title = title;
  }

  enrichDataRequest(source: SceneObject): Partial<DataQueryRequest> {
    const panel = getClosest(source, (object) => (object instanceof VizPanel ? object : undefined));
    return {
      app: CoreApp.Dashboard,
      dashboardUID: this.uid,
      dashboardTitle: this.title,
      panelId: panel?.getLegacyPanelId(),
      panelName: panel?.state.title,
      panelPluginId: panel?.state.pluginId,
    };
  }
}
