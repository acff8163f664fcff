import { FieldConfigProperty, PanelPlugin, type PanelOptionsEditorBuilder } from '@grafana/data';
import { DEFAULT_OPTIONS, type PanelOptions } from './options';
import { PipelinePanel } from './PipelinePanel';

const USED = [FieldConfigProperty.Decimals];

export const plugin = new PanelPlugin<PanelOptions>(PipelinePanel)
  .useFieldConfig({
    disableStandardOptions: Object.values(FieldConfigProperty).filter((property) => !USED.includes(property)),
  })
  .setDataSupport({ annotations: true, alertStates: false })
  .setNoPadding()
  .setPanelOptions((builder) => {
    addPicture(builder);
    addWall(builder);
    addRoles(builder);
    return builder;
  });

type Builder = PanelOptionsEditorBuilder<PanelOptions>;

function addPicture(builder: Builder): void {
  const category = ['Picture'];
  builder
    .addTextInput({
      path: 'pipeline',
      name: 'Pipeline',
      description: 'Which of several pipelines to show. Empty: the worst first, with tabs to choose.',
      defaultValue: DEFAULT_OPTIONS.pipeline,
      category,
    })
    .addBooleanSwitch({ path: 'showStrip', name: 'Strip of states over time', defaultValue: true, category })
    .addBooleanSwitch({ path: 'showHypotheses', name: 'Ruled-out causes', defaultValue: true, category })
    .addBooleanSwitch({ path: 'showRates', name: 'Rates', defaultValue: true, category })
    .addNumberInput({
      path: 'windowSec',
      name: 'Stall window (seconds)',
      description: 'Without progress for this long a stage is stalled. 0: found from the data.',
      defaultValue: DEFAULT_OPTIONS.windowSec,
      settings: { min: 0 },
      category,
    })
    .addTextInput({
      path: 'sglangVersion',
      name: 'SGLang release',
      description: 'Of all engines, such as 0.5.9. Empty: read from their series.',
      defaultValue: DEFAULT_OPTIONS.sglangVersion,
      category,
    });
}

function addWall(builder: Builder): void {
  const category = ['Wall'];
  builder
    .addNumberInput({
      path: 'distanceM',
      name: 'Read from (metres)',
      description:
        'The smallest type becomes readable from there; what then has no room is left out. 0: fit to the size.',
      defaultValue: DEFAULT_OPTIONS.distanceM,
      settings: { min: 0, step: 0.5 },
      category,
    })
    .addNumberInput({
      path: 'screenInch',
      name: 'Screen (inches)',
      description: 'Diagonal of the screen that shows the panel.',
      defaultValue: DEFAULT_OPTIONS.screenInch,
      settings: { min: 1 },
      category,
    })
    .addNumberInput({
      path: 'veilAfter',
      name: 'Veil after missed refreshes',
      description:
        'Data older than so many refreshes or scrapes is veiled as LOST while the range ends at now. 0: never.',
      defaultValue: DEFAULT_OPTIONS.veilAfter,
      settings: { min: 0 },
      category,
    });
}

function addRoles(builder: Builder): void {
  const category = ['Roles'];
  builder.addTextInput({
    path: 'roleLabel',
    name: 'Role label',
    description:
      'For plain Prometheus data without engine_type: the label that tells the role of an engine, such as job.',
    defaultValue: DEFAULT_OPTIONS.roleLabel,
    category,
  });
  const patterns = [
    ['prefillPattern', 'Prefill values', '.*prefill.*'],
    ['decodePattern', 'Decode values', '.*decode.*'],
    ['routerPattern', 'Router values', '.*(router|gateway).*'],
  ] as const;
  for (const [path, name, placeholder] of patterns) {
    builder.addTextInput({
      path,
      name,
      description: 'Regular expression for the whole value of the label.',
      defaultValue: '',
      settings: { placeholder },
      showIf: ({ roleLabel }) => roleLabel !== '',
      category,
    });
  }
}
