import { bothSides, clock, decodeFlow, prefillFlow, timeOf, type EngineTrace } from '../../testing/traces';
import { prepare } from '../fleet';
import { momentOf } from '../moment';
import { waitsForMetadata } from './prefill';

/** Ten minutes at 15 s, ten requests per scrape. From scrape 20 on five of them have been let in by decode and stay. */
const TIME = clock(10);
const STAY = 20;
const HELD = 5;

type Trace = Partial<Pick<EngineTrace, 'counters' | 'gauges'>>;

const and =
  (n: number, more: number) =>
  (i: number): number =>
    i === STAY ? n + more : n;

function waits(prefill: Trace, decode: Trace, sglangVersion: string): boolean | undefined {
  const series = bothSides(
    TIME,
    {
      isStamped: true,
      counters: { ...prefillFlow(10), httpRequests: and(10, HELD), ...prefill.counters },
      gauges: prefill.gauges,
    },
    {
      isStamped: true,
      counters: { ...decodeFlow(10), received: and(10, HELD), admitted: and(10, HELD), ...decode.counters },
    }
  );
  const fleet = prepare(series, { sglangVersion });
  const [pipeline] = fleet.pipelines;
  return pipeline && waitsForMetadata(HELD, momentOf(fleet, pipeline, timeOf(TIME, STAY + 5)), 'atMost');
}

const open = (i: number): number => (i < STAY ? 0 : HELD);
const entered = { entered: and(10, HELD) };

describe('what decode holds waits for its metadata to come to prefill', () => {
  it.each([
    [
      '0.5.12',
      'its clients are open with prefill, and no stage of it holds them',
      { gauges: { active: open } },
      {},
      true,
    ],
    [
      '0.5.12',
      'prefill has computed it',
      {
        gauges: { active: open },
        counters: { bootstrapped: and(10, HELD), forwarded: and(10, HELD), scheduled: and(10, HELD) },
      },
      {},
      false,
    ],
    ['0.5.12', 'prefill is done with it', { gauges: { active: 0 } }, {}, false],
    ['0.5.12', 'open requests are not scraped', {}, {}, false],
    ['0.5.12', 'it stands at decode’s door', { gauges: { active: open } }, { counters: { admitted: 10 } }, false],
    ['0.5.9', 'it is counted into the bootstrap queue and stays there', { counters: entered }, {}, true],
    ['0.5.9', 'it has left the bootstrap queue', { counters: { ...entered, bootstrapped: and(10, HELD) } }, {}, false],
    ['0.5.9', 'it stands at decode’s door', { counters: entered }, { counters: { admitted: 10 } }, false],
  ])('SGLang %s: %s', (version, _why, prefill, decode, expected) => {
    expect(waits(prefill, decode, version)).toBe(expected);
  });
});
