import { AppPlugin } from '@grafana/data';
import { ConfigPage } from './ConfigPage';

export const plugin = new AppPlugin().addConfigPage({
  id: 'start',
  title: 'Getting started',
  icon: 'rocket',
  body: ConfigPage,
});
