import type { Engine } from './columns';
import type { Depth } from './model';
import { once } from './once';
import { QUEUE_GAUGES, type AnySignalId } from './profiles/sglang';
import { holds } from './profiles/versions';
import type { Column } from './series';
import type { StageFlow } from './stages';

/** A believed gauge is at most this many scrapes old. */
const FRESH_SCRAPES = 2;

const PASSES = [
  'tokens.decode',
  'tokens.prefill',
  'passes.decode',
  'passes.prefill',
] as const satisfies readonly AnySignalId[];

/** Some request has passed some stage of this engine, so a stage that shows no counter has a count of zero. */
export const countsStages = once((engine: Engine): boolean =>
  [...engine.columns.keys()].some((id) => /^(prefill|decode)\./.test(id))
);

/** The edges of each side in the order in which a request passes them. */
const EDGES: ReadonlyArray<readonly AnySignalId[]> = [
  ['prefill.bootstrapped', 'scheduled', 'prefill.forwarded', 'prefill.transferred', 'kv.transfers'],
  ['decode.received', 'decode.bootstrapped', 'decode.transferred', 'decode.scheduled', 'tokens.decode'],
];

/**
 * Both ends of the stage are counted. A counter that was never seen stands at zero only as long as no counter behind it
 * was seen either: otherwise it is not exported, or lost on the way.
 */
export function isCounted(engine: Engine, flow: StageFlow): boolean {
  if (flow.role === 'router') {
    return true;
  }
  const isLost = (id: AnySignalId): boolean => {
    const edges = EDGES.find((list) => list.includes(id)) ?? [];
    return !engine.columns.has(id) && edges.slice(edges.indexOf(id) + 1).some((later) => engine.columns.has(later));
  };
  return countsStages(engine) && ![flow.entry, flow.exit].some((id) => id !== undefined && isLost(id));
}

/** Requests in a stage per scrape; `undefined` where nothing proves a number. */
export interface Balance {
  readonly atLeast: Column;
  readonly atMost: Column;
}

/**
 * Requests in a stage by flow balance, per scrape: `undefined` where it cannot be known. The difference of two
 * cumulative counters cannot freeze while events happen; it is re-zeroed when it would go negative, at a restart, and
 * whenever a gauge push shows the engine verifiably empty.
 */
export function balanceOf(engine: Engine, flow: StageFlow, departures: readonly number[]): Balance {
  if (flow.balance === 'none' || !flow.entry || !isCounted(engine, flow)) {
    return exactly(engine.timesMs.map(() => undefined));
  }
  if (flow.balance === 'sinceProgress') {
    return exactly(enteredSinceProgress(engine, flow, departures));
  }
  if (!engine.columns.has(flow.entry) && !engine.columns.has(flow.exit)) {
    return exactly(engine.timesMs.map(() => (flow.role === 'router' ? undefined : 0)));
  }
  const bounds = flowBounds(engine, flow);
  return { atLeast: bounds.map((b) => b.atLeast), atMost: bounds.map((b) => b.atMost) };
}

const exactly = (column: Column): Balance => ({ atLeast: column, atMost: column });

/** Lower and upper bound of the requests inside; they differ only where aborts leave uncounted. */
function flowBounds(engine: Engine, flow: StageFlow): Array<{ atLeast: number; atMost: number }> {
  const empty = verifiablyEmpty(engine);
  const restarts = new Set(engine.restarts);
  const at = (id: AnySignalId | undefined, i: number): number => (id ? (engine.columns.get(id)?.[i] ?? 0) : 0);
  const gone = flow.balance === 'drifting' ? uncountedAborts(engine) : [];
  const entered = flow.entry && engine.rises.get(flow.entry);
  let offset: number | undefined;
  let drift = 0;
  return engine.timesMs.map((_, i) => {
    const raw = at(flow.entry, i) - at(flow.exit, i) - at(flow.failed, i);
    drift += gone[i] ?? 0;
    if (restarts.has(i)) {
      offset = 0;
    }
    offset ??= flow.balance === 'drifting' ? raw : Math.min(raw, driftedBefore(engine, flow));
    // What entered in the very scrape of the refresh may have come after it.
    const isEmptied = empty[i] === true && (entered?.[i] ?? 0) === 0;
    if (raw <= offset || isEmptied) {
      offset = raw;
      drift = 0;
    }
    return { atLeast: Math.max(0, raw - offset - drift), atMost: raw - offset };
  });
}

/** What aborts may have left behind since the start of the process, where this release does not count them out. */
function driftedBefore({ columns, releases }: Engine, { driftsWith }: StageFlow): number {
  const first = (id: AnySignalId): number => columns.get(id)?.[0] ?? 0;
  return driftsWith && holds(releases[0], driftsWith)
    ? Math.max(0, first('requests.aborted') - first('transfer.failed') - first('bootstrap.failed'))
    : 0;
}

/** Aborts that no failed counter explains: they may have left a waiting queue without being counted there. */
function uncountedAborts(engine: Engine): number[] {
  const rise = (id: AnySignalId, i: number): number => engine.rises.get(id)?.[i] ?? 0;
  return engine.timesMs.map((_, i) =>
    Math.max(0, rise('requests.aborted', i) - rise('transfer.failed', i) - rise('bootstrap.failed', i))
  );
}

/**
 * The entry is counted upstream, where requests are refused too. So what is inside is counted anew with each departure,
 * and is never more than clients have open, where these are counted to the end of their answers.
 */
