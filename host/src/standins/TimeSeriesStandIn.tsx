import React, { type JSX } from 'react';
import { FieldType, type PanelProps } from '@grafana/data';
import { LegendDisplayMode } from '@grafana/schema';
import { TimeSeries } from '@grafana/ui';
import { PanelDataErrorView } from '@grafana/runtime';
import { StandIn } from './StandIn';

const LEGEND = { displayMode: LegendDisplayMode.List, placement: 'bottom', showLegend: true, calcs: [] } as const;

export function TimeSeriesStandIn({
  id,
  data,
  width,
  height,
  timeRange,
  timeZone,
  fieldConfig,
}: PanelProps): JSX.Element {
  const frames = data.series.filter(
    (frame) =>
      frame.length > 0 && [FieldType.time, FieldType.number].every((type) => frame.fields.some((f) => f.type === type))
  );
  if (frames.length === 0) {
    return <PanelDataErrorView panelId={id} data={data} fieldConfig={fieldConfig} needsTimeField needsNumberField />;
  }
  return (
    <StandIn name="time series">
      <TimeSeries
        frames={frames}
        structureRev={data.structureRev}
        width={width}
        height={height}
        timeRange={timeRange}
        timeZone={timeZone}
        legend={{ ...LEGEND, calcs: [] }}
      />
    </StandIn>
  );
}
