import React, { type JSX } from 'react';
import { FieldType, getFieldDisplayName, type PanelProps } from '@grafana/data';
import { PanelDataErrorView } from '@grafana/runtime';
import { BigValue, BigValueColorMode, BigValueGraphMode, useTheme2 } from '@grafana/ui';
import { StandIn } from './StandIn';

export function StatStandIn({ id, data, width, height, fieldConfig }: PanelProps): JSX.Element {
  const theme = useTheme2();
  const fields = data.series.flatMap((frame) =>
    frame.fields
      .filter((field) => field.type === FieldType.number && field.values.length > 0)
      .map((field) => ({ field, frame }))
  );
  if (fields.length === 0) {
    return <PanelDataErrorView panelId={id} data={data} fieldConfig={fieldConfig} needsNumberField />;
  }
  return (
    <StandIn name="stat">
      <div style={{ display: 'flex' }}>
        {fields.map(({ field, frame }, index) => {
          const value = field.display?.(field.values.at(-1)) ?? { text: String(field.values.at(-1)), numeric: NaN };
          return (
            <BigValue
              key={index}
              theme={theme}
              width={width / fields.length}
              height={height}
              value={{ ...value, title: getFieldDisplayName(field, frame, data.series) }}
              colorMode={BigValueColorMode.Value}
              graphMode={BigValueGraphMode.None}
            />
          );
        })}
      </div>
    </StandIn>
  );
}
