// The modules that Grafana shares with plugins (public/app/features/plugins/loader/sharedDependencies.ts).
import * as emotionCss from '@emotion/css';
import * as emotionReact from '@emotion/react';
import * as grafanaData from '@grafana/data';
import * as grafanaDataUnstable from '@grafana/data/unstable';
import * as grafanaRuntime from '@grafana/runtime';
import * as grafanaUi from '@grafana/ui';
import i18next from 'i18next';
import lodash from 'lodash';
// eslint-disable-next-line no-restricted-imports -- Grafana shares it with plugins that still ask for it
import moment from 'moment';
import * as react from 'react';
import * as reactDom from 'react-dom';
import * as reactDomClient from 'react-dom/client';
import * as jsxRuntime from 'react/jsx-runtime';
import * as rxjs from 'rxjs';
import * as rxjsOperators from 'rxjs/operators';

export const externals: Readonly<Record<string, object>> = {
  '@emotion/css': emotionCss,
  '@emotion/react': emotionReact,
  '@grafana/data': grafanaData,
  '@grafana/data/unstable': grafanaDataUnstable,
  '@grafana/runtime': grafanaRuntime,
  '@grafana/ui': grafanaUi,
  i18next,
  lodash: { ...lodash, default: lodash, __useDefault: true },
  moment: { default: moment, __useDefault: true },
  react,
  'react-dom': reactDom,
  'react-dom/client': reactDomClient,
  'react/jsx-runtime': jsxRuntime,
  rxjs,
  'rxjs/operators': rxjsOperators,
};
