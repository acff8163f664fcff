import { css } from '@emotion/css';
import { useStyles2 } from '@grafana/ui';
import React, { useState } from 'react';
import { testIds } from '../testIds';

interface Props {
  /** Changes when there is something new to say; the growing age in the text alone is not. */
  readonly topic: string;
  readonly text: string;
}

/** Says a changed verdict to screen readers, once. */
export function LiveRegion({ topic, text }: Props): React.ReactElement {
  const styles = useStyles2(getStyles);
  const [said, setSaid] = useState({ topic, text });
  if (said.topic !== topic) {
    setSaid({ topic, text });
  }
  return (
    <div aria-live="polite" className={styles.hidden} data-testid={testIds.live}>
      {said.text}
    </div>
  );
}

const getStyles = (): { hidden: string } => ({
  hidden: css({ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' }),
});
