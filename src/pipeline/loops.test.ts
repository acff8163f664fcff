import {
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  timeOf,
  until,
  type Counters,
  type PerScrape,
} from '../testing/traces';
import { evaluate, prepare, type RawSeries, type Verdict } from '.';

/** What shows that the loop of a scheduler turns, or stands: scrapes of 15 s, the trouble starts after scrape 20. */
const TIME = clock(10);
const N = 12;
const stops = until(20, N);

const verdicts = (series: readonly RawSeries[]): Array<Verdict | undefined> => {
  const fleet = prepare(series);
  return Array.from({ length: TIME.scrapes }, (_, i) => evaluate(fleet, timeOf(TIME, i))[0]?.verdict);
};
const severities = (series: readonly RawSeries[]): Set<string | undefined> =>
  new Set(verdicts(series).map((v) => v?.severity));

/** SGLang 0.5.6 counts neither tokens nor HTTP requests nor transfers. */
const early = (counters: Counters): Counters => ({
  ...counters,
  httpRequests: undefined,
  prefillTokens: undefined,
  decodeTokens: undefined,
  kvTransfers: undefined,
});
const once =
  (scrape: number, n = 1): PerScrape =>
  (i) =>
    i === scrape ? n : 0;

describe('without HTTP counters', () => {
  const decode = (id: string, counters: Counters): RawSeries[] =>
    engine(TIME, { id, role: 'decode', counters: early(counters), gauges: { running: 1 } });
  const prefill = engine(TIME, { id: 'p:1', role: 'prefill', counters: early(prefillFlow(N)) });

  it('the last client of an engine gives up, and nobody comes: no loop stands', () => {
    const aborted = { ...decodeFlow(stops), aborted: once(21) };
    expect(severities([...prefill, ...decode('d:1', aborted), ...decode('d:2', decodeFlow(N))])).toEqual(
      new Set(['info', 'none'])
    );
  });

  it('clients give up on an engine that has been silent for minutes, more than ran there: its loop stands', () => {
    const aborted = { ...decodeFlow(stops), aborted: (i: number) => (i > 24 ? 1 : 0) };
    const last = verdicts([...prefill, ...decode('d:1', aborted), ...decode('d:2', decodeFlow(N))]).at(-1);
    expect(last).toMatchObject({ kind: 'decode-wedged', engine: 'd:1' });
  });

  it('prefill pushes its gauges with every chunk of a long prompt: its loop turns, whoever gives up', () => {
    const n: PerScrape = (i) => (i <= 20 || i > 26 ? N : 0);
    const oneAt =
      (scrape: number): PerScrape =>
      (i) =>
        i === scrape ? 1 : n(i);
    const held = { ...prefillFlow(oneAt(26)), bootstrapped: oneAt(21), scheduled: oneAt(21) };
    const chunks = { usage: (i: number) => i / 100 };
    const series = [
      ...engine(TIME, {
        id: 'p:1',
        role: 'prefill',
        counters: early({ ...held, aborted: once(22) }),
        gauges: chunks,
      }),
      ...decode('d:1', { ...decodeFlow(oneAt(26)), received: oneAt(21), admitted: oneAt(21) }),
      ...decode('d:2', decodeFlow(N)),
    ];
    expect(verdicts(series).flatMap((v) => (v?.severity === 'critical' ? [v.kind] : []))).toEqual([]);
  });
});

describe('a prefill engine of two that counts nothing, while clients give up', () => {
  const gaveUp: PerScrape = (i) => (i > 22 ? 5 : 0);
  const serve = (prefill: Counters): Verdict | undefined => {
    const fleet = prepare([
      ...engine(TIME, { id: 'p:1', role: 'prefill', counters: { ...prefillFlow(stops), httpRequests: N, ...prefill } }),
      ...engine(TIME, { id: 'p:2', role: 'prefill', counters: prefillFlow(N) }),
      ...engine(TIME, {
        id: 'd:1',
        role: 'decode',
        counters: { ...decodeFlow(N), httpRequests: 2 * N, received: 2 * N, aborted: gaveUp, bootstrapFailed: gaveUp },
      }),
    ]);
    return evaluate(fleet, endOf(TIME))[0]?.verdict;
  };

  it('does not hear them: its loop stands', () => {
    expect(serve({ aborted: gaveUp })).toMatchObject({
      kind: 'prefill-stalled',
      engine: 'p:1',
      sinceMs: timeOf(TIME, 20),
    });
  });

  it('counts them as failed: its loop turns, the handshake does not complete', () => {
    const verdict = serve({ aborted: gaveUp, bootstrapFailed: gaveUp });
    expect(verdict?.kind).toBe('handshake-stalled');
    expect(verdict?.alternatives).not.toContain('prefill-stalled');
  });

  it('and nobody has given up yet: either may be, or KV room, which is not told here', () => {
    expect(serve({})).toMatchObject({
      kind: 'handshake-stalled',
      alternatives: ['prefill-stalled', 'decode-admission-blocked'],
    });
  });
});
