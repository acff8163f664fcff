import { css } from '@emotion/css';
import React, { type JSX, type ReactNode } from 'react';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';

/** Frame of a stand-in: the core panels of Grafana are not on npm, and nobody should take these for them. */
export function StandIn({ name, children }: { name: string; children: ReactNode }): JSX.Element {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.box}>
      {children}
      <span
        className={styles.badge}
        title={`Grafana's own ${name} panel is not on npm; this is the host's plain stand-in.`}
      >
        stand-in
      </span>
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  box: css({ position: 'relative', height: '100%', overflow: 'hidden' }),
  badge: css({
    position: 'absolute',
    bottom: 0,
    right: 0,
    padding: '0 4px',
    fontSize: 10,
    lineHeight: '16px',
    borderRadius: theme.shape.radius.default,
    color: theme.colors.text.secondary,
    background: theme.colors.background.secondary,
    pointerEvents: 'none',
  }),
});
