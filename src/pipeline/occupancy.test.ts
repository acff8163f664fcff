import { clock, engine, timeOf, type EngineTrace } from '../testing/traces';
import { evaluate } from './evaluate';
import { prepare } from './fleet';
import type { Depth, StageId } from './model';

const TIME = clock(4, 10);

function depths(stage: StageId, trace: Partial<EngineTrace>): Depth[] {
  const role = stage.startsWith('decode') ? 'decode' : 'prefill';
  const fleet = prepare(engine(TIME, { id: 'e:1', role, counters: {}, isStamped: true, ...trace }));
  return Array.from({ length: TIME.scrapes }, (_, i) => {
    const stages = evaluate(fleet, timeOf(TIME, i))[0]?.stages ?? [];
    return stages.find((s) => s.stage === stage)?.depth ?? { source: 'none' };
  });
}
const values = (list: readonly Depth[], from: number, to: number): Array<number | undefined> =>
  list.slice(from, to + 1).map((d) => d.value);

describe('flow balance', () => {
  it('what entered, less what left, less what failed', () => {
    const list = depths('decode.transfer', {
      counters: {
        admitted: (i) => (i === 2 ? 5 : 0),
        transferred: (i) => (i === 4 ? 2 : 0),
        transferFailed: (i) => (i === 5 ? 1 : 0),
        decodeTokens: (i) => (i === 4 ? 9 : 0),
      },
    });
    expect(values(list, 1, 6)).toEqual([0, 5, 5, 3, 2, 2]);
    expect(list[3]?.source).toBe('balance');
  });

  describe('where the entry is counted upstream, by the HTTP server', () => {
    const asked = (active?: number): Array<number | undefined> =>
      values(
        depths('prefill.bootstrap', {
          counters: {
            httpRequests: (i) => (i === 2 ? 5 : i === 4 ? 1 : 0),
            bootstrapped: (i) => (i === 2 ? 2 : 0),
            handedOver: (i) => (i === 2 ? 2 : 0),
            kvTransfers: (i) => (i === 2 ? 2 : 0),
          },
          ...(active === undefined ? {} : { gauges: { active } }),
        }),
        1,
        5
      );

    it('a departure starts the count anew: what was refused meanwhile is not waited for', () => {
      expect(asked()).toEqual([0, 0, 0, 1, 1]);
    });

    it('as many as clients have open: nobody waits where nothing is open', () => {
      expect(asked(0)).toEqual([0, 0, 0, 0, 0]);
    });
  });

  it('never below zero: what leaves without having entered moves the zero', () => {
    const list = depths('decode.transfer', {
      counters: { admitted: (i) => (i === 5 ? 1 : 0), transferred: (i) => (i === 2 ? 3 : 0), decodeTokens: 5 },
    });
    expect(values(list, 1, 6)).toEqual([0, 0, 0, 0, 1, 1]);
  });

  it('a restart empties it', () => {
    const list = depths('decode.transfer', {
      counters: {
        received: 1,
        admitted: (i) => (i === 2 ? 5 : i > 6 ? 1 : 0),
        transferred: (i) => (i > 6 ? 1 : 0),
        decodeTokens: 5,
      },
      restarts: [6],
    });
    expect(values(list, 4, 8)).toEqual([5, 5, 0, 0, 0]);
  });

  it('a push of zeros everywhere is believed: the zero of the balance is there', () => {
    const list = depths('decode.transfer', {
      counters: { admitted: (i) => (i === 2 ? 1 : 0), transferred: 0, decodeTokens: 0 },
      gauges: { running: (i) => (i < 8 ? 2 : 0), transferring: (i) => (i < 8 ? 1 : 0), queued: 0 },
    });
    expect(values(list, 6, 9)).toEqual([1, 1, 0, 0]);
  });

  it('in a waiting queue every abort that no failure explains counts as gone', () => {
    const list = depths('prefill.waiting', {
      counters: {
        bootstrapped: (i) => (i === 2 ? 3 : 0),
        scheduled: 0,
        aborted: (i) => (i === 4 ? 2 : 0),
        transferFailed: 0,
      },
    });
    expect(values(list, 2, 5)).toEqual([3, 3, 1, 1]);
  });

  it('an abort that a failed transfer explains did not come from the waiting queue', () => {
    const list = depths('prefill.waiting', {
      counters: {
        bootstrapped: (i) => (i === 2 ? 3 : 0),
        scheduled: 0,
        aborted: (i) => (i === 4 ? 2 : 0),
        transferFailed: (i) => (i === 4 ? 2 : 0),
      },
    });
    expect(values(list, 2, 5)).toEqual([3, 3, 3, 3]);
  });
});

describe('gauges', () => {
  it('fresh while decode makes steps, stale two scrapes after the last one', () => {
    const list = depths('decode.running', {
      counters: { received: 0, decodeTokens: (i) => (i <= 5 ? 100 : 0), httpRequests: 0 },
      gauges: { running: 4, active: 4 },
    });
    expect(list.slice(3, 10).map((d) => d.gauge?.fresh)).toEqual([true, true, true, true, true, false, false]);
    expect(list[9]?.gauge).toMatchObject({ value: 4, trueAtMs: timeOf(TIME, 5) });
  });

  it('a stale gauge is shown with its age, and is not the depth', () => {
    const list = depths('decode.transfer', {
      counters: { admitted: (i) => (i === 8 ? 2 : 0), transferred: 0, decodeTokens: (i) => (i <= 5 ? 100 : 0) },
      gauges: { transferring: 0, running: 1, queued: 0 },
    });
    expect(list[12]).toMatchObject({ source: 'balance', value: 2, gauge: { value: 0, fresh: false } });
  });

  it('without any stage counter nothing proves a number, however calm the gauge', () => {
    const list = depths('decode.transfer', { counters: { finished: 0 }, gauges: { transferring: 3, active: 1 } });
    expect(list[5]).toMatchObject({ source: 'none', gauge: { value: 3, fresh: false } });
  });
});
