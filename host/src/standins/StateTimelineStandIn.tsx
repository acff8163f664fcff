import { css } from '@emotion/css';
import React, { type JSX } from 'react';
import { FieldType, getFieldDisplayName, type Field, type PanelProps } from '@grafana/data';
import { PanelDataErrorView } from '@grafana/runtime';
import { StandIn } from './StandIn';

interface Span {
  fromPercent: number;
  toPercent: number;
  text: string;
  color: string | undefined;
}

export function StateTimelineStandIn({ id, data, timeRange, fieldConfig }: PanelProps): JSX.Element {
  const startMs = timeRange.from.valueOf();
  const endMs = timeRange.to.valueOf();
  const rows = data.series.flatMap((frame) => {
    const time = frame.fields.find((field) => field.type === FieldType.time);
    const states = frame.fields.filter((field) => field !== time);
    return time === undefined
      ? []
      : states.map((field) => ({
          name: getFieldDisplayName(field, frame, data.series),
          spans: spansOf(time, field, startMs, endMs),
        }));
  });
  if (rows.length === 0) {
    return <PanelDataErrorView panelId={id} data={data} fieldConfig={fieldConfig} needsTimeField />;
  }
  return (
    <StandIn name="state timeline">
      {rows.map(({ name, spans }) => (
        <div key={name} className={styles.row}>
          <span className={styles.name}>{name}</span>
          <div className={styles.bar}>
            {spans.map((span) => (
              <div
                key={span.fromPercent}
                className={styles.span}
                title={span.text}
                style={{
                  left: `${span.fromPercent}%`,
                  width: `${span.toPercent - span.fromPercent}%`,
                  background: span.color,
                }}
              >
                {span.text}
              </div>
            ))}
          </div>
        </div>
      ))}
    </StandIn>
  );
}

/** Runs of the same value; a missing value is a gap, never the last state drawn on. */
function spansOf(time: Field<number>, field: Field, startMs: number, endMs: number): Span[] {
  const percent = (atMs: number): number => Math.min(100, Math.max(0, ((atMs - startMs) / (endMs - startMs)) * 100));
  const values: unknown[] = field.values;
  const isStart = (row: number): boolean => isPresent(values[row]) && values[row] !== values[row - 1];
  const starts = values.flatMap((_, row) => (isStart(row) ? [row] : []));
  return starts.map((row) => {
    const length = values.slice(row).findIndex((value) => value !== values[row]);
    const end = length < 0 ? undefined : time.values[row + length];
    const { text, color } = field.display?.(values[row]) ?? { text: String(values[row]), color: undefined };
    return { fromPercent: percent(time.values[row] ?? startMs), toPercent: percent(end ?? endMs), text, color };
  });
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined;
}

const styles = {
  row: css({ display: 'flex', alignItems: 'center', gap: 8, height: 26 }),
  name: css({ width: 160, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }),
  bar: css({ position: 'relative', flex: 1, height: 20 }),
  span: css({
    position: 'absolute',
    height: 20,
    overflow: 'hidden',
    fontSize: 11,
    padding: '0 4px',
    whiteSpace: 'nowrap',
  }),
};
