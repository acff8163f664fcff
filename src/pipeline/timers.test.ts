import { bothSides, clock, decodeFlow, prefillFlow, timeOf, until, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import type { PipelineEvent } from './model';

/** Forty minutes at 15 s. Handshakes stop passing after scrape 20; decode holds what came then. */
const TIME = clock(40);
const stops = until(20, 5);
/** `n` at the scrape that is `seconds` after the stall, and at no other. */
const failed =
  (seconds: number, n = 12) =>
  (i: number): number =>
    i === 20 + seconds / 15 ? n : 0;

interface Story {
  readonly prefillFailed?: PerScrape;
  readonly decodeFailed?: PerScrape;
  readonly aborted?: PerScrape;
  readonly restarts?: readonly number[];
}

/** Five requests more reach decode at scrape 21 and 22 and are never admitted; after scrape 40 somebody tries again. */
function expiries({ prefillFailed = 0, decodeFailed = 0, aborted = 0, restarts }: Story): PipelineEvent[] {
  const asked = until(22, 5);
  const series = bothSides(
    TIME,
    { counters: { ...prefillFlow(stops), httpRequests: asked, bootstrapFailed: prefillFailed, aborted } },
    {
      counters: {
        ...decodeFlow(stops),
        httpRequests: (i) => (i <= 22 ? 5 : i > 40 ? 1 : 0),
        received: asked,
        transferFailed: decodeFailed,
        aborted,
      },
      restarts,
    }
  );
  return (prepare(series).pipelines[0]?.events ?? []).filter((e) => e.kind === 'timer-expiry');
}

describe('failures at the end of a timer', () => {
  const rows: ReadonlyArray<[string, Story, string[]]> = [
    ['none', {}, []],
    ['300 s after the stall', { prefillFailed: failed(300) }, ['bootstrap timer of 300 s']],
    ['at the scrape after', { prefillFailed: failed(315) }, ['bootstrap timer of 300 s']],
    ['120 s, as SGLang 0.4.9 has it', { prefillFailed: failed(120) }, ['bootstrap timer of 120 s']],
    ['on decode it is the waiting timer', { decodeFailed: failed(600) }, ['waiting timer of 600 s']],
    ['the router gives up after half an hour', { decodeFailed: failed(1800) }, ['router timer of 1800 s']],
    ['at no timer', { prefillFailed: failed(210) }, []],
    ['three of them are no burst', { prefillFailed: failed(300, 3) }, []],
    ['all of them are clients that left', { prefillFailed: failed(300), aborted: failed(300) }, []],
    ['an engine was replaced just then', { prefillFailed: failed(300), restarts: [40] }, []],
    [
      'the other end fails a moment later: told once',
      { prefillFailed: failed(300), decodeFailed: failed(315, 11) },
      ['bootstrap timer of 300 s'],
    ],
    [
      'again after as long: counted from the first time',
      { decodeFailed: (i) => failed(300)(i) + failed(600)(i) },
      ['waiting timer of 300 s', 'waiting timer of 300 s'],
    ],
  ];
  it.each(rows)('%s', (_why, story, timers) => {
    expect(expiries(story).map(({ text }) => text.split(':')[0])).toEqual(timers);
  });

  it('are dated at the last scrape without them, and say how many, where, and after what', () => {
    expect(expiries({ prefillFailed: failed(300) })).toEqual([
      {
        kind: 'timer-expiry',
        atMs: timeOf(TIME, 39),
        engine: 'p:1',
        stage: 'prefill.bootstrap',
        size: 12,
        text: 'bootstrap timer of 300 s: 12 requests failed on p:1, 300 s after the stall began',
      },
    ]);
  });

  it('what a burst of aborts left behind fails by its timer too', () => {
    const series = bothSides(
      TIME,
      { counters: prefillFlow(5) },
      { counters: { ...decodeFlow(5), aborted: failed(0, 16), transferFailed: failed(300, 16) } }
    );
    const events = prepare(series).pipelines[0]?.events ?? [];
    expect(events.filter((e) => e.kind === 'timer-expiry').map((e) => e.text)).toEqual([
      'waiting timer of 300 s: 16 requests failed on d:1, 300 s after a burst of aborts',
    ]);
  });
});
