import { css } from '@emotion/css';
import React, { useLayoutEffect, useState, type JSX, type ReactNode } from 'react';
import { Router, type Navigator } from 'react-router-dom';
import { ThemeContext, type DataSourceInstanceSettings, type GrafanaTheme2 } from '@grafana/data';
import { config, locationService, LocationServiceProvider } from '@grafana/runtime';
import { Alert, ErrorBoundaryAlert, GlobalStyles, PortalContainer } from '@grafana/ui';
import { TopBar } from './chrome/TopBar';
import { hostData, type DashboardJson } from './hostWindow';
import { readPageParams, type PageParams } from './links';
import { ConfigPage } from './pages/ConfigPage';
import { DashboardPage } from './pages/DashboardPage';
import { OptionsPage } from './pages/OptionsPage';
import { QueryPage } from './pages/QueryPage';
import type { HostDataSourceSrv } from './services/dataSourceSrv';

const INCIDENT_DASHBOARD = 'pd-incident';
const PD_FLOW_UID = 'pdflow';

export function App({ theme, dataSources }: { theme: GrafanaTheme2; dataSources: HostDataSourceSrv }): JSX.Element {
  const [host] = useState(hostData);
  const [params] = useState(readPageParams);
  const wanted = params.dashboard ?? INCIDENT_DASHBOARD;
  const dashboard = host.dashboards.find(({ uid }) => uid === wanted);
  const showsBar = !params.kiosk && (params.panelId === undefined || params.page !== 'dashboard');
  const background = theme.colors.background.canvas;
  return (
    <ThemeContext.Provider value={theme}>
      <GlobalStyles />
      <LocationServiceProvider service={locationService}>
        <HistoryRouter>
          <div className={css({ minHeight: '100vh', display: 'flex', flexDirection: 'column', background })}>
            {showsBar && <TopBar host={host} params={{ ...params, dashboard: wanted }} />}
            {Object.keys(config.apps).length === 0 && (
              <Alert title="The plugins are not built. Run npm run build, then reload this page." />
            )}
            <ErrorBoundaryAlert>
              <Page dashboard={dashboard} wanted={wanted} params={params} dataSources={dataSources} />
            </ErrorBoundaryAlert>
          </div>
          <PortalContainer />
        </HistoryRouter>
      </LocationServiceProvider>
    </ThemeContext.Provider>
  );
}

interface PageProps {
  dashboard: DashboardJson | undefined;
  wanted: string;
  params: PageParams;
  dataSources: HostDataSourceSrv;
}

function Page({ dashboard, wanted, params, dataSources }: PageProps): JSX.Element {
  const settings: DataSourceInstanceSettings | undefined = dataSources.getInstanceSettings(PD_FLOW_UID);
  if (params.page === 'config' || params.page === 'query') {
    if (settings === undefined) {
      return <Alert title="The PD Flow data source is not built. Run npm run build, then reload." />;
    }
    const props = { dataSources, settings };
    return params.page === 'config' ? <ConfigPage {...props} /> : <QueryPage {...props} />;
  }
  if (dashboard === undefined) {
    return <Alert title={`There is no dashboard "${wanted}" in provisioning/dashboards.`} />;
  }
  return params.page === 'options' ? (
    <OptionsPage dashboard={dashboard} panelId={params.panelId} />
  ) : (
    <DashboardPage dashboard={dashboard} params={params} />
  );
}

/** React Router over Grafana's own history object, so that scenes and plugins share one address. */
function HistoryRouter({ children }: { children: ReactNode }): JSX.Element {
  const history = locationService.getHistory();
  const [location, setLocation] = useState(history.location);
  useLayoutEffect(() => history.listen((next: typeof history.location) => setLocation(next)), [history]);
  return (
    <Router location={location} navigator={history as unknown as Navigator}>
      {children}
    </Router>
  );
}
