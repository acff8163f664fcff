import { fireEvent, render, screen } from '@testing-library/react';
import React from 'react';
import { ConfigEditor } from './ConfigEditor';
import { install, instance, ours } from '../testing/fakePrometheus';
import { isPrometheus } from './delegate';
import { QueryEditor } from './QueryEditor';
import type { PipelineSettings } from './settings';

// jsdom draws nothing, but the select measures its text.
Object.assign(HTMLCanvasElement.prototype, { getContext: () => ({ measureText: () => ({ width: 0 }) }) });

beforeEach(() => install());

describe('QueryEditor', () => {
  const show = (query: object): { onChange: jest.Mock; onRunQuery: jest.Mock } => {
    const handlers = { onChange: jest.fn(), onRunQuery: jest.fn() };
    render(<QueryEditor datasource={ours()} query={{ refId: 'A', ...query }} {...handlers} />);
    return handlers;
  };

  it('keeps what it does not know of a stored query', () => {
    const { onChange } = show({ other: 1 });
    fireEvent.change(screen.getByPlaceholderText('namespace="$namespace"'), { target: { value: 'a="1"' } });
    expect(onChange).toHaveBeenCalledWith({ refId: 'A', other: 1, matchers: 'a="1"' });
  });

  it('runs on Enter and when the field is left, not on every key', () => {
    const { onRunQuery } = show({});
    const input = screen.getByPlaceholderText('namespace="$namespace"');
    fireEvent.keyDown(input, { key: 'a' });
    expect(onRunQuery).not.toHaveBeenCalled();
    fireEvent.keyDown(input, { key: 'Enter' });
    fireEvent.blur(input);
    expect(onRunQuery).toHaveBeenCalledTimes(2);
  });

  it('says what is wrong with the matchers', () => {
    show({ matchers: 'a=b' });
    expect(screen.getByText('Put the value of "a" in quotes: a="…".')).toBeInTheDocument();
  });

  it('asks for a pipeline only where it is used', () => {
    show({ queryType: 'events' });
    expect(screen.getByPlaceholderText('all')).toBeInTheDocument();
  });

  it('shows a broken stored query as a new one', () => {
    show({ queryType: 7, matchers: {} });
    expect(screen.getByDisplayValue('Pipeline')).toBeInTheDocument();
    expect(screen.queryByPlaceholderText('all')).toBeNull();
  });
});

describe('ConfigEditor', () => {
  const base = { id: 1, uid: 'own', orgId: 1, name: 'PD Flow', type: '', typeName: '', typeLogoUrl: '', url: '' };
  const auth = { access: 'proxy', user: '', database: '', basicAuth: false, basicAuthUser: '', withCredentials: false };
  const settings = { ...base, ...auth, isDefault: false, secureJsonFields: {} };
  const show = (jsonData: PipelineSettings, readOnly = false): jest.Mock => {
    const onOptionsChange = jest.fn();
    render(<ConfigEditor options={{ ...settings, jsonData, readOnly }} onOptionsChange={onOptionsChange} />);
    return onOptionsChange;
  };

  it('changes one setting and keeps the others', () => {
    const onOptionsChange = show({ prometheusUid: 'prom' });
    fireEvent.change(screen.getByLabelText(/^Scrape interval/), { target: { value: '5s' } });
    expect(onOptionsChange.mock.calls[0][0].jsonData).toEqual({ prometheusUid: 'prom', scrapeInterval: '5s' });
  });

  it('says what cannot be used', () => {
    show({ matchers: 'a=', scrapeInterval: 'soon', sglangVersion: 'newest', roleLabel: 'my label', roleDecode: 'd(' });
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
      'Put the value of "a" in quotes: a="…".',
      'Write a duration such as 5s or 1m.',
      'Write a release such as 0.5.9.',
      'Write the name of one label, such as job.',
      'This is not a regular expression.',
    ]);
  });

  it('complains about nothing when nothing is set', () => {
    show({});
    expect(screen.queryAllByRole('alert')).toEqual([]);
  });

  it('is locked when provisioned', () => {
    show({}, true);
    expect(screen.getByLabelText(/^Label matchers/)).toBeDisabled();
  });
});

it.each([
  ['prometheus', true],
  ['grafana-amazonprometheus-datasource', true],
  ['grafana-azureprometheus-datasource', true],
  ['victoriametrics-metrics-datasource', true],
  ['loki', false],
  ['pdflow-pipeline-datasource', false],
])('%s can be chosen: %s', (type, expected) => {
  expect(isPrometheus(instance(type, 'x', {}))).toBe(expected);
});
