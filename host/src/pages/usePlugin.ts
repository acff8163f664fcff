import { useEffect, useState } from 'react';
import type { DataSourceApi, DataSourceInstanceSettings } from '@grafana/data';
import type { AnyDataSourcePlugin, HostDataSourceSrv } from '../services/dataSourceSrv';

export function usePlugin(
  dataSources: HostDataSourceSrv,
  settings: DataSourceInstanceSettings
): AnyDataSourcePlugin | undefined {
  return usePromised(() => dataSources.importDataSource(settings.meta), settings.uid);
}

export function useDataSource(dataSources: HostDataSourceSrv, uid: string): DataSourceApi | undefined {
  return usePromised(() => dataSources.get(uid), uid);
}

/** The settled value; a failure is thrown while rendering, so that the page's error boundary words it. */
function usePromised<T>(load: () => Promise<T>, key: string): T | undefined {
  const [state, setState] = useState<{ key: string; value?: T; error?: unknown }>();
  useEffect(() => {
    let gone = false;
    const settle = (next: { value?: T; error?: unknown }): void => {
      if (!gone) {
        setState({ key, ...next });
      }
    };
    load().then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error })
    );
    return () => {
      gone = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key stands for what is loaded
  }, [key]);
  if (state?.error !== undefined) {
    throw state.error;
  }
  return state?.key === key ? state.value : undefined;
}
