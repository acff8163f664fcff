import { dateTime, FieldType, LoadingState, type DataFrame, type DataSourceInstanceSettings } from '@grafana/data';
import { getDataSourceSrv, setDataSourceSrv } from '@grafana/runtime';
import { firstValueFrom, lastValueFrom, NEVER, Observable, of, toArray } from 'rxjs';
import { readFrames } from '../frames/readFrames';
import { queryPlan } from '../pipeline';
import { TO, FakePrometheus, install, instance, ours, request, frame, gauge, ask } from '../testing/fakePrometheus';

describe('asking Prometheus', () => {
  it('sends one request per query with all planned queries as range targets of their own refId', async () => {
    const prometheus = new FakePrometheus(() => of({ data: [] }));
    install(prometheus);
    await ask(ours(), { refId: 'A' }, { refId: 'B', matchers: 'a="b"' }, { refId: 'C', hide: true });
    expect(prometheus.asked.map(({ requestId }) => requestId)).toEqual(['Q100.A', 'Q100.B']);
    const targets = prometheus.asked[0]?.targets ?? [];
    expect(targets.map(({ refId }) => refId)).toEqual(queryPlan({}).map(({ id }) => `A.${id}`));
    expect(targets[0]).toMatchObject({
      range: true,
      instant: false,
      format: 'time_series',
      datasource: { uid: 'prom' },
    });
  });

  it('joins the matchers of data source and query, leaves variables to Prometheus, passes ad hoc filters on', async () => {
    const prometheus = new FakePrometheus(() => of({ data: [] }));
    install(prometheus);
    const filters = [{ key: 'job', operator: '=', value: 'x' }];
    const source = ours({ prometheusUid: 'prom', matchers: '{cluster="eu"}' });
    await lastValueFrom(source.query(request([{ refId: 'A', matchers: 'namespace=~"$ns",' }], { filters })));
    // A canary has labels of its own.
    const engines = prometheus.asked[0]?.targets.filter(({ refId }) => refId !== 'A.canary') ?? [];
    expect(engines.length).toBeGreaterThan(0);
    expect(engines.filter(({ expr }) => !expr.includes('cluster="eu", namespace=~"$ns"'))).toEqual([]);
    expect(prometheus.asked[0]?.filters).toBe(filters);
  });

  it('follows a data source variable', async () => {
    const prometheus = new FakePrometheus(() => of({ data: [] }));
    install(prometheus);
    await ask(ours({ prometheusUid: '${prometheus}' }), { refId: 'A' });
    expect(prometheus.asked).toHaveLength(1);
  });

  it('asks in steps of one scrape, however few points the panel has room for', async () => {
    const prometheus = new FakePrometheus(() => of({ data: [] }));
    install(prometheus);
    const narrow = request([{ refId: 'A' }], { maxDataPoints: 100, intervalMs: 30_000 });
    await lastValueFrom(ours({ prometheusUid: 'prom', scrapeInterval: '5s' }).query(narrow));
    expect(prometheus.asked[0]).toMatchObject({ intervalMs: 5000, interval: '5s', maxDataPoints: 720 });
    expect(prometheus.asked[0]?.targets[0]?.interval).toBe('5s');
  });

  it('asks in the scrape interval of the Prometheus that a variable chooses for this request', async () => {
    const prometheus = new FakePrometheus(() => of({ data: [] }));
    install(prometheus);
    const getInstanceSettings = (ref: unknown): DataSourceInstanceSettings | undefined =>
      JSON.stringify(ref) === '{"uid":"prom"}'
        ? instance('prometheus', 'prom', Object.fromEntries([['timeInterval', '5s']]))
        : undefined;
    setDataSourceSrv({ ...getDataSourceSrv(), getInstanceSettings });
    const source = ours({ prometheusUid: '${chosen}' });
    expect(source.interval).toBe('15s');
    const scopedVars = { chosen: { text: 'Prom', value: 'prom' } };
    await lastValueFrom(source.query(request([{ refId: 'A' }], { scopedVars })));
    expect(prometheus.asked[0]?.targets[0]?.interval).toBe('5s');
  });

  it('stops the request to Prometheus when nobody listens any more', () => {
    let stopped = 0;
    install(new FakePrometheus(() => new Observable(() => () => (stopped += 1))));
    const subscription = ours()
      .query(request([{ refId: 'A' }]))
      .subscribe();
    return Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => subscription.unsubscribe())
      .then(() => expect(stopped).toBe(1));
  });

  it('sends nothing when every query is hidden', async () => {
    const prometheus = new FakePrometheus(() => NEVER);
    install(prometheus);
    expect(await ask(ours(), { refId: 'A', hide: true })).toEqual({ data: [] });
  });
});

