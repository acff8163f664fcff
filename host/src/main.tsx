import React from 'react';
import { createRoot } from 'react-dom/client';
import { createTheme } from '@grafana/data';
import { initPluginTranslations } from '@grafana/i18n';
import { config } from '@grafana/runtime';
import { App } from './App';
import { initRegistries } from './editors/registries';
import { readPageParams } from './links';
import { importPlugin, initLoader } from './loader';
import { initServices } from './services/services';
import { wordError } from './unknown';

async function main(): Promise<void> {
  const theme = createTheme({ colors: { mode: readPageParams().theme } });
  config.theme2 = theme;
  await initPluginTranslations('pdflow-host', []);
  initRegistries();
  const dataSources = initServices();
  initLoader(); // copies the runtime's values, so it comes after the services are set
  await Promise.all(Object.values(config.apps).map(({ path }) => importPlugin(path)));
  createRoot(rootElement()).render(<App theme={theme} dataSources={dataSources} />);
}

function rootElement(): HTMLElement {
  return document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
}

main().catch((error: unknown) => {
  console.error(error);
  rootElement().textContent = `The embedded host could not start: ${wordError(error)}`;
});
