import { DataSourcePlugin } from '@grafana/data';
import { ConfigEditor } from './ConfigEditor';
import { PipelineDataSource } from './PipelineDataSource';
import type { PipelineQuery } from './query';
import { QueryEditor } from './QueryEditor';
import type { PipelineSettings } from './settings';

export const plugin = new DataSourcePlugin<PipelineDataSource, PipelineQuery, PipelineSettings>(PipelineDataSource)
  .setConfigEditor(ConfigEditor)
  .setQueryEditor(QueryEditor);
