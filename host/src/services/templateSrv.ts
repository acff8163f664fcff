import type { ScopedVars, TimeRange, TypedVariableModel } from '@grafana/data';
import type { TemplateSrv } from '@grafana/runtime';
import { SceneObjectBase, sceneGraph, type SceneObject } from '@grafana/scenes';

/** Template variables of the scene that asks, or else of the scene on the page. */
export const templateSrv: TemplateSrv = {
  getVariables(): TypedVariableModel[] {
    return [];
  },
  replace(target?: string, scopedVars?: ScopedVars, format?: string | Function): string {
    const scene = sceneOf(scopedVars) ?? sceneFrom(window.__grafanaSceneContext);
    if (target === undefined || target === '' || scene === undefined) {
      return target ?? '';
    }
    return sceneGraph.interpolate(scene, target, scopedVars, format as Parameters<typeof sceneGraph.interpolate>[3]);
  },
  containsTemplate(target?: string): boolean {
    return /\$\{?\w+|\[\[\w+/.test(target ?? '');
  },
  updateTimeRange(_timeRange: TimeRange): void {
    // the scene's own time range is looked up on every replacement
  },
};

function sceneOf(scopedVars: ScopedVars | undefined): SceneObject | undefined {
  return sceneFrom(scopedVars?.__sceneObject?.value?.valueOf());
}

function sceneFrom(value: unknown): SceneObject | undefined {
  return value instanceof SceneObjectBase ? value : undefined;
}
