import { clock, decodeFlow, endOf, engine, timeOf, type EngineTrace } from '../testing/traces';
import { hangingSince, isAskedSince, isOpenUnserved } from './demand';
import { prepare } from './fleet';
import { momentOf, type EngineMoment } from './moment';

/** A decode engine that served 4 requests per scrape up to scrape 10. */
const TIME = clock(5);
const served = decodeFlow((i) => (i <= 10 ? 4 : 0));

function decode(counters: EngineTrace['counters'], gauges: EngineTrace['gauges'] = {}): EngineMoment {
  const fleet = prepare(engine(TIME, { id: 'd:1', role: 'decode', counters: { ...served, ...counters }, gauges }));
  const [pipeline] = fleet.pipelines;
  const [moment] = pipeline ? momentOf(fleet, pipeline, endOf(TIME)).engines : [];
  if (!moment) {
    throw new Error('no engine');
  }
  return moment;
}

describe('requests that hang', () => {
  const sinceMs = timeOf(TIME, 10);

  it('are those that were not answered', () => {
    const e = decode({ httpRequests: 4, httpResponses: (i) => (i <= 10 ? 4 : 0) });
    expect(hangingSince(e, sinceMs)).toBe(40);
  });

  it('a client that gives up is counted as answered, and did hang', () => {
    const e = decode({ httpRequests: 4, httpResponses: 4, aborted: (i) => (i <= 10 ? 0 : 4) });
    expect(hangingSince(e, sinceMs)).toBe(40);
  });

  it('a request that is refused does not hang', () => {
    const refused = (i: number): number => (i <= 10 ? 4 : i === 11 ? 1 : 0);
    expect(hangingSince(decode({ httpRequests: refused, httpResponses: refused }), sinceMs)).toBe(0);
  });

  it('open ones are not served while decode makes no step', () => {
    expect(isOpenUnserved(decode({}, { active: 1 }))).toBe(true);
    expect(isOpenUnserved(decode({ decodeTokens: 50 }, { active: 1 }))).toBe(false);
    expect(isOpenUnserved(decode({}, { active: (i) => (i === 19 ? 0 : 1) }))).toBe(false);
  });

  it('somebody asks as long as a request is open or has come lately', () => {
    expect(isAskedSince(decode({}, { active: 1 }), sinceMs)).toBe(true);
    expect(isAskedSince(decode({ httpRequests: (i) => (i <= 12 ? 1 : 0) }, { active: 0 }), sinceMs)).toBe(true);
    expect(isAskedSince(decode({}, { active: 0 }), sinceMs)).toBe(false);
  });
});
