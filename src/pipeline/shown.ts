import type { Engine } from './columns';
import {
  hidesPrefillWork,
  realDecodeWork,
  realDepartures,
  realEntries,
  realPrefillWork,
  type Concluded,
} from './departures';
import { engineByLife, joinLives, within } from './lives';
import { balanceOf } from './occupancy';
import type { Column } from './series';
import type { StageFlow } from './stages';

/** Where work does not show, one long prompt may take this long. */
const HIDDEN_WORK_MS = 90_000;

/** What one process shows of a stage, per scrape. */
export interface Shown {
  readonly flow: StageFlow;
  readonly balance: Column;
  readonly atMost: Column;
  readonly arrivals: readonly number[];
  readonly departures: readonly number[];
  readonly doubtful: readonly boolean[];
  readonly unproven: readonly number[];
  readonly failed: readonly number[];
  readonly worked: readonly boolean[];
  /** The shortest window that its signals allow, in milliseconds. */
  readonly leastMs: readonly number[];
}

function shownBy(engine: Engine, known: StageFlow, concluded: Concluded): Shown {
  const flow = flowOn(engine, known);
  const { left: departures, unconfirmed, unproven } = realDepartures(engine, flow, concluded);
  const { atLeast: balance, atMost } = balanceOf(engine, flow, departures);
  const failed = (flow.failed && engine.rises.get(flow.failed)) ?? [];
  const leastMs = flow.units === 'prefill' && hidesPrefillWork(engine) ? HIDDEN_WORK_MS : 0;
  const worked = workOf(engine, flow);
  return {
    flow,
    balance,
    atMost,
    arrivals: realEntries(engine, flow),
    departures,
    // Depth that fell by more than the failures: a probe enters and leaves, and a request that failed did not get through.
    doubtful: unconfirmed.map((n, i) => n > 0 && (balance[i] ?? 0) + (failed[i] ?? 0) < (balance[i - 1] ?? 0)),
    unproven: engine.timesMs.map((_, i) => unproven[i] ?? 0),
    failed: engine.timesMs.map((_, i) => failed[i] ?? 0),
    worked: engine.timesMs.map((_, i) => worked[i] ?? false),
    leastMs: engine.timesMs.map(() => leastMs),
  };
}

/** How a stage is read on an engine, by what it counts. */
function flowOn({ columns }: Engine, { counted, entryElse, ...flow }: StageFlow): StageFlow {
  if (counted && columns.has(counted.entry)) {
    return { ...flow, ...counted };
  }
  return entryElse && flow.entry && !columns.has(flow.entry) ? { ...flow, entry: entryElse } : flow;
}

/** What the processes of an engine show of a stage, one after the other. */
export function shownInLives(engine: Engine, known: StageFlow, concluded: Concluded): Shown {
  const lives = engineByLife(engine);
  const each = lives.map((life) => shownBy(within(life.engine, life), known, concluded));
  const join = <V>(pick: (shown: Shown) => readonly V[]): V[] => joinLives(lives, each.map(pick));
  return {
    flow: each[each.length - 1]?.flow ?? known,
    balance: join((s) => s.balance),
    atMost: join((s) => s.atMost),
    arrivals: join((s) => s.arrivals),
    departures: join((s) => s.departures),
    doubtful: join((s) => s.doubtful),
    unproven: join((s) => s.unproven),
    failed: join((s) => s.failed),
    worked: join((s) => s.worked),
    leastMs: join((s) => s.leastMs),
  };
}

function workOf(engine: Engine, flow: StageFlow): readonly boolean[] {
  switch (flow.units) {
    case 'prefill':
      return realPrefillWork(engine);
    case 'decode':
      return realDecodeWork(engine);
    case 'none':
      return [];
  }
}
