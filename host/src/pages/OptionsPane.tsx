import { cloneDeep, get, set } from 'lodash';
import React, { type ComponentType, type JSX } from 'react';
import { PanelOptionsEditorBuilder, standardEditorsRegistry, type StandardEditorProps } from '@grafana/data';
import type { VizPanel } from '@grafana/scenes';
import { Field } from '@grafana/ui';

type Options = Record<string, unknown>;
type AnyEditor = ComponentType<StandardEditorProps<unknown>>;

/** Every option and field option of the panel's plugin, with the editor that the plugin names for it. */
export function OptionsPane({ panel }: { panel: VizPanel }): JSX.Element | null {
  const { options: rawOptions, fieldConfig, _pluginInstanceState } = panel.useState();
  const { data } = panel.useState().$data?.state ?? {};
  const plugin = panel.getPlugin();
  if (plugin === undefined) {
    return null;
  }
  const options = rawOptions as Options;
  const context = { data: data?.series ?? [], options, instanceState: _pluginInstanceState as unknown };
  const builder = new PanelOptionsEditorBuilder<Options>();
  plugin.getPanelOptionsSupplier()(builder, context);
  const items = builder.getItems().filter((item) => item.showIf === undefined || item.showIf(options, context.data));
  const properties = plugin.fieldConfigRegistry.list().filter((property) => !property.hideFromDefaults);

  return (
    <div data-testid="host-options-pane">
      <h4>{plugin.meta.name} options</h4>
      {items.map((item) => {
        const Editor = (item.editor ?? standardEditorsRegistry.get(item.id).editor) as AnyEditor;
        const id = `option-${item.path}`;
        return (
          <Field key={item.path} label={item.name} description={item.description} htmlFor={id}>
            <Editor
              id={id}
              value={get(options, item.path)}
              item={item as never}
              context={context}
              onChange={(value) => panel.onOptionsChange(set(cloneDeep(options), item.path, value), true)}
            />
          </Field>
        );
      })}
      <h4>Field options</h4>
      {properties.map((property) => {
        const Editor = property.editor as AnyEditor;
        const path = property.isCustom ? `custom.${property.path}` : property.path;
        return (
          <Field key={property.id} label={property.name} htmlFor={`field-${path}`}>
            <Editor
              id={`field-${path}`}
              value={get(fieldConfig.defaults, path)}
              item={property as never}
              context={context}
              onChange={(value) => {
                const defaults = set(cloneDeep(fieldConfig.defaults), path, value);
                panel.onFieldConfigChange({ ...fieldConfig, defaults }, true);
              }}
            />
          </Field>
        );
      })}
    </div>
  );
}
