import {
  FieldType,
  LoadingState,
  type DataFrame,
  type DataQueryResponse,
  type DataSourceApi,
  type TestDataSourceResponse,
} from '@grafana/data';
import { of, throwError } from 'rxjs';
import { FakePrometheus, install, ours, frame } from '../testing/fakePrometheus';

describe('health check', () => {
  const check = (source?: DataSourceApi, settings?: object): Promise<TestDataSourceResponse> => {
    install(...(source ? [source] : []));
    return ours(settings).testDatasource();
  };
  const side = (role: string): DataFrame[] => {
    const labels = { instance: `${role}:1`, job: role, engine_type: role, model_name: 'm', tp_rank: '0' };
    const now = Date.now();
    return ['sglang:num_running_reqs', 'sglang:num_queue_reqs'].map((name) => {
      const one = frame('health.gauges', { __name__: name, ...labels }, [0, 0, 0]);
      return {
        ...one,
        fields: one.fields.map((field) =>
          field.type === FieldType.time ? { ...field, values: [now - 30_000, now - 15_000, now] } : field
        ),
      };
    });
  };

  it('says that no data source is chosen', async () => {
    expect(await check(undefined, {})).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/^No Prometheus data source is chosen/),
    });
  });

  it('says that Prometheus cannot be reached', async () => {
    const result = await check(
      new FakePrometheus(() => throwError(() => ({ status: 502, statusText: 'Bad Gateway' })))
    );
    expect(result).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/Name of prom could not answer: Bad Gateway\. Open/),
    });
  });

  it('says that Prometheus has no SGLang series, and how to get them', async () => {
    const result = await check(new FakePrometheus(() => of({ data: [] })));
    expect(result).toMatchObject({
      status: 'error',
      message: expect.stringMatching(/No SGLang series.*--enable-metrics/),
    });
  });

  it('says which side is missing', async () => {
    const result = await check(new FakePrometheus(() => of({ data: side('prefill') })));
    expect(result.status).toBe('warning');
    expect(result.message).toMatch(/has no decode engine\. Check that Prometheus scrapes the decode servers/);
  });

  it('names the metrics that were found and those that were not', async () => {
    const result = await check(new FakePrometheus(() => of({ data: [...side('prefill'), ...side('decode')] })));
    expect(result.message).toMatch(/^Prometheus answers with 4 series of 1 pipeline\./);
    expect(result.message).toMatch(
      / 2 expected metrics found\. Not seen: sglang:\w+, .* and \d+ more\. .*--enable-metrics/
    );
    expect(result.details?.verboseMessage).toMatch(/^m: found sglang:num_running_reqs.*; not seen sglang:/);
  });

  it('tells a metric that the release does not have from one that is missing', async () => {
    const all = of({ data: [...side('prefill'), ...side('decode')] });
    const result = await check(new FakePrometheus(() => all), { prometheusUid: 'prom', sglangVersion: '0.5.9' });
    expect(result.message).toMatch(
      /Not in the SGLang release of the engines, but since: sglang:kv_transfer_latency_ms_count \(0\.5\.10\)\.$/
    );
  });

  it('does not pretend to test what depends on a dashboard', async () => {
    expect(await check(undefined, { prometheusUid: '${prometheus}' })).toMatchObject({ status: 'info' });
  });

  it('waits until a streaming data source has finished', async () => {
    const packets: DataQueryResponse[] = [{ data: [], state: LoadingState.Loading }, { data: side('prefill') }];
    expect((await check(new FakePrometheus(() => of(...packets)))).status).toBe('warning');
  });
});
