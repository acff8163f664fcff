import { readServer } from './server';

describe('readServer', () => {
  it.each([
    ['a bare host', 'http://prom:9090', 'http://prom:9090/api/v1/query_range'],
    ['a slash at the end', 'http://prom:9090//', 'http://prom:9090/api/v1/query_range'],
    ['a path before the API', 'https://mimir/prometheus/', 'https://mimir/prometheus/api/v1/query_range'],
    ['parameters of a proxy', 'http://thanos/?dedup=true#x', 'http://thanos/api/v1/query_range?dedup=true'],
  ])('%s', (_sentence, address, queryUrl) => {
    expect(readServer(address, []).queryUrl).toBe(queryUrl);
  });

  it('sends credentials of the address as basic auth and shows them nowhere', () => {
    // "anna:s3c/ret" in base64.
    expect(readServer('http://anna:s3c%2Fret@prom:9090/x', [])).toEqual({
      queryUrl: 'http://prom:9090/x/api/v1/query_range',
      shownUrl: 'http://prom:9090/x',
      headers: [['Authorization', 'Basic YW5uYTpzM2MvcmV0']],
    });
  });

  it('takes a password with a lone percent sign as it is', () => {
    // "u:50%" in base64.
    expect(readServer('http://u:50%@prom', []).headers).toEqual([['Authorization', 'Basic dTo1MCU=']]);
  });

  it('prefers a header given by hand', () => {
    const { headers } = readServer('http://u:p@prom', ['authorization:  Bearer a:b ', 'X-Scope-OrgID: 7']);
    expect(headers).toEqual([
      ['authorization', 'Bearer a:b'],
      ['X-Scope-OrgID', '7'],
    ]);
  });

  it.each([
    ['no address', undefined, [], '--prometheus URL is needed'],
    ['no scheme', 'localhost:9090', [], 'http://'],
    ['another scheme', 'ftp://prom', [], 'http://'],
    ['no colon in a header', 'http://prom', ['Bearer x'], 'Name: value'],
    ['a second line in a header', 'http://prom', ['A: b\r\nC: d'], 'Name: value'],
    ['a header without a name', 'http://prom', [': b'], 'Name: value'],
  ])('refuses %s', (_sentence, address, headers, message) => {
    expect(() => readServer(address, headers)).toThrow(message);
  });

  it('does not repeat an address that it refuses: it may hold a password', () => {
    expect(() => readServer('htp://u:secret@prom', [])).toThrow(/^((?!secret).)*$/);
  });
});
