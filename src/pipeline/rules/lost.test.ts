import {
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  sampled,
  timeOf,
  type EngineTrace,
  type PerScrape,
} from '../../testing/traces';
import { evaluate, prepare, type PipelineEvaluation, type Verdict } from '..';

/** Ten minutes at 15 s. Two prefill engines serve one decode engine; the second is scraped for the last time in scrape 20. */
const TIME = clock(10);
const LAST = 20;
const isThere = (i: number): boolean => i <= LAST;
const once =
  (n: number, scrape = LAST + 1): PerScrape =>
  (i) =>
    i === scrape ? n : 0;

/** Its requests, and what the clients of decode do. */
interface Lost {
  readonly served?: PerScrape;
  readonly aborted?: PerScrape;
  readonly trace?: Partial<EngineTrace>;
}

function verdictAt(scrape: number, { served = 10, aborted = 0, trace }: Lost): Verdict | undefined {
  const series = [
    ...engine(TIME, { id: 'p:1', role: 'prefill', counters: prefillFlow(10), up: 1 }),
    ...engine(TIME, {
      id: 'p:2',
      role: 'prefill',
      counters: prefillFlow(served),
      isScraped: isThere,
      up: (i) => (isThere(i) ? 1 : 0),
      ...trace,
    }),
    ...engine(TIME, { id: 'd:1', role: 'decode', counters: { ...decodeFlow(10), aborted }, up: 1 }),
  ];
  return evaluate(prepare(series), timeOf(TIME, scrape))[0]?.verdict;
}

describe('an engine of a pool that is gone, and held nothing when it was last seen', () => {
  const drained: PerScrape = (i) => (i < LAST ? 10 : 0);

  it.each([
    ['it had just got requests, and some are dropped with it: down', 24, { aborted: once(8) }, 'engine-down'],
    ['not within the time of a quick restart', 22, { aborted: once(8) }, 'healthy'],
    ['nobody is dropped: it may have been taken away', 24, {}, 'healthy'],
    ['it was drained: clients leave for another reason', 24, { served: drained, aborted: once(8) }, 'healthy'],
    ['clients left before', 24, { aborted: once(8, LAST) }, 'healthy'],
    ['Prometheus fails to reach it for five minutes', 40, {}, 'engine-down'],
  ])('%s', (_why, scrape, lost, expected) => {
    expect(verdictAt(scrape, lost)?.kind).toBe(expected);
  });

  it('is a warning that names it, since its last sample', () => {
    expect(verdictAt(24, { aborted: once(8) })).toMatchObject({
      severity: 'warning',
      engine: 'p:2',
      sinceMs: timeOf(TIME, LAST),
    });
  });
});

describe('a decode engine of a pool that is gone with requests inside', () => {
  /** The second of two that get ten requests per scrape each. */
  function kindAt(scrape: number, counters: EngineTrace['counters'], active: number): string | undefined {
    const series = [
      ...engine(TIME, { id: 'p:1', role: 'prefill', counters: prefillFlow((i) => (isThere(i) ? 20 : 10)), up: 1 }),
      ...engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow(10), up: 1 }),
      ...engine(TIME, {
        id: 'd:2',
        role: 'decode',
        counters,
        gauges: { active },
        isScraped: isThere,
        up: (i) => (isThere(i) ? 1 : 0),
      }),
    ];
    return evaluate(prepare(series), timeOf(TIME, scrape))[0]?.verdict.kind;
  }
  const drained = decodeFlow((i) => (i < LAST ? 10 : 0));
  /** Its loop took nothing any more, and its HTTP server was sent requests all the time. */
  const stuck = { ...drained, httpRequests: 10 };

  it.each([
    ['it was in use: down', 24, decodeFlow(10), 4, 'engine-down'],
    ['it only finished what it had: replaced', 24, drained, 2, 'healthy'],
    ['that one does not come back', 41, drained, 2, 'engine-down'],
    ['it took nothing any more, but was asked: down', 24, stuck, 12, 'engine-down'],
  ])('%s', (_why, scrape, counters, active, expected) => {
    expect(kindAt(scrape, counters, active)).toBe(expected);
  });
});

describe('an engine whose target is taken away too', () => {
  /** The second of two decode engines, with `running` requests when it was last seen; clients leave the prefill engine. */
  function judgedAt(atMs: number, running: number, aborted: PerScrape): PipelineEvaluation | undefined {
    const up = { __name__: 'up', job: 'sglang', instance: 'd:2' };
    const series = [
      ...engine(TIME, { id: 'p:1', role: 'prefill', counters: { ...prefillFlow(20), aborted }, up: 1 }),
      ...engine(TIME, { id: 'd:1', role: 'decode', counters: decodeFlow(10), up: 1 }),
      ...engine(TIME, {
        id: 'd:2',
        role: 'decode',
        counters: decodeFlow(10),
        gauges: { active: running, running },
        isScraped: isThere,
      }),
      sampled(TIME, up, () => 1, isThere),
    ];
    return evaluate(prepare(series), atMs)[0];
  }
  const said = (e: PipelineEvaluation | undefined): unknown => [
    e?.verdict.kind,
    e?.verdict.engine,
    e?.findings.map((f) => [f.kind, f.engine]),
  ];
  const minutesLater = timeOf(TIME, 25);

  it.each([
    ['with requests that are dropped: a warning', minutesLater, 12, once(8), ['engine-down', 'd:2', []]],
    ['after five minutes it is only told', endOf(TIME), 12, once(8), ['healthy', undefined, [['engine-down', 'd:2']]]],
    ['drained', minutesLater, 0, once(8), ['healthy', undefined, []]],
    ['whose requests were finished meanwhile', minutesLater, 12, 0, ['healthy', undefined, []]],
  ])('%s', (_why, atMs, running, aborted, expected) => {
    expect(said(judgedAt(atMs, running, aborted))).toEqual(expected);
  });
});

describe('an engine that restarts', () => {
  const restarts = (...scrapes: number[]): Lost => ({ trace: { isScraped: () => true, up: 1, restarts: scrapes } });
  const idleBefore = (...scrapes: number[]): PerScrape => {
    const drained = new Set(scrapes.map((i) => i - 1));
    return (i) => (drained.has(i) ? 0 : 10);
  };

  it.each([
    ['once', 25, restarts(20), 'healthy'],
    ['again while it is in use', 25, restarts(12, 20), 'engine-down'],
    ['again, each time after it was drained', 25, { ...restarts(12, 20), served: idleBefore(12, 20) }, 'healthy'],
    ['and has not for more than five minutes', 36, restarts(9, 15), 'healthy'],
  ])('%s', (_why, scrape, lost, expected) => {
    expect(verdictAt(scrape, lost)?.kind).toBe(expected);
  });

  it('is told since the last sample before the first of them, without a flicker in between', () => {
    const said = [20, 22, 26, 32].map((i) => verdictAt(i, restarts(12, 20)));
    expect(said).toEqual(
      said.map(() => expect.objectContaining({ severity: 'warning', engine: 'p:2', sinceMs: timeOf(TIME, 11) }))
    );
    expect(said[0]?.headline).toBe('Prefill p:2 restarted 2 times within 2 m 15 s');
  });
});
