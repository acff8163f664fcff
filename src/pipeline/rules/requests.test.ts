import { clock, decodeFlow, engine, timeOf, type EngineTrace, type PerScrape } from '../../testing/traces';
import { prepare } from '../fleet';
import { momentOf } from '../moment';
import { zombies } from './requests';

/** Ten minutes at 15 s, 500 decode steps per scrape, ten requests. */
const TIME = clock(10);
const STEPS = 500;

/** How many zombies, and since which scrape. */
function found(
  counters: EngineTrace['counters'],
  scrape: number,
  gauges: EngineTrace['gauges'] = {}
): readonly [number, number] | undefined {
  const series = engine(TIME, {
    id: 'd:1',
    role: 'decode',
    isStamped: true,
    counters: { ...decodeFlow(10), decodePasses: STEPS, decodeTokens: STEPS * 10, firstTokens: 10, ...counters },
    gauges: { running: 10, active: 10, ...gauges },
  });
  const fleet = prepare(series, { sglangVersion: '0.5.12' });
  const [pipeline] = fleet.pipelines;
  const z = pipeline && zombies(momentOf(fleet, pipeline, timeOf(TIME, scrape)));
  return z && [z.count, (z.sinceMs - TIME.startMs) / TIME.everyMs];
}

/** Tokens heard per scrape: all up to scrape 20, then those of so many requests are missing. */
const unheard =
  (requests: number): PerScrape =>
  (i) =>
    STEPS * (i <= 20 ? 10 : 10 - requests) - 10;

describe('zombies', () => {
  it('two requests are not heard for a minute: since the last scrape that heard all', () => {
    expect(found({ streamed: unheard(2) }, 24)).toEqual([2, 20]);
    expect(found({ streamed: unheard(2) }, 38)).toEqual([2, 20]);
  });

  it.each<[string, EngineTrace['counters']]>([
    ['every token is heard', { streamed: unheard(0) }],
    ['half a token per step is not', { streamed: unheard(0.5) }],
    [
      'many more clients leave than before: what they were to hear at the end nobody hears',
      { streamed: unheard(2), aborted: (i) => (i > 20 ? 5 : 0) },
    ],
    [
      'answers come at their end: tokens are heard scrapes after they were made',
      { streamed: (i) => (i > 20 ? STEPS * 8 : i % 2 === 0 ? STEPS * 20 - 10 : 0) },
    ],
    [
      // 20 requests a scrape keep back 49 tokens each, now more and now less of it, and all that run are open.
      'answers that are not streamed begin to come: some of their tokens are never counted as heard',
      { firstTokens: 20, streamed: (i) => STEPS * 10 - 20 - (i <= 20 ? 0 : i % 2 === 0 ? 1400 : 560) },
    ],
  ])('none where %s', (_why, counters) => {
    expect(found(counters, 30)).toBeUndefined();
  });

  it('are told from such answers by what each step makes for nobody, or by more that runs than is open', () => {
    const wavering: PerScrape = (i) => STEPS * 10 - 10 - (i <= 20 ? 0 : i % 2 === 0 ? 1400 : 560);
    expect(found({ streamed: wavering }, 30, { active: (i) => (i <= 20 ? 10 : 8) })).toEqual([2, 20]);
    expect(found({ streamed: unheard(2) }, 30, { active: 10 })).toEqual([2, 20]);
  });

  it('clients leave as before: a few a minute are no reason', () => {
    expect(found({ streamed: unheard(2), aborted: (i) => (i % 4 === 0 ? 1 : 0) }, 30)).toEqual([2, 20]);
  });
});
