import React, { type JSX } from 'react';
import type { PanelProps } from '@grafana/data';
import { PanelDataErrorView } from '@grafana/runtime';
import { Table } from '@grafana/ui';
import { StandIn } from './StandIn';

export function TableStandIn({ id, data, width, height, fieldConfig }: PanelProps): JSX.Element {
  const frame = data.series.find((candidate) => candidate.fields.length > 0);
  if (frame === undefined) {
    return <PanelDataErrorView panelId={id} data={data} fieldConfig={fieldConfig} />;
  }
  return (
    <StandIn name="table">
      <Table data={frame} width={width} height={height} ariaLabel={frame.name ?? 'Table'} />
    </StandIn>
  );
}
