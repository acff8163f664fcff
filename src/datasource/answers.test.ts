import { LoadingState } from '@grafana/data';
import { of } from 'rxjs';
import { FakePrometheus, install, ours, frame, gauge, ask } from '../testing/fakePrometheus';

describe('answers for other panels', () => {
  beforeEach(() =>
    install(
      new FakePrometheus(({ targets }) => of({ data: [gauge(targets[2]?.refId), gauge(targets[2]?.refId, 'prefill')] }))
    )
  );

  it.each(['hypotheses', 'stages', 'events', 'timeline'] as const)(
    '%s come as tables named after their pipeline',
    async (queryType) => {
      const { data, state } = await ask(ours(), { refId: 'A', queryType });
      expect(state).toBe(LoadingState.Done);
      expect(data.length).toBeGreaterThan(0);
      expect(data.every(({ refId, name }) => refId === 'A' && typeof name === 'string')).toBe(true);
    }
  );

  it('are cut down to the wanted pipeline', async () => {
    expect(
      (await ask(ours(), { refId: 'A', queryType: 'stages', pipeline: 'no such' })).data.filter(
        ({ length }) => length > 0
      )
    ).toEqual([]);
  });

  it('wait for the data', async () => {
    install(new FakePrometheus(() => of({ data: [gauge()], state: LoadingState.Loading })));
    expect(await ask(ours(), { refId: 'A', queryType: 'stages' })).toEqual({ data: [], state: LoadingState.Loading });
  });

  it('carry problems with the data as notices, even when there is no table', async () => {
    install(new FakePrometheus(() => of({ data: [frame('A.up', {})] })));
    const { data } = await ask(ours(), { refId: 'A', queryType: 'events' });
    expect(data[0].meta.notices[0].text).toMatch(/metric name/);
  });
});
