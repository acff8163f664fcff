import { type Engine } from './engine';
import { createRun } from './run';
import { type Scenario } from './scenario';
import { decodeRestartRecovers } from './scenarios/decodeRestartRecovers';
import { founding } from './scenarios/founding';
import { foundingBlockedLoop } from './scenarios/foundingBlockedLoop';
import { healthy } from './scenarios/healthy';
import { recordOptions } from './testing/recording';
import { edge, read } from './testing/world';

const failed = (engine: Engine, what: 'bootstrap' | 'transfer'): number =>
  read(engine, `num_${what}_failed_reqs_total`) ?? 0;

/** Queue depths as differences of neighbouring edge counters, minus failures. */
function balances(prefill: Engine, decode: Engine): Record<string, number> {
  return {
    prealloc: edge(decode, 'decode_prepare') - edge(decode, 'decode_bootstrap') - failed(decode, 'bootstrap'),
    transfer: edge(decode, 'decode_bootstrap') - edge(decode, 'decode_transferred') - failed(decode, 'transfer'),
    decodeWaiting: edge(decode, 'decode_transferred') - edge(decode, 'decode_waiting'),
    inflight:
      edge(prefill, 'prefill_forward') - edge(prefill, 'prefill_transfer_kv_cache') - failed(prefill, 'transfer'),
    prefillWaiting: edge(prefill, 'prefill_bootstrap') - (read(prefill, 'queue_time_seconds_count') ?? 0),
  };
}

function truth(prefill: Engine, decode: Engine): Record<string, number> {
  const [onPrefill, onDecode] = [prefill.stages(), decode.stages()];
  return {
    prealloc: onDecode.prealloc ?? 0,
    transfer: onDecode.transfer ?? 0,
    decodeWaiting: onDecode.waiting ?? 0,
    inflight: onPrefill.inflight ?? 0,
    prefillWaiting: onPrefill.waiting ?? 0,
  };
}

/**
 * An abort in a waiting queue leaves no counter, so that balance stays too high for ever (the documented drift):
 * how many such aborts there were until now, from the diary.
 */
function abortsWhileWaiting(run: ReturnType<typeof createRun>): { prefill: number; decode: number } {
  const stages = run.truth.events.flatMap((event) => ('stage' in event ? [event.stage.split('/')] : []));
  return {
    prefill: stages.filter(([prefill]) => prefill === 'waiting').length,
    decode: stages.filter(([, decode]) => decode === 'waiting').length,
  };
}

describe('flow balance', () => {
  const cases: ReadonlyArray<readonly [Scenario, number]> = [
    [healthy, 6],
    [founding, 13],
    [foundingBlockedLoop, 13],
  ];

  it.each(cases)('equals the truth at every sample of $name', (scenario, minutes) => {
    const run = createRun(recordOptions(scenario, minutes));
    const [prefill, decode] = run.deployment.engines;
    if (prefill === undefined || decode === undefined) {
      throw new Error('Expected one engine of each role');
    }
    for (let atMs = run.startMs; atMs <= run.endMs; atMs += 5_000) {
      run.simulation.runUntil(atMs);
      const drift = abortsWhileWaiting(run);
      const expected = truth(prefill, decode);
      expect({ atMs, ...balances(prefill, decode) }).toEqual({
        atMs,
        ...expected,
        prefillWaiting: (expected.prefillWaiting ?? 0) + drift.prefill,
        decodeWaiting: (expected.decodeWaiting ?? 0) + drift.decode,
      });
    }
  });

  it('holds on both sides after a restart, counted from the restart on decode', () => {
    const run = createRun(recordOptions(decodeRestartRecovers, 13));
    const [prefill, decode] = run.deployment.engines;
    if (prefill === undefined || decode === undefined) {
      throw new Error('Expected one engine of each role');
    }
    run.simulation.runUntil(run.endMs);
    const { prealloc, transfer, inflight } = balances(prefill, decode);
    const { prealloc: reallyPrealloc, transfer: reallyTransfer, inflight: reallyInflight } = truth(prefill, decode);
    expect([prealloc, transfer, inflight]).toEqual([reallyPrealloc, reallyTransfer, reallyInflight]);
  });

  it('never has more requests inflight on prefill than decode has in transfer or has concluded', () => {
    const run = createRun(recordOptions(founding, 13));
    for (let atMs = run.t0Ms + 5_000; atMs <= run.endMs; atMs += 1_000) {
      run.simulation.runUntil(atMs);
      const [inflight, transfer] = run.deployment.engines.map((engine) => {
        const stages = engine.stages();
        return (stages.inflight ?? 0) + (stages.transfer ?? 0);
      });
      expect(inflight).toBeLessThanOrEqual(transfer ?? 0);
    }
  });
});
