import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';
import type { Message } from './messages';
import { testIds } from './testIds';

/** Instead of the picture: what is wrong, what was expected, what to do. */
export function MessageView({ message }: { readonly message: Message }): React.ReactElement {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.box} data-testid={testIds.message} role="status">
      <strong className={styles.title}>{message.title}</strong>
      <p className={styles.line}>{message.text.slice(0, 1000)}</p>
      {message.nextStep !== '' && <p className={styles.line}>{message.nextStep.slice(0, 1000)}</p>}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2): Record<'box' | 'title' | 'line', string> => ({
  box: css({
    height: '100%',
    overflow: 'auto',
    padding: theme.spacing(2),
    color: theme.colors.text.primary,
  }),
  title: css({ fontSize: theme.typography.h3.fontSize }),
  line: css({ margin: theme.spacing(1, 0, 0), maxWidth: '75ch', overflowWrap: 'anywhere' }),
});
