import { CoreApp, dateTime, type DataQueryResponse } from '@grafana/data';
import { lastValueFrom, Observable, of, Subject } from 'rxjs';
import { ask, FakePrometheus, gauge, install, ours, request, TO } from '../testing/fakePrometheus';
import { keyOf, SharedRequests, type Asked } from './shared';

const ANSWER: DataQueryResponse = { data: [] };

/** One place to join; the request is running as long as its answer is observed. */
class Place {
  started = 0;
  readonly answer = new Subject<DataQueryResponse>();
  private readonly requests = new SharedRequests();

  join(key = 'k'): Observable<DataQueryResponse> {
    return this.requests.join(key, () => {
      this.started += 1;
      return this.answer;
    });
  }
}

describe('a request that is running', () => {
  it('is joined by those who ask the same, and by nobody else', () => {
    const place = new Place();
    const seen: string[] = [];
    place.join().subscribe(() => seen.push('first'));
    place.join().subscribe(() => seen.push('second'));
    place.join('other').subscribe();
    expect(place.started).toBe(2);
    place.answer.next(ANSWER);
    expect(seen).toEqual(['first', 'second']);
  });

  it('gives a late one what has come so far', () => {
    const place = new Place();
    place.join().subscribe();
    place.answer.next(ANSWER);
    const late = jest.fn();
    place.join().subscribe(late);
    expect(late).toHaveBeenCalledWith(ANSWER);
  });

  it('goes on while one still listens, is cancelled with the last, and is asked anew after that', () => {
    const place = new Place();
    const [first, second] = [place.join().subscribe(), place.join().subscribe()];
    first.unsubscribe();
    expect(place.answer.observed).toBe(true);
    second.unsubscribe();
    expect(place.answer.observed).toBe(false);
    place.join().subscribe();
    expect(place.started).toBe(2);
  });

  it('that breaks breaks for all, and is asked anew', () => {
    const place = new Place();
    const failed = jest.fn();
    place.join().subscribe({ error: failed });
    place.join().subscribe({ error: failed });
    place.answer.error('broken');
    expect(failed).toHaveBeenCalledTimes(2);
    place.join().subscribe({ error: failed });
    expect(place.started).toBe(2);
  });
});

describe('a request that has been answered', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    ['is kept for the rest of the refresh', ANSWER, 900, 1],
    ['is not kept for longer', ANSWER, 1100, 2],
    ['is not kept at all when it failed', { ...ANSWER, errors: [{ message: 'timeout' }] }, 0, 2],
  ])('%s', (_sentence, answer, afterMs, started) => {
    let count = 0;
    const requests = new SharedRequests();
    const join = (): Observable<DataQueryResponse> =>
      requests.join('k', () => {
        count += 1;
        return of(answer);
      });
    join().subscribe();
    jest.advanceTimersByTime(afterMs);
    const again = jest.fn();
    join().subscribe(again);
    expect(again).toHaveBeenCalledWith(answer);
    expect(count).toBe(started);
  });
});

describe('keyOf', () => {
  const base: Asked = { uid: 'prom', matchers: 'ns="$ns"', stepMs: 15_000, request: request([]) };
  const later = { from: dateTime(TO - 3_600_000), to: dateTime(TO + 1) };
  const filters = [{ key: 'job', operator: '=', value: 'x' }];

  it.each<[string, Partial<Asked['request']>, Partial<Asked>, boolean]>([
    ['another panel', { requestId: 'Q200', panelId: 7, app: CoreApp.PanelEditor }, {}, true],
    ['a panel of another width', { maxDataPoints: 300, intervalMs: 20_000 }, {}, true],
    ['no filters and an empty list of them', { filters: [] }, {}, true],
    ['a variable that is not used', { scopedVars: { other: { text: 'x', value: 'x' } } }, {}, true],
    ['a repeated panel with a value of its own', { scopedVars: { ns: { text: 'x', value: 'x' } } }, {}, false],
    ['another range', { range: { ...later, raw: later } }, {}, false],
    ['other filters', { filters }, {}, false],
    ['another time zone, in which days begin elsewhere', { timezone: 'Asia/Tokyo' }, {}, false],
    ['other steps', {}, { stepMs: 30_000 }, false],
    ['other matchers', {}, { matchers: 'ns="x"' }, false],
    ['another Prometheus', {}, { uid: 'other' }, false],
    ['Explore', { app: CoreApp.Explore }, {}, false],
  ])('%s', (_sentence, changed, rest, same) => {
    const other = keyOf({ ...base, ...rest, request: { ...base.request, ...changed } });
    expect(other === keyOf(base)).toBe(same);
  });
});

describe('queries of one dashboard', () => {
  it('that need the same series send one request, and each gets the answer under its own name', async () => {
    const prometheus = new FakePrometheus(({ targets }) => of({ data: [gauge(targets[2]?.refId)] }));
    install(prometheus);
    const source = ours();
    const [both, events] = await Promise.all([
      ask(source, { refId: 'A' }, { refId: 'B' }),
      lastValueFrom(source.query(request([{ refId: 'Anno', queryType: 'events' }], { requestId: 'Q101' }))),
    ]);
    expect(prometheus.asked).toHaveLength(1);
    expect(both.data.map(({ refId, meta }) => [refId, meta.custom.pdflow.planned])).toEqual([
      ['A', 'gauges'],
      ['B', 'gauges'],
    ]);
    expect(both.data[0].fields[0]).not.toBe(both.data[1].fields[0]);
    expect(events.data[0].refId).toBe('Anno');
  });
});