function enteredSinceProgress(engine: Engine, flow: StageFlow, departures: readonly number[]): Column {
  const entered = flow.entry && engine.rises.get(flow.entry);
  const failed = flow.failed && engine.rises.get(flow.failed);
  const restarts = new Set(engine.restarts);
  let inside = 0;
  return engine.timesMs.map((_, i) => {
    if (!entered) {
      return undefined;
    }
    const left = departures[i] ?? 0;
    const before = left > 0 || restarts.has(i) ? 0 : inside;
    const came = restarts.has(i) ? 0 : (entered[i] ?? 0);
    inside = Math.min(Math.max(0, before + came - left - (failed?.[i] ?? 0)), openRequests(engine, i, left));
    return inside;
  });
}

/** Requests that clients have open at a scrape; `undefined` where they are not counted to the end of their answers. */
export const openToTheEnd = ({ columns, releases }: Engine, i: number): number | undefined =>
  holds(releases[i], 'httpOpenUntilStreamEnds') === true ? columns.get('http.active')?.[i] : undefined;

/** Without limit where they are not known, and none where something has just left. */
const openRequests = (engine: Engine, i: number, left: number): number =>
  openToTheEnd(engine, i) ?? (left > 0 ? 0 : Infinity);

/**
 * All queue gauges are zero in a scrape in which they were pushed and no batch ran: that push was the idle refresh. The
 * report after a batch pushes zeros too, between two chunks of a long prompt for instance.
 */
function verifiablyEmpty(engine: Engine): boolean[] {
  const gauges = QUEUE_GAUGES.map((id) => engine.columns.get(id)).filter((c) => c !== undefined);
  const passes = PASSES.map((id) => engine.rises.get(id)).filter((r) => r !== undefined);
  const countsBatches = engine.role !== 'prefill' || passes.length > 0;
  return engine.timesMs.map((_, i) => {
    // A prefill that reports no batch pushes at rest only.
    const canTell = countsBatches || holds(engine.releases[i], 'prefillReportMissing') === true;
    const isRefresh = canTell && engine.pushed[i] === true && passes.every((r) => (r[i] ?? 0) === 0);
    return isRefresh && gauges.length > 0 && gauges.every((c) => (c[i] ?? 0) === 0);
  });
}

/** Last instant at or before scrape `i` at which the gauges of this engine were provably true. */
export function gaugesTrueAtMs(engine: Engine): Array<number | undefined> {
  const moves = PASSES.map((id) => engine.rises.get(id)).filter((r) => r !== undefined);
  let last: number | undefined;
  return engine.timesMs.map((t, i) => {
    if (engine.pushed[i] || moves.some((r) => (r[i] ?? 0) > 0)) {
      last = t;
    }
    return last;
  });
}

export interface DepthInput {
  readonly engine: Engine;
  readonly flow: StageFlow;
  readonly index: number;
  readonly balance: number | undefined;
  readonly gaugesTrueAtMs: number | undefined;
  /** The engine provably runs but makes no batches: nothing can be running. */
  readonly provablyEmpty: boolean;
  /** No counter of this engine speaks of a request inside: a gauge that says zero agrees and is believed. */
  readonly quiet: boolean;
}

/** Which number to believe: the balance, else a fresh gauge, else none, with the last gauge and its age kept in sight. */
export function depthOf(input: DepthInput): Depth {
  const { engine, flow, index, balance } = input;
  const value = flow.gauge && engine.columns.get(flow.gauge)?.[index];
  const fresh = isFresh(input) || (input.quiet && value === 0);
  const gauge = value === undefined ? undefined : { value, fresh, trueAtMs: input.gaugesTrueAtMs };
  if (balance !== undefined) {
    return { source: 'balance', value: balance, gauge };
  }
  if (gauge?.fresh) {
    return { source: 'gauge', value: gauge.value, gauge };
  }
  return input.provablyEmpty ? { source: 'balance', value: 0, gauge } : { source: 'none', gauge };
}

function isFresh({ engine, flow, index, gaugesTrueAtMs: trueAt }: DepthInput): boolean {
  if (flow.role === 'router') {
    return true;
  }
  const since = engine.timesMs[Math.max(0, index - FRESH_SCRAPES)];
  return trueAt !== undefined && since !== undefined && trueAt >= since;
}

/** What the scheduler process itself counts: none of these moves while its loop is blocked. */
const SCHEDULER_SIGNALS = [
  ...PASSES,
  'prefill.bootstrapped',
  'prefill.chunked',
  'prefill.forwarded',
  'prefill.transferred',
  'decode.received',
  'decode.bootstrapped',
  'decode.transferred',
  'decode.scheduled',
  'scheduled',
  'bootstrap.failed',
  'transfer.failed',
  'heartbeat',
] as const satisfies readonly AnySignalId[];

/** Last instant at or before scrape `i` at which the scheduler had counted anything or pushed a gauge, or a new process had begun. */
export function lastMoveMs(engine: Engine): Array<number | undefined> {
  const moves = SCHEDULER_SIGNALS.map((id) => engine.rises.get(id)).filter((r) => r !== undefined);
  const restarts = new Set(engine.restarts);
  let last: number | undefined;
  return engine.timesMs.map((t, i) => {
    if (restarts.has(i) || engine.pushed[i] || moves.some((r) => (r[i] ?? 0) > 0)) {
      last = t;
    }
    return last;
  });
}
