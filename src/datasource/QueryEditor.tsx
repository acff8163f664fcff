import type { QueryEditorProps } from '@grafana/data';
import { Combobox, InlineField, InlineFieldRow, Input } from '@grafana/ui';
import React, { type ReactElement } from 'react';
import { readMatchers } from './matchers';
import type { PipelineDataSource } from './PipelineDataSource';
import { QUERY_TYPES, readQuery, type PipelineQuery, type QueryType } from './query';
import type { PipelineSettings } from './settings';

type Props = QueryEditorProps<PipelineDataSource, PipelineQuery, PipelineSettings>;

const TYPES: Readonly<Record<QueryType, { readonly label: string; readonly description: string }>> = {
  pipeline: { label: 'Pipeline', description: 'Series for the PD Flow panel' },
  hypotheses: { label: 'Hypotheses', description: 'Table: what is supported, refuted or undecided, and why' },
  stages: { label: 'Stages', description: 'Table: state, depth and rates of every stage and engine' },
  events: { label: 'Events', description: 'Table: abort bursts, stalls, recoveries, restarts' },
  timeline: { label: 'Timeline', description: 'States over time, for a State timeline panel' },
};

const TYPE_OPTIONS = QUERY_TYPES.map((value) => ({ value, ...TYPES[value] }));

/** Query editor of panels, Explore and annotations. Texts are run when they are left or Enter is pressed. */
export function QueryEditor({ query, onChange, onRunQuery }: Props): ReactElement {
  const current = readQuery(query);
  const id = (name: string): string => `pdflow-${current.refId}-${name}`;
  const matchers = readMatchers(current.matchers);
  const runOnEnter = ({ key }: { key: string }): void => (key === 'Enter' ? onRunQuery() : undefined);
  return (
    <InlineFieldRow>
      <InlineField label="Show" labelWidth={10}>
        <Combobox
          id={id('type')}
          width={24}
          options={TYPE_OPTIONS}
          value={current.queryType}
          onChange={({ value }) => {
            onChange({ ...query, queryType: value });
            onRunQuery();
          }}
        />
      </InlineField>
      <InlineField
        label="Label matchers"
        labelWidth={20}
        tooltip='Added to those of the data source, such as namespace="$namespace"'
        invalid={!matchers.ok}
        error={matchers.ok ? undefined : matchers.message}
      >
        <Input
          id={id('matchers')}
          width={44}
          spellCheck={false}
          placeholder='namespace="$namespace"'
          value={current.matchers}
          onChange={(event) => onChange({ ...query, matchers: event.currentTarget.value })}
          onBlur={onRunQuery}
          onKeyDown={runOnEnter}
        />
      </InlineField>
      {current.queryType !== 'pipeline' && (
        <InlineField label="Pipeline" labelWidth={10} tooltip="Name of a pipeline or a regular expression; blank: all">
          <Input
            id={id('pipeline')}
            width={24}
            spellCheck={false}
            placeholder="all"
            value={current.pipeline}
            onChange={(event) => onChange({ ...query, pipeline: event.currentTarget.value })}
            onBlur={onRunQuery}
            onKeyDown={runOnEnter}
          />
        </InlineField>
      )}
    </InlineFieldRow>
  );
}
