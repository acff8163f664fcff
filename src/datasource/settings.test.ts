import { readQuery } from './query';
import { DEFAULT_SETTINGS, readIntervalMs, readOptions, readSettings } from './settings';

describe('readSettings', () => {
  it.each([
    ['nothing', undefined, {}],
    ['a text', 'x', {}],
    ['wrong types', { prometheusUid: 7, matchers: null, roleLabel: ['job'] }, {}],
    [
      'what is known, blanks kept where somebody types',
      { prometheusUid: ' p ', matchers: 'a="1", ', other: 1 },
      { prometheusUid: 'p', matchers: 'a="1", ' },
    ],
  ])('%s', (_sentence, stored, expected) => {
    expect(readSettings(stored)).toEqual({ ...DEFAULT_SETTINGS, ...expected });
  });
});

describe('readOptions', () => {
  it.each([
    ['nothing set', {}, {}],
    ['an interval', { scrapeInterval: ' 5s ' }, { intervalMs: 5000 }],
    ['an interval that is none', { scrapeInterval: 'soon' }, {}],
    ['a release', { sglangVersion: ' 0.5.9 ' }, { sglangVersion: '0.5.9' }],
    ['a blank release', { sglangVersion: ' ' }, {}],
    ['a role without label', { rolePrefill: 'p.*' }, {}],
    [
      'a label with roles',
      { roleLabel: 'job', rolePrefill: 'p.*', roleDecode: ' ' },
      { roleMapping: { label: 'job', prefill: 'p.*' } },
    ],
  ])('%s', (_sentence, stored, expected) => {
    expect(readOptions(readSettings(stored))).toEqual(expected);
  });
});

it.each([
  ['15s', 15_000],
  ['500ms', 500],
  ['1m', 60_000],
  ['15', 15_000],
  ['0s', undefined],
  ['-5s', undefined],
  ['5 apples', undefined],
  ['', undefined],
  [15, undefined],
])('interval %s is %s ms', (text, expected) => {
  expect(readIntervalMs(text)).toBe(expected);
});

describe('readQuery', () => {
  const empty = { refId: 'A', hide: false, queryType: 'pipeline', matchers: '', pipeline: '' };
  it.each([
    ['nothing', null, {}],
    ['a query of another data source', { refId: 'B', expr: 'up' }, { refId: 'B' }],
    ['a query type of the future', { queryType: 'forecast' }, {}],
    ['wrong types', { refId: 7, hide: 'yes', matchers: {}, pipeline: [] }, {}],
    [
      'a complete query',
      { ...empty, hide: true, queryType: 'events', pipeline: 'm' },
      { hide: true, queryType: 'events', pipeline: 'm' },
    ],
  ])('%s', (_sentence, stored, expected) => {
    expect(readQuery(stored)).toEqual({ ...empty, ...expected });
  });
});
