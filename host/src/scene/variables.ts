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
    const variable = readVariable(model);
    if (variable === undefined) {
      console.warn(`Variable ${model.name}: type "${model.type}" is not supported by the embedded host.`);
    }
    return variable ?? [];
  });
}

function readVariable(model: VariableModel): SceneVariable | undefined {
  const { name, hide } = model;
  const common = {
    name,
    label: model.label ?? undefined,
    hide,
    value: model.current?.value,
    text: model.current?.text,
  };
  const many = { isMulti: model.multi, includeAll: model.includeAll, allValue: model.allValue ?? undefined };
  const query = typeof model.query === 'string' ? model.query : '';
  switch (model.type) {
    case 'custom':
      return new CustomVariable({ ...common, ...many, query });
    case 'query':
      return new QueryVariable({
        ...common,
        ...many,
        query: queryOf(model),
        datasource: model.datasource,
        regex: model.regex,
        sort: model.sort,
        refresh: model.refresh,
      });
    case 'datasource':
      return new DataSourceVariable({ ...common, ...many, pluginId: query, regex: model.regex ?? '' });
    case 'interval':
      return new IntervalVariable({ name, hide, intervals: query.split(',').map((part) => part.trim()) });
    case 'textbox':
      return new TextBoxVariable({ name, hide, label: common.label, value: query });
    case 'constant':
      return new ConstantVariable({ name, hide, value: query });
    case 'adhoc':
      return new AdHocFiltersVariable({ name, hide, datasource: model.datasource, filters: [], applyMode: 'auto' });
    default:
      return undefined;
  }
}

/** A query variable keeps either text or its data source's own query object. */
function queryOf({ query }: VariableModel): string | SceneDataQuery {
  return typeof query === 'object' ? { refId: 'variable', ...query } : (query ?? '');
}
