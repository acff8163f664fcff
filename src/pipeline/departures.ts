import type { Engine } from './columns';
import { countsStages } from './occupancy';
import type { AnySignalId } from './profiles/sglang';
import { without } from './series';
import type { StageFlow } from './stages';

/** KV transfers that the prefill side counted in `(fromMs, toMs]`; `undefined` where it was not seen. */
export type Concluded = (fromMs: number, toMs: number) => number | undefined;

/** Requests that left a stage, per scrape. */
export interface Departures {
  readonly left: readonly number[];
  /** Those that the other side has not confirmed yet, but may with its next scrape. */
  readonly unconfirmed: readonly number[];
  /** Of those that left so many may be health probes. */
  readonly unproven: readonly number[];
}

/**
 * Health probes are one-token requests that pass every edge of an engine without a handshake or a transfer. They prove
 * that the loop runs, not that requests get through, so they are taken out of the departures.
 */
export function realDepartures(engine: Engine, flow: StageFlow, concluded: Concluded): Departures {
  const { left, unconfirmed } =
    flow.stage === 'decode.transfer'
      ? concludedOnBothSides(engine, decodeDepartures(engine, passedBy(engine, flow)), concluded)
      : { left: leftBy(engine, flow), unconfirmed: [] };
  return { left, unconfirmed, unproven: flow.role === 'decode' ? engine.tokenless : [] };
}

const passedBy = (engine: Engine, { exit, stage }: StageFlow): readonly number[] =>
  engine.rises.get(exit) ??
  (stage === 'decode.transfer' ? firstTokens(engine) : undefined) ??
  engine.timesMs.map(() => 0);

/** A request whose KV has arrived gives its client a first token: all that tells of it where stages are not counted. */
const firstTokens = (engine: Engine): readonly number[] | undefined =>
  countsStages(engine) ? undefined : engine.rises.get('tokens.first');

function leftBy(engine: Engine, flow: StageFlow): readonly number[] {
  const passed = passedBy(engine, flow);
  switch (flow.stage) {
    case 'router':
      return passed;
    case 'decode.running':
      return delivered(engine);
    case 'prefill.inflight':
      // Both are counted on success only, and never for probes; prefill calls a request finished when its KV is transferred.
      return (
        engine.rises.get('kv.transfers') ??
        (engine.rises.has(flow.exit) ? without(passed, prefillProbes(engine)) : delivered(engine))
      );
    default:
      return flow.role === 'prefill' ? without(passed, prefillProbes(engine)) : decodeDepartures(engine, passed);
  }
}

/** Finished requests without those that ended by an abort or a failure: SGLang counts these as finished too. */
function delivered(engine: Engine): number[] {
  const [finished, aborted, transfer, bootstrap] = (
    ['requests.finished', 'requests.aborted', 'transfer.failed', 'bootstrap.failed'] as const
  ).map((id) => riseOr0(engine, id));
  return engine.timesMs.map((_, i) => {
    const failed = (transfer?.(i) ?? 0) + (bootstrap?.(i) ?? 0);
    return Math.max(0, (finished?.(i) ?? 0) - Math.max(failed, aborted?.(i) ?? 0));
  });
}

/** Requests that entered a stage, health probes left out. */
export function realEntries(engine: Engine, flow: StageFlow): readonly number[] {
  const entered = (flow.entry && engine.rises.get(flow.entry)) ?? engine.timesMs.map(() => 0);
  switch (flow.role) {
    case 'decode':
      return decodeDepartures(engine, entered);
    case 'prefill':
      return flow.entry === 'http.requests' ? entered : without(entered, prefillProbes(engine));
    default:
      return entered;
  }
}

/**
 * A transfer has two ends. What decode counts while prefill concludes nothing is a probe; as the two are scraped at
 * different instants, the confirmation may come one scrape later. Where it did not come for the scrape before, probes
 * are about, and the next ones are no reason to wait.
 */
function concludedOnBothSides(
  engine: Engine,
  passed: readonly number[],
  concluded: Concluded
): Omit<Departures, 'unproven'> {
  const unconfirmed: number[] = [];
  let held = 0;
  const left = passed.map((n, i) => {
    const fromMs = engine.timesMs[Math.max(0, i - 2)] ?? 0;
    const other = concluded(fromMs, engine.timesMs[i] ?? 0);
    unconfirmed.push(other === 0 && held === 0 ? n : 0);
    if (other === 0) {
      held = n;
      return 0;
    }
    const late = other === undefined ? 0 : held;
    held = 0;
    return n + late;
  });
  return { left, unconfirmed };
}

/**
 * A probe passes every edge and transfers nothing, which SGLang 0.5.10 counts apart. Before, where tokens were computed but
 * at most one for each request and none was cached, each token is a probe; a request beyond them has been scheduled and
 * its tokens come later. Before 0.5.7 tokens are not counted: there a probe is what passed every edge within a scrape
 * without being counted as a finished request. Where these are not scraped either, nothing is taken for one.
 */
