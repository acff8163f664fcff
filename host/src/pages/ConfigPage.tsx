import { css } from '@emotion/css';
import React, { useState, type ComponentType, type JSX } from 'react';
import type { DataSourceInstanceSettings, DataSourcePluginOptionsEditorProps, DataSourceSettings } from '@grafana/data';
import { Alert, Button, type AlertVariant } from '@grafana/ui';
import type { HostDataSourceSrv } from '../services/dataSourceSrv';
import { isRecord, wordError } from '../unknown';
import { usePlugin } from './usePlugin';

interface Outcome {
  severity: AlertVariant;
  text: string;
}

/** The config editor with the real instance; "Save & test" builds an instance of the edited settings, as Grafana does. */
export function ConfigPage({
  dataSources,
  settings,
}: {
  dataSources: HostDataSourceSrv;
  settings: DataSourceInstanceSettings;
}): JSX.Element {
  const plugin = usePlugin(dataSources, settings);
  const [options, setOptions] = useState(() => editable(settings));
  const [outcome, setOutcome] = useState<Outcome>();
  const Editor = plugin?.components.ConfigEditor as ComponentType<DataSourcePluginOptionsEditorProps> | undefined;

  const test = async (): Promise<void> => {
    try {
      const instance = await dataSources.create({ ...settings, name: options.name, jsonData: options.jsonData });
      setOutcome(readOutcome(await instance.testDatasource()));
    } catch (error) {
      setOutcome({ severity: 'error', text: wordError(error) });
    }
  };

  return (
    <main className={style} data-testid="host-config-page">
      <h2>{settings.name}: data source settings</h2>
      {Editor && <Editor options={options} onOptionsChange={setOptions} />}
      <Button className={css({ margin: '16px 0' })} onClick={() => void test()}>
        Save & test
      </Button>
      {outcome && (
        <div data-testid="host-test-result">
          <Alert severity={outcome.severity} title={outcome.text} />
        </div>
      )}
    </main>
  );
}

function readOutcome(result: unknown): Outcome {
  const { status, message } = isRecord(result) ? result : {};
  return { severity: status === 'success' ? 'success' : 'error', text: String(message ?? status ?? 'no answer') };
}

function editable(settings: DataSourceInstanceSettings): DataSourceSettings {
  return {
    id: settings.id ?? 0,
    uid: settings.uid,
    orgId: 1,
    name: settings.name,
    typeLogoUrl: '',
    type: settings.type,
    typeName: settings.meta.name,
    access: 'proxy',
    url: settings.url ?? '',
    user: '',
    database: '',
    basicAuth: false,
    basicAuthUser: '',
    isDefault: settings.isDefault ?? false,
    jsonData: settings.jsonData,
    secureJsonFields: {},
    readOnly: false,
    withCredentials: false,
  };
}

const style = css({ padding: 24, maxWidth: 900 });
