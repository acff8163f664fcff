import { css } from '@emotion/css';
import React, { type JSX } from 'react';
import type { PanelDataErrorViewProps } from '@grafana/runtime';

/** Grafana's message for a panel without usable data, in plain words and without its suggestions. */
export function PanelErrorView({ data, message }: PanelDataErrorViewProps): JSX.Element {
  const missing = data.series.some((frame) => frame.length > 0)
    ? 'Data is missing a field that this panel needs'
    : 'No data';
  return (
    <div className={styles} data-testid="data-testid Panel data error message">
      {message ?? data.errors?.[0]?.message ?? missing}
    </div>
  );
}

const styles = css({ display: 'flex', height: '100%', alignItems: 'center', justifyContent: 'center', padding: 8 });
