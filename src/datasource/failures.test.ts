import { LoadingState, type DataSourceApi } from '@grafana/data';
import { getDataSourceSrv, setDataSourceSrv } from '@grafana/runtime';
import { of, throwError } from 'rxjs';
import { OWN_TYPE, FakePrometheus, install, ours, gauge, ask } from '../testing/fakePrometheus';

describe('what goes wrong is said with a next step', () => {
  const fails = (error: unknown): FakePrometheus => new FakePrometheus(() => throwError(() => error));
  const partial = {
    data: [gauge()],
    errors: [{ refId: 'A.router', message: 'execution: query timed out', status: 503 }],
  };
  const twice = ['A.edges', 'A.up'].map((refId) => ({ refId, message: 'bad_data: 1:7: parse error', status: 400 }));

  it.each<[string, object, DataSourceApi | undefined, RegExp]>([
    ['no data source chosen', {}, undefined, /^No Prometheus data source is chosen\. Choose one in the settings/],
    ['a deleted data source', { prometheusUid: 'gone' }, undefined, /\(gone\) does not exist.* Choose another one/],
    ['a variable without value', { prometheusUid: '$nope' }, undefined, /variable \$nope.* Add a data source variable/],
    ['broken matchers', { prometheusUid: 'prom', matchers: 'a=b' }, undefined, /Put the value of "a" in quotes/],
    [
      'no permission',
      { prometheusUid: 'prom' },
      fails({ status: 403, data: { message: 'Access denied' } }),
      /Access denied\. Ask an administrator/,
    ],
    [
      'a gateway that gave up',
      { prometheusUid: 'prom' },
      fails({ status: 504, statusText: 'Gateway Timeout' }),
      /Gateway Timeout\. Shorten the time range/,
    ],
    [
      'no connection',
      { prometheusUid: 'prom' },
      fails(new TypeError('Failed to fetch')),
      /Failed to fetch\. Open Name of prom under/,
    ],
    ['a thrown text', { prometheusUid: 'prom' }, fails('boom'), /boom\. Try the query in Explore/],
    [
      'a promise that rejects',
      { prometheusUid: 'prom' },
      new FakePrometheus(() => Promise.reject({ status: 429, message: 'too many requests' })),
      /Wait a little/,
    ],
    ['a query that throws at once', { prometheusUid: 'prom' }, new FakePrometheus(() => { throw new Error('bug'); }), /bug/], // prettier-ignore
  ])('%s', async (_sentence, settings, source, message) => {
    install(...(source ? [source] : []));
    const response = await ask(ours(settings), { refId: 'A' });
    expect(response).toMatchObject({ data: [], state: LoadingState.Error, errors: [{ refId: 'A' }] });
    expect(response.errors?.[0]?.message).toMatch(message);
  });

  it('ourselves, which would call in circles', async () => {
    setDataSourceSrv({
      ...getDataSourceSrv(),
      get: async () => JSON.parse(JSON.stringify({ type: OWN_TYPE, name: 'PD Flow 2' })),
    });
    const { errors } = await ask(ours(), { refId: 'A' });
    expect(errors?.[0]?.message).toMatch(
      /PD Flow 2\) is a PD Flow data source, which would ask itself\. Choose a Prometheus/
    );
  });

  it('keeps the data that did arrive', async () => {
    install(new FakePrometheus(() => of(partial)));
    const { data, errors, state } = await ask(ours(), { refId: 'A' });
    expect(data).toHaveLength(1);
    expect(state).toBe(LoadingState.Error);
    expect(errors?.[0]).toMatchObject({ refId: 'A', status: 503 });
    expect(errors?.[0]?.message).toMatch(/timed out\. Shorten the time range/);
  });

  it('tells the same failure of several planned queries once', async () => {
    install(new FakePrometheus(() => of({ data: [], errors: twice })));
    expect((await ask(ours(), { refId: 'A' })).errors).toHaveLength(1);
  });

  it('reads the single error of older data sources', async () => {
    install(new FakePrometheus(() => of({ data: [], error: { message: 'Unauthorized', status: 401 } })));
    expect((await ask(ours(), { refId: 'A' })).errors?.[0]?.message).toMatch(/permission/);
  });

  it('one broken query does not take its neighbour down', async () => {
    install(new FakePrometheus(() => of({ data: [gauge('B.gauges')] })));
    const { data, errors } = await ask(ours(), { refId: 'A', matchers: 'a=' }, { refId: 'B' });
    expect(data.map(({ refId }) => refId)).toEqual(['B']);
    expect(errors?.map(({ refId }) => refId)).toEqual(['A']);
  });
});
