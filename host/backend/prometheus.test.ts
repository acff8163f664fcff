import { apiAddress } from './prometheus';

describe('the address of a call of the API', () => {
  it.each([
    ['a query', 'http://p:9090', 'api/v1/query', 'http://p:9090/api/v1/query'],
    ['below a path prefix', 'http://p/prom', 'api/v1/labels', 'http://p/prom/api/v1/labels'],
    [
      'a label with a sign of addresses',
      'http://p',
      'api/v1/label/a?b#c/values',
      'http://p/api/v1/label/a%3Fb%23c/values',
    ],
  ])('%s', (_sentence, prometheus, path, expected) => {
    expect(apiAddress(prometheus, path)?.href).toBe(expected);
  });

  it.each([
    ['something else of Prometheus', '-/quit'],
    ['dots', 'api/v1/../../-/quit'],
    ['escaped dots', 'api/v1/%2e%2e/%2E./-/quit'],
    ['backslashes', 'api/v1/..\\..\\-\\quit'],
    ['another host', '@elsewhere/api/v1/query'],
    ['another API', 'api/v2/query'],
  ])('%s leads nowhere', (_sentence, path) => {
    expect(apiAddress('http://p:9090', path)).toBeUndefined();
  });
});
