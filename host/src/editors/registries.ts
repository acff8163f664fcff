// The registries that Grafana's bootstrap fills: option editors, standard field options, transformations.
import {
  dataLinksOverrideProcessor,
  displayNameOverrideProcessor,
  FieldType,
  identityOverrideProcessor,
  numberOverrideProcessor,
  standardEditorsRegistry,
  standardFieldConfigEditorRegistry,
  standardTransformers,
  standardTransformersRegistry,
  stringOverrideProcessor,
  ThresholdsMode,
  thresholdsOverrideProcessor,
  valueMappingsOverrideProcessor,
  type Field,
  type FieldConfigPropertyItem,
  type StandardEditorsRegistryItem,
  type TransformerRegistryItem,
} from '@grafana/data';
import { JsonEditor, valueEditors, type ValueEditor } from './valueEditors';

const JSON_EDITED = [
  'fieldColor',
  'links',
  'actions',
  'mappings',
  'thresholds',
  'strings',
  'timezone',
  'field-name',
  'dashboard-uid',
  'fieldNameByType',
];

export function initRegistries(): void {
  standardEditorsRegistry.setInit(() => {
    const known = [
      ...Object.entries(valueEditors),
      ...JSON_EDITED.map((id): [string, ValueEditor] => [id, JsonEditor]),
    ];
    return known.map(([id, editor]): StandardEditorsRegistryItem => ({ id, name: id, description: '', editor }));
  });
  standardFieldConfigEditorRegistry.setInit(standardOptions);
  standardTransformersRegistry.setInit(() =>
    Object.values(standardTransformers).map((transformation): TransformerRegistryItem => ({
      id: transformation.id,
      name: transformation.name,
      transformation: () => Promise.resolve(transformation),
      editor: () => null,
      imageDark: '',
      imageLight: '',
    }))
  );
}

type Processor = FieldConfigPropertyItem['process'];
type Extra = Partial<FieldConfigPropertyItem>;

function standardOptions(): FieldConfigPropertyItem[] {
  const numeric: Extra = { shouldApply: (field: Field) => field.type === FieldType.number };
  return [
    option('unit', 'Unit', 'unit', stringOverrideProcessor),
    option('min', 'Min', 'number', numberOverrideProcessor, numeric),
    option('max', 'Max', 'number', numberOverrideProcessor, numeric),
    option('fieldMinMax', 'Field min/max', 'boolean', identityOverrideProcessor, numeric),
    option('decimals', 'Decimals', 'number', numberOverrideProcessor, numeric),
    option('displayName', 'Display name', 'text', displayNameOverrideProcessor),
    option('color', 'Color scheme', 'fieldColor', identityOverrideProcessor, {
      settings: { byValueSupport: true, preferThresholdsMode: true },
    }),
    option('noValue', 'No value', 'text', stringOverrideProcessor),
    option('links', 'Data links', 'links', dataLinksOverrideProcessor, { category: ['Data links'] }),
    option('actions', 'Actions', 'actions', identityOverrideProcessor, { category: ['Actions'] }),
    option('mappings', 'Value mappings', 'mappings', valueMappingsOverrideProcessor, { defaultValue: [] }),
    option('thresholds', 'Thresholds', 'thresholds', thresholdsOverrideProcessor, {
      defaultValue: { mode: ThresholdsMode.Absolute, steps: [{ value: -Infinity, color: 'green' }] },
    }),
    option('filterable', 'Filterable', 'boolean', identityOverrideProcessor),
  ];
}

function option(
  id: string,
  name: string,
  editorId: string,
  process: Processor,
  extra: Extra = {}
): FieldConfigPropertyItem {
  const editor = (valueEditors[editorId] ?? JsonEditor) as FieldConfigPropertyItem['override'];
  return {
    id,
    path: id,
    name,
    description: '',
    editor,
    override: editor,
    process,
    settings: {},
    shouldApply: () => true,
    category: ['Standard options'],
    ...extra,
  };
}
