import {
  AdHocFiltersVariable,
  ConstantVariable,
  CustomVariable,
  DataSourceVariable,
  IntervalVariable,
  QueryVariable,
  TextBoxVariable,
  type SceneDataQuery,
  type SceneVariable,
} from '@grafana/scenes';
import type { VariableModel } from '@grafana/schema';

/** Dashboard JSON variables as scene variables; an unknown type is left out and named on the console. */
export function readVariables(models: VariableModel[]): SceneVariable[] {
  return models.flatMap((model) => {
    const variable = READERS[model.type]?.(model);
    if (variable === undefined) {
      console.warn(`Variable ${model.name}: type "${model.type}" is not supported by the embedded host.`);
    }
    return variable ?? [];
  });
}

type Reader = (model: VariableModel) => SceneVariable;

const READERS: Readonly<Record<string, Reader>> = {
  custom: (model) => new CustomVariable({ ...common(model), ...many(model), query: textOf(model) }),
  query: (model) => new QueryVariable({ ...common(model), ...many(model), ...queryFields(model) }),
  datasource: (model) =>
    new DataSourceVariable({ ...common(model), ...many(model), pluginId: textOf(model), regex: model.regex ?? '' }),
  interval: ({ name, hide, ...model }) =>
    new IntervalVariable({
      name,
      hide,
      intervals: textOf(model)
        .split(',')
        .map((part) => part.trim()),
    }),
  textbox: (model) => new TextBoxVariable({ name: model.name, hide: model.hide, value: textOf(model) }),
  constant: (model) => new ConstantVariable({ name: model.name, hide: model.hide, value: textOf(model) }),
  adhoc: ({ name, hide, datasource }) =>
    new AdHocFiltersVariable({ name, hide, datasource, filters: [], applyMode: 'auto' }),
};

function common({ name, hide, label, current }: VariableModel) {
  return { name, hide, label: label ?? undefined, value: current?.value, text: current?.text };
}

function many({ multi, includeAll, allValue }: VariableModel) {
  return { isMulti: multi, includeAll, allValue: allValue ?? undefined };
}

function queryFields({ datasource, regex, sort, refresh, query }: VariableModel) {
  return { datasource, regex, sort, refresh, query: queryOf(query) };
}

function textOf({ query }: Pick<VariableModel, 'query'>): string {
  return typeof query === 'string' ? query : '';
}

/** A query variable keeps either text or its data source's own query object. */
function queryOf(query: VariableModel['query']): string | SceneDataQuery {
  return typeof query === 'object' ? { refId: 'variable', ...query } : (query ?? '');
}