export function prefillProbes(engine: Engine): number[] {
  const transfers = engine.rises.get('kv.transfers');
  const transferred = riseOr0(engine, 'prefill.transferred');
  if (transfers) {
    return transfers.map((real, i) => Math.max(0, transferred(i) - real));
  }
  const scheduled = riseOr0(engine, 'scheduled');
  const forwarded = riseOr0(engine, 'prefill.forwarded');
  const computed = engine.rises.get('tokens.prefill');
  if (computed) {
    const cached = riseOr0(engine, 'tokens.cached');
    return computed.map((n, i) => (n <= Math.max(scheduled(i), forwarded(i)) && cached(i) === 0 ? n : 0));
  }
  const isTold = tellsProbes(engine);
  return delivered(engine).map((real, i) =>
    isTold ? Math.max(0, Math.min(scheduled(i), forwarded(i), transferred(i)) - real) : 0
  );
}

/** What shows decode steps, the most direct counter first; empty when the engine has never made one. */
export const decodeSteps = (engine: Engine): readonly number[] =>
  engine.rises.get('tokens.decode') ?? engine.rises.get('passes.decode') ?? engine.rises.get('tokens.streamed') ?? [];

/** Scrapes that show decode steps; where neither tokens nor passes are counted, the report of a running batch shows 40. */
export function realDecodeWork(engine: Engine): readonly boolean[] {
  const steps = decodeSteps(engine);
  const isCounted = engine.columns.has('tokens.decode') || engine.columns.has('passes.decode');
  return engine.timesMs.map(
    (_, i) => (steps[i] ?? 0) > 0 || (!isCounted && engine.pushed[i] === true && isReport(engine, i))
  );
}

const HELD = ['gauge.running', 'gauge.waiting', 'gauge.prealloc', 'gauge.transfer'] as const;

/**
 * What decode's gauges show was pushed by its steps. The idle refresh sets the throughput to zero; in 0.5.2 it leaves the
 * queues as they were, which prove nothing then.
 */
export function isReport({ columns }: Engine, index: number): boolean {
  const throughput = columns.get('gauge.throughput')?.[index];
  return throughput === undefined ? HELD.some((id) => (columns.get(id)?.[index] ?? 0) > 0) : throughput > 0;
}

/**
 * Tokens beyond the one that each health probe computes, or chunks. Where neither tokens nor passes are counted, a push of
 * the gauges stands for a batch: prefill pushes them for every one.
 */
export function realPrefillWork(engine: Engine): readonly boolean[] {
  const tokens = engine.rises.get('tokens.prefill') ?? engine.rises.get('passes.prefill');
  const scheduled = riseOr0(engine, 'scheduled');
  const chunked = riseOr0(engine, 'prefill.chunked');
  return engine.timesMs.map(
    (_, i) => chunked(i) > 0 || (tokens ? (tokens[i] ?? 0) > scheduled(i) : engine.pushed[i] === true)
  );
}

/**
 * SGLang 0.5.9 neither counts the tokens of a prefill engine nor pushes its gauges while it works, so one long prompt looks
 * like a stall. Known by requests that were computed without a sign of it.
 */
export function hidesPrefillWork(engine: Engine): boolean {
  const computed = engine.rises.get('prefill.forwarded') ?? [];
  const worked = realPrefillWork(engine);
  const busy = computed.flatMap((n, i) => (n > 0 ? [i] : []));
  return busy.length > 0 && busy.filter((i) => worked[i]).length < busy.length / 4;
}

/** What only real requests leave behind on decode, or finished ones anywhere, and where it would be scraped if there were any. */
const TRACES = [
  'tokens.first',
  'tokens.decode',
  'passes.decode',
  'tokens.streamed',
  'requests.finished',
  'http.all',
] as const satisfies readonly AnySignalId[];

const tellsProbes = ({ columns }: Engine): boolean => TRACES.some((id) => columns.has(id));

/**
 * A real request that arrived gives its client a first token in the same scrape or a later one; a probe never does. Where
 * first tokens are not counted (on a single rank), any token stands for them. Departures whose tokens come later are
 * counted then, so that nothing is concluded from the future. Where none of this is scraped, every departure is believed.
 */
function decodeDepartures(engine: Engine, passed: readonly number[]): number[] {
  const firsts = engine.rises.get('tokens.first');
  const served = firsts ?? decodeSteps(engine);
  const transferred = riseOr0(engine, 'decode.transferred');
  const scheduled = riseOr0(engine, 'decode.scheduled');
  const finished = firsts ? [] : delivered(engine);
  const isServed = (i: number): boolean => (served[i] ?? 0) > 0 || (finished[i] ?? 0) > 0;
  if (!tellsProbes(engine)) {
    return [...passed];
  }
  let held = 0;
  return passed.map((n, i) => {
    const isProven = isServed(i) || scheduled(i) < transferred(i) || transferred(i) === 0;
    if (!isProven) {
      held = Math.min(n, transferred(i)) + (firsts ? held : 0);
      return Math.max(0, n - transferred(i));
    }
    // No more than the first tokens that came: the rest of what was held were probes.
    const late = Math.min(held, firsts ? Math.max(0, (firsts[i] ?? 0) - n) : (served[i] ?? 0));
    held = isServed(i) ? 0 : held;
    return n + late;
  });
}

const riseOr0 =
  (engine: Engine, id: AnySignalId): ((i: number) => number) =>
  (i) =>
    engine.rises.get(id)?.[i] ?? 0;
