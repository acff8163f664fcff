import { css } from '@emotion/css';
import React, { useMemo, useState, type ComponentType, type JSX } from 'react';
import { CoreApp, type DataSourceApi, type DataSourceInstanceSettings, type QueryEditorProps } from '@grafana/data';
import {
  EmbeddedScene,
  PanelBuilders,
  SceneFlexItem,
  SceneFlexLayout,
  SceneQueryRunner,
  SceneTimeRange,
} from '@grafana/scenes';
import type { DataQuery } from '@grafana/schema';
import type { HostDataSourceSrv } from '../services/dataSourceSrv';
import { SceneView } from './DashboardPage';
import { useDataSource, usePlugin } from './usePlugin';

type AnyQueryEditor = ComponentType<QueryEditorProps<DataSourceApi, DataQuery>>;

/** The query editor above a table of what the query returns. */
export function QueryPage({
  dataSources,
  settings,
}: {
  dataSources: HostDataSourceSrv;
  settings: DataSourceInstanceSettings;
}): JSX.Element {
  const plugin = usePlugin(dataSources, settings);
  const dataSource = useDataSource(dataSources, settings.uid);
  const [query, setQuery] = useState<DataQuery>({ refId: 'A' });
  const { scene, runner } = useMemo(() => queryScene(settings), [settings]);
  const Editor = plugin?.components.QueryEditor as AnyQueryEditor | undefined;

  // An editor may change the query and run it at once, so the runner has the change before the next render.
  const change = (next: DataQuery): void => {
    setQuery(next);
    runner.setState({ queries: [next] });
  };
  return (
    <main className={style} data-testid="host-query-page">
      <h2>{settings.name}: query editor</h2>
      {Editor && dataSource && (
        <Editor
          datasource={dataSource}
          query={query}
          onChange={change}
          onRunQuery={() => runner.runQueries()}
          app={CoreApp.Dashboard}
        />
      )}
      <div className={css({ height: 400, marginTop: 16 })}>
        <SceneView scene={scene} />
      </div>
    </main>
  );
}

function queryScene({ uid, type }: DataSourceInstanceSettings): { scene: EmbeddedScene; runner: SceneQueryRunner } {
  const runner = new SceneQueryRunner({ datasource: { uid, type }, queries: [{ refId: 'A' }] });
  const table = PanelBuilders.table().setTitle('Result').setData(runner).build();
  const scene = new EmbeddedScene({
    $timeRange: new SceneTimeRange({ from: 'now-30m', to: 'now' }),
    body: new SceneFlexLayout({ children: [new SceneFlexItem({ body: table })] }),
  });
  return { scene, runner };
}

const style = css({ padding: 24 });