describe('frames of Prometheus as ours', () => {
  it('carry our refId, the panel, the planned query and the options', async () => {
    install(new FakePrometheus(async () => ({ data: [gauge()] })));
    const settings = { prometheusUid: 'prom', scrapeInterval: '15s', roleLabel: 'job', roleDecode: 'd.*' };
    const { data, state } = await ask(ours(settings), { refId: 'A' });
    expect(state).toBe(LoadingState.Done);
    expect(data[0]).toMatchObject({
      refId: 'A',
      meta: {
        preferredVisualisationPluginId: 'pdflow-pipeline-panel',
        custom: {
          pdflow: {
            version: 1,
            planned: 'gauges',
            options: { intervalMs: 15_000, roleMapping: { label: 'job', decode: 'd.*' } },
          },
        },
      },
    });
    expect(data[0].fields[1].config.displayNameFromDS).toMatch(
      /^sglang:num_running_reqs\{engine_type="decode", instance=/
    );
  });

  it('get back the metric name that PromQL dropped', async () => {
    const planned = queryPlan({}).find(({ name }) => name !== undefined);
    install(new FakePrometheus(() => of({ data: [frame(`A.${planned?.id}`, { instance: 'd:1' })] })));
    const { data } = await ask(ours(), { refId: 'A' });
    expect(readFrames(data).series[0]?.labels).toEqual({ __name__: planned?.name, instance: 'd:1' });
  });

  it('do not claim the set scrape interval where the steps are longer', async () => {
    install(new FakePrometheus(() => of({ data: [gauge()] })));
    const range = { from: dateTime(TO - 7 * 86_400_000), to: dateTime(TO) };
    const week = request([{ refId: 'A' }], { range: { ...range, raw: range }, intervalMs: 600_000 });
    const { data } = await lastValueFrom(ours({ prometheusUid: 'prom', scrapeInterval: '5s' }).query(week));
    expect(readFrames(data).options).toEqual({});
  });

  it('keep the notices of Prometheus', async () => {
    const notices = [{ severity: 'warning', text: 'results truncated' }] as const;
    install(new FakePrometheus(() => of({ data: [{ ...gauge(), meta: { notices: [...notices] } }] })));
    expect((await ask(ours(), { refId: 'A' })).data[0].meta.notices).toEqual(notices);
  });

  it('of several packets are put together by key', async () => {
    const packets = [
      { key: 'a', data: [gauge()], state: LoadingState.Loading },
      { key: 'b', data: [gauge(undefined, 'prefill')], state: LoadingState.Loading },
      { key: 'a', data: [gauge(), gauge(undefined, 'unified')], state: LoadingState.Done },
    ];
    install(new FakePrometheus(() => of(...packets)));
    const responses = await lastValueFrom(
      ours()
        .query(request([{ refId: 'A' }]))
        .pipe(toArray())
    );
    expect(responses.map(({ data }) => data.length)).toEqual([1, 2, 3]);
    expect(responses.map(({ state }) => state)).toEqual([
      LoadingState.Loading,
      LoadingState.Loading,
      LoadingState.Loading,
    ]);
  });
});

describe('helpers of dashboards', () => {
  it('variables and ad hoc labels are asked of Prometheus, with queries that it understands', async () => {
    install(new FakePrometheus(() => NEVER));
    expect(await ours().metricFindQuery('label_values(job)')).toEqual([{ text: 'found label_values(job)' }]);
    expect((await ours().getTagKeys({ filters: [], queries: [{ refId: 'A' }] })).map(({ text }) => text)).toContain(
      'tags.gauges'
    );
    expect(await ours().getTagValues({ key: 'job', filters: [] })).toEqual([]);
    expect(await ours({}).getTagKeys()).toEqual([]);
    expect(await ours({}).metricFindQuery('x')).toEqual([]);
  });

  it('a query that leaves its dashboard takes the values of its variables along', () => {
    const filters = [{ key: 'pod', operator: '=|', value: '', values: ['a.b', 'c'] }];
    const [query] = ours().interpolateVariablesInQueries(
      [{ refId: 'A', matchers: 'ns=~"$ns", x="$one"' }],
      {},
      filters
    );
    expect(query?.matchers).toBe('ns=~"(a\\\\.b|c\\"d)", x="x", pod=~"a\\\\.b|c"');
  });

  it('events become annotations, the others are left out', async () => {
    const { annotations } = ours();
    const anno = { name: 'x', enable: true, iconColor: 'red', target: { refId: 'Z', matchers: 'a="b"' } };
    expect(annotations.prepareQuery?.(anno)).toMatchObject({ refId: 'Anno', queryType: 'events', matchers: 'a="b"' });
    const kinds = ['abort-burst', 'gauge-stale', 'recovery'];
    const events: DataFrame = {
      length: 3,
      fields: [
        { name: 'time', type: FieldType.time, config: {}, values: [1, 2, 3] },
        { name: 'kind', type: FieldType.string, config: {}, values: kinds },
        { name: 'text', type: FieldType.string, config: {}, values: ['8 aborts', 'x', 'Recovered'] },
        { name: 'pipeline', type: FieldType.string, config: {}, values: ['m', 'm', 'm'] },
      ],
    };
    const found = await firstValueFrom(annotations.processEvents?.(anno, [events]) ?? NEVER);
    expect(found).toEqual([
      { time: 1, title: 'Abort burst', text: '8 aborts', color: '#E69F00', tags: ['abort-burst', 'm'] },
      { time: 3, title: 'Recovery', text: 'Recovered', color: '#56B4E9', tags: ['recovery', 'm'] },
    ]);
  });
});
