import { clock, engine, type Counters, type PerScrape } from '../testing/traces';
import { prepare } from './fleet';
import type { StageId } from './model';

const TIME = clock(1, 10);

/** Departures at scrapes 1 to 5. */
function left(stage: StageId, counters: Counters): number[] {
  const role = stage.startsWith('decode') ? 'decode' : 'prefill';
  const tracked = prepare(engine(TIME, { id: 'e:1', role, counters })).pipelines[0]?.engines[0];
  return [...(tracked?.stages.find((t) => t.flow.stage === stage)?.departures ?? [])].slice(1, 6);
}
const at =
  (...increases: number[]): PerScrape =>
  (i) =>
    increases[i - 1] ?? 0;

describe('health probes are no departures', () => {
  const rows: ReadonlyArray<[string, StageId, Counters, number[]]> = [
    [
      'prefill: one request, one token',
      'prefill.forward',
      { forwarded: at(1), scheduled: at(1), prefillTokens: at(1) },
      [0, 0, 0, 0, 0],
    ],
    [
      'prefill: a real request',
      'prefill.forward',
      { forwarded: at(1), scheduled: at(1), prefillTokens: at(256) },
      [1, 0, 0, 0, 0],
    ],
    [
      'prefill: a probe beside a real request counts with it',
      'prefill.forward',
      { forwarded: at(2), scheduled: at(2), prefillTokens: at(257) },
      [2, 0, 0, 0, 0],
    ],
    [
      'prefill inflight: only real transfers have a latency',
      'prefill.inflight',
      { handedOver: at(3), kvTransfers: at(1) },
      [1, 0, 0, 0, 0],
    ],
    [
      'prefill inflight before 0.5.10: passed transfers, since finished requests include failed ones',
      'prefill.inflight',
      { handedOver: at(3), finished: at(5) },
      [3, 0, 0, 0, 0],
    ],
    [
      'prefill inflight before 0.5.3: finished requests without those that failed or whose clients left',
      'prefill.inflight',
      { finished: at(5, 2), transferFailed: at(1), aborted: at(0, 3) },
      [4, 0, 0, 0, 0],
    ],
    ['decode before 0.5.3: first tokens', 'decode.transfer', { firstTokens: at(2, 0, 1) }, [2, 0, 1, 0, 0]],
    [
      'decode: where stages are counted, first tokens are no transfers of their own',
      'decode.transfer',
      { received: at(2), firstTokens: at(2) },
      [0, 0, 0, 0, 0],
    ],
    [
      'decode: arrives, is scheduled, makes no step',
      'decode.transfer',
      { transferred: at(1), started: at(1), decodeTokens: 0 },
      [0, 0, 0, 0, 0],
    ],
    [
      'decode: a real request steps in the same scrape',
      'decode.transfer',
      { transferred: at(1), started: at(1), decodeTokens: at(50) },
      [1, 0, 0, 0, 0],
    ],
    [
      'decode: its first step falls into the next scrape, and it is counted there',
      'decode.transfer',
      { transferred: at(1), started: at(1), decodeTokens: at(0, 50) },
      [0, 1, 0, 0, 0],
    ],
    [
      'decode: it still waits for a batch',
      'decode.transfer',
      { transferred: at(1), started: 0, decodeTokens: 0 },
      [1, 0, 0, 0, 0],
    ],
  ];
  it.each(rows)('%s', (_why, stage, counters, expected) => {
    expect(left(stage, counters)).toEqual(expected);
  });

  // Scheduled in one scrape, its tokens counted in the next: no token is not one token.
  it('prefill: a request whose compute crosses a scrape has left the bootstrap queue', () => {
    const counters = { bootstrapped: at(1), scheduled: at(1), prefillTokens: at(0, 4000), forwarded: at(0, 1) };
    expect(left('prefill.bootstrap', counters)).toEqual([1, 0, 0, 0, 0]);
  });
});
