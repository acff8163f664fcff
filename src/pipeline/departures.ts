import type { Engine } from './columns';
import type { AnySignalId } from './profiles/sglang';
import type { StageFlow } from './stages';

/**
 * Health probes are one-token requests that pass every edge of an engine without a handshake or a transfer. They prove
 * that the loop runs, not that requests get through, so they are taken out of the departures.
 */
export function realDepartures(engine: Engine, flow: StageFlow): readonly number[] {
  const passed = engine.rises.get(flow.exit) ?? engine.timesMs.map(() => 0);
  if (flow.stage === 'prefill.inflight') {
    // Neither of the two counts probes; both move only when a transfer has succeeded.
    const proven = engine.rises.get('kv.transfers') ?? engine.rises.get('requests.finished');
    return proven ?? without(passed, prefillProbes(engine));
  }
  if (flow.role === 'prefill') {
    return without(passed, prefillProbes(engine));
  }
  return flow.role === 'decode' && flow.stage !== 'decode.running' ? decodeDepartures(engine, passed) : passed;
}

const without = (passed: readonly number[], isProbe: readonly boolean[]): number[] =>
  passed.map((n, i) => (isProbe[i] ? 0 : n));

/** A scrape in which every scheduled request computed a single token: probes only. */
function prefillProbes(engine: Engine): boolean[] {
  const tokens = engine.rises.get('tokens.prefill');
  const scheduled = riseOr0(engine, 'scheduled');
  const forwarded = riseOr0(engine, 'prefill.forwarded');
  return engine.timesMs.map((_, i) => {
    const requests = Math.max(scheduled(i), forwarded(i));
    return tokens !== undefined && requests > 0 && (tokens[i] ?? 0) <= requests;
  });
}

/** What shows decode steps, the most direct counter first; empty when the engine has never made one. */
export const decodeSteps = (engine: Engine): readonly number[] =>
  engine.rises.get('tokens.decode') ?? engine.rises.get('passes.decode') ?? engine.rises.get('tokens.streamed') ?? [];

/** Tokens beyond the one that each health probe computes. */
export function realPrefillWork(engine: Engine): boolean[] {
  const tokens = engine.rises.get('tokens.prefill') ?? engine.rises.get('passes.prefill') ?? [];
  const scheduled = riseOr0(engine, 'scheduled');
  const chunked = riseOr0(engine, 'prefill.chunked');
  return engine.timesMs.map((_, i) => (tokens[i] ?? 0) > scheduled(i) || chunked(i) > 0);
}

/**
 * A real request that arrived decodes tokens in the same scrape or the next one; a probe never does. Departures whose
 * tokens come one scrape later are counted then, so that nothing is concluded from the future.
 */
function decodeDepartures(engine: Engine, passed: readonly number[]): number[] {
  const tokens = decodeSteps(engine);
  const transferred = riseOr0(engine, 'decode.transferred');
  const scheduled = riseOr0(engine, 'decode.scheduled');
  const finished = riseOr0(engine, 'requests.finished');
  const proven = (i: number): boolean =>
    (tokens[i] ?? 0) > 0 || finished(i) > 0 || scheduled(i) < transferred(i) || transferred(i) === 0;
  let held = 0;
  return passed.map((n, i) => {
    if (!proven(i)) {
      held = n;
      return 0;
    }
    const late = (tokens[i] ?? 0) > 0 ? held : 0;
    held = 0;
    return n + late;
  });
}

const riseOr0 =
  (engine: Engine, id: AnySignalId): ((i: number) => number) =>
  (i) =>
    engine.rises.get(id)?.[i] ?? 0;
