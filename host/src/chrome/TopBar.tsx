import { css } from '@emotion/css';
import React, { type JSX } from 'react';
import type { GrafanaTheme2 } from '@grafana/data';
import { Badge, LinkButton, useStyles2 } from '@grafana/ui';
import type { HostData } from '../hostWindow';
import { linkTo, type PageParams } from '../links';
import { FaultButtons } from './FaultButtons';

const PAGES = [
  ['config', 'Data source'],
  ['query', 'Query editor'],
  ['options', 'Panel options'],
] as const;

/** The host's own bar: it stands where Grafana's navigation is and says that this is not Grafana. */
export function TopBar({ host, params }: { host: HostData; params: PageParams }): JSX.Element {
  const styles = useStyles2(getStyles);
  const other = params.theme === 'dark' ? 'light' : 'dark';
  return (
    <header className={styles.bar} data-testid="host-bar">
      <Badge
        text="embedded host"
        color="blue"
        tooltip="Not Grafana: the built plugins in Grafana's own npm packages."
      />
      <nav className={styles.links} aria-label="Dashboards and pages">
        {host.dashboards.map(({ uid, title }) => (
          <LinkButton
            key={uid}
            size="sm"
            fill="text"
            variant={params.page === 'dashboard' && params.dashboard === uid ? 'primary' : 'secondary'}
            href={linkTo({ theme: params.theme, dashboard: uid }, '')}
          >
            {title}
          </LinkButton>
        ))}
        {PAGES.map(([page, label]) => (
          <LinkButton
            key={page}
            size="sm"
            fill="text"
            variant={params.page === page ? 'primary' : 'secondary'}
            href={linkTo({ theme: params.theme, page }, '')}
          >
            {label}
          </LinkButton>
        ))}
      </nav>
      {host.faults.length > 0 && <FaultButtons faults={host.faults} />}
      <LinkButton size="sm" variant="secondary" href={linkTo({ theme: other })}>
        {other === 'dark' ? 'Dark theme' : 'Light theme'}
      </LinkButton>
    </header>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  bar: css({
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: theme.spacing(1),
    padding: theme.spacing(0.5, 2),
    background: theme.colors.background.primary,
    borderBottom: `1px solid ${theme.colors.border.weak}`,
  }),
  links: css({ display: 'flex', flexWrap: 'wrap', flex: 1 }),
});
