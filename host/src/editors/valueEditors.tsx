// Small editors for the ids that plugins name; Grafana's own live in its core, not on npm.
import React, { useState, type ComponentType, type JSX } from 'react';
import type { StandardEditorProps } from '@grafana/data';
import {
  Combobox,
  ColorPicker,
  Input,
  MultiSelect,
  RadioButtonGroup,
  Slider,
  StatsPicker,
  Switch,
  TextArea,
  UnitPicker,
} from '@grafana/ui';
import { isRecord } from '../unknown';

/** Editors are looked up by id at run time, so their value is as wide as a registry can know. */
export type ValueEditor = ComponentType<StandardEditorProps<unknown>>;

export const valueEditors: Readonly<Record<string, ValueEditor>> = {
  text: TextEditor,
  number: NumberEditor,
  slider: SliderEditor,
  boolean: ({ value, onChange, id }) => (
    <Switch id={id} value={value === true} onChange={(event) => onChange(event.currentTarget.checked)} />
  ),
  radio: ({ value, onChange, item }) => (
    <RadioButtonGroup value={value} options={optionsOf(item.settings)} onChange={onChange} />
  ),
  select: ({ value, onChange, item, id }) => (
    <Combobox
      id={id}
      value={value === undefined || value === null ? null : String(value)}
      options={optionsOf(item.settings).map(({ label, value: option }) => ({ label, value: String(option) }))}
      onChange={(picked) =>
        onChange(optionsOf(item.settings).find(({ value: v }) => String(v) === picked.value)?.value)
      }
    />
  ),
  'multi-select': ({ value, onChange, item }) => (
    <MultiSelect
      value={Array.isArray(value) ? value : []}
      options={optionsOf(item.settings)}
      onChange={(picked) => onChange(picked.map((option) => option.value))}
    />
  ),
  unit: ({ value, onChange }) => <UnitPicker value={textOf(value)} onChange={onChange} />,
  color: ({ value, onChange }) => <ColorPicker color={textOf(value) ?? 'green'} onChange={onChange} />,
  'stats-picker': ({ value, onChange }) => (
    <StatsPicker stats={Array.isArray(value) ? value.map(String) : []} onChange={onChange} />
  ),
};

function TextEditor({ value, onChange, item, id }: StandardEditorProps<unknown>): JSX.Element {
  const placeholder = isRecord(item.settings) ? textOf(item.settings['placeholder']) : undefined;
  return (
    <Input
      id={id}
      defaultValue={textOf(value) ?? ''}
      placeholder={placeholder}
      onBlur={(e) => onChange(e.currentTarget.value)}
    />
  );
}

function NumberEditor({ value, onChange, id }: StandardEditorProps<unknown>): JSX.Element {
  return (
    <Input
      id={id}
      type="number"
      defaultValue={value === undefined || value === null ? '' : String(value)}
      onBlur={(e) => onChange(e.currentTarget.value === '' ? undefined : Number(e.currentTarget.value))}
    />
  );
}

function SliderEditor({ value, onChange, item }: StandardEditorProps<unknown>): JSX.Element {
  const { min, max, step } = isRecord(item.settings) ? item.settings : {};
  return (
    <Slider
      value={typeof value === 'number' ? value : Number(min ?? 0)}
      min={Number(min ?? 0)}
      max={Number(max ?? 100)}
      step={Number(step ?? 1)}
      onChange={onChange}
    />
  );
}

/** Anything else is edited as JSON. */
export function JsonEditor({ value, onChange, id }: StandardEditorProps<unknown>): JSX.Element {
  const [invalid, setInvalid] = useState(false);
  return (
    <TextArea
      id={id}
      rows={3}
      invalid={invalid}
      defaultValue={JSON.stringify(value ?? null, null, 1)}
      onBlur={(event) => {
        try {
          onChange(JSON.parse(event.currentTarget.value));
          setInvalid(false);
        } catch {
          setInvalid(true);
        }
      }}
    />
  );
}

interface EditorOption {
  label: string;
  value: unknown;
}

function optionsOf(settings: unknown): EditorOption[] {
  const options = isRecord(settings) && Array.isArray(settings['options']) ? settings['options'] : [];
  return options.filter(isRecord).map(({ label, value }) => ({ label: String(label ?? value), value }));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
