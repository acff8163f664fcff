import type { DataSourcePluginOptionsEditorProps } from '@grafana/data';
import { DataSourcePicker } from '@grafana/runtime';
import { Field, FieldSet, Input } from '@grafana/ui';
import React, { type ReactElement } from 'react';
import { isPattern } from '../frames/contract';
import { readRelease } from '../pipeline';
import { isPrometheus } from './delegate';
import { readMatchers } from './matchers';
import { readIntervalMs, readSettings, type PipelineSettings, type SettingName } from './settings';

type Props = DataSourcePluginOptionsEditorProps<PipelineSettings>;

interface TextSetting {
  readonly name: SettingName;
  readonly label: string;
  readonly description: string;
  readonly placeholder: string;
  /** Complaint about the text, or `undefined` when it can be used. Blank is always fine. */
  readonly check: (text: string) => string | undefined;
}

const READING: readonly TextSetting[] = [
  {
    name: 'matchers',
    label: 'Label matchers',
    description: 'Added to every query. Dashboard variables are allowed.',
    placeholder: 'namespace="prod"',
    check: checkMatchers,
  },
  {
    name: 'scrapeInterval',
    label: 'Scrape interval',
    description: 'Of the engines. Blank: the interval set in the Prometheus data source, else 15s.',
    placeholder: '15s',
    check: (text) => (readIntervalMs(text) === undefined ? 'Write a duration such as 5s or 1m.' : undefined),
  },
  {
    name: 'sglangVersion',
    label: 'SGLang release',
    description: 'Of all engines, where their series do not tell it. Blank: read from the series.',
    placeholder: '0.5.9',
    check: (text) => (readRelease(text) === undefined ? 'Write a release such as 0.5.9.' : undefined),
  },
];

const ROLES: readonly TextSetting[] = [
  {
    name: 'roleLabel',
    label: 'Label',
    description: 'Tells prefill, decode and router apart where engine_type does not (SGLang before 0.5.9).',
    placeholder: 'job',
    check: (text) => (/^\s*[a-zA-Z_]\w*\s*$/.test(text) ? undefined : 'Write the name of one label, such as job.'),
  },
  role('rolePrefill', 'Prefill', 'sglang-prefill.*'),
  role('roleDecode', 'Decode', 'sglang-decode.*'),
  role('roleRouter', 'Router', 'sglang-router.*'),
];

/** Settings page of the data source. */
export function ConfigEditor({ options, onOptionsChange }: Props): ReactElement {
  const settings = readSettings(options.jsonData);
  const change = (name: SettingName, value: string): void =>
    onOptionsChange({ ...options, jsonData: { ...options.jsonData, [name]: value } });
  const texts = (list: readonly TextSetting[]): ReactElement[] =>
    list.map((setting) => (
      <TextField
        key={setting.name}
        setting={setting}
        value={settings[setting.name]}
        disabled={options.readOnly === true}
        onChange={change}
      />
    ));
  return (
    <>
      <FieldSet label="Where the series are">
        <Field
          label="Prometheus data source"
          description="Every query goes through it, with the permissions of whoever looks at the dashboard."
        >
          <DataSourcePicker
            inputId="pdflow-prometheus"
            current={settings.prometheusUid || null}
            filter={isPrometheus}
            noDefault
            disabled={options.readOnly === true}
            placeholder="Choose a Prometheus data source"
            width={60}
            onChange={({ uid }) => change('prometheusUid', uid)}
          />
        </Field>
        {texts(READING)}
      </FieldSet>
      <FieldSet label="Which engine has which role (optional)">{texts(ROLES)}</FieldSet>
    </>
  );
}

interface TextFieldProps {
  readonly setting: TextSetting;
  readonly value: string;
  readonly disabled: boolean;
  readonly onChange: (name: SettingName, value: string) => void;
}

function TextField({ setting, value, disabled, onChange }: TextFieldProps): ReactElement {
  const { name, label, description, placeholder } = setting;
  const error = value.trim() === '' ? undefined : setting.check(value);
  return (
    <Field
      label={label}
      description={description}
      htmlFor={`pdflow-${name}`}
      invalid={error !== undefined}
      error={error}
    >
      <Input
        id={`pdflow-${name}`}
        value={value}
        placeholder={placeholder}
        disabled={disabled}
        width={60}
        spellCheck={false}
        onChange={(event) => onChange(name, event.currentTarget.value)}
      />
    </Field>
  );
}

function role(name: SettingName, label: string, placeholder: string): TextSetting {
  return {
    name,
    label,
    description: 'Regular expression that the whole value of the label must match.',
    placeholder,
    check: (text) => (isPattern(text.trim()) ? undefined : 'This is not a regular expression.'),
  };
}

function checkMatchers(text: string): string | undefined {
  const check = readMatchers(text);
  return check.ok ? undefined : check.message;
}
