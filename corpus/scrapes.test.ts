import { evaluate, prepare, type PipelineEvaluation } from '../src/pipeline';
import { isAlarm, said, secondsOf } from './play';
import { instants, keepSamples, recordPlay, scenarioNamed, scrapedEvery, T0_MS, type Recording } from './recording';

/** What the scraping itself does: another interval within the range, engines that come and go. */

const ONE = { prefill: 1, decode: 1 };
const record = (scenario: string, size = ONE): Recording =>
  recordPlay({ scenario: scenarioNamed(scenario), seed: 1, size, minutes: 18 });

/** Every 15 s for some seconds after T0, else every 5 s. */
function judgeChanging({ series, startMs }: Recording, fromS: number, toS: number): PipelineEvaluation[] {
  const isKept = (atMs: number): boolean =>
    secondsOf(atMs) < fromS || secondsOf(atMs) >= toS || (atMs - T0_MS) % 15_000 === 2_000;
  const fleet = prepare(keepSamples(series, isKept));
  return instants(5_000, startMs).flatMap((atMs) => evaluate(fleet, atMs));
}

describe('a scrape interval that changes from 5 s to 15 s', () => {
  it.each([
    ['healthy', -100, 200],
    ['trickle', -100, 200],
    ['bursts-and-pauses', 0, 300],
  ])('%s: no alarm', (scenario, fromS, toS) => {
    const loud = judgeChanging(record(scenario), fromS, toS).filter(({ verdict }) => isAlarm(verdict));
    expect(loud.map(said)).toEqual([]);
  });

  it.each([
    ['for good, before the fault', -100, Infinity, 45],
    ['for a while, over before the fault', -250, -100, 20],
  ])('%s: it is named after three scrapes', (_why, fromS, toS, withinS) => {
    const named = judgeChanging(record('founding'), fromS, toS).find(({ verdict }) => isAlarm(verdict));
    expect(named?.verdict).toMatchObject({ kind: 'transfer-stalled', engine: 'decode-0:30002' });
    expect(secondsOf(named?.atMs ?? Infinity)).toBeGreaterThanOrEqual(0);
    expect(secondsOf(named?.atMs ?? Infinity)).toBeLessThanOrEqual(withinS);
  });
});

describe.each([ONE, { prefill: 2, decode: 3 }])('engines that are restarted one after the other, %j', (size) => {
  it.each(['rolling-restart-decode', 'rolling-restart-prefill'])(
    '%s: the pool serves, so it is healthy',
    (scenario) => {
      const { series, startMs } = record(scenario, size);
      const fleet = prepare(scrapedEvery(series, 5_000));
      const judged = instants(5_000, startMs).flatMap((atMs) => evaluate(fleet, atMs));
      expect(
        judged
          .slice(1)
          .filter(({ verdict }) => verdict.kind !== 'healthy')
          .map(said)
      ).toEqual([]);
    }
  );
});
