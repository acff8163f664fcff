import type { Role, StageId } from './model';
import type { AnySignalId } from './profiles/sglang';
import type { SwitchId } from './profiles/versions';

/** How a stage is read: what enters it, what leaves it, and what else proves that it works. */
export interface StageFlow {
  readonly stage: StageId;
  readonly role: Role;
  readonly name: string;
  /** Counter of requests that entered. */
  readonly entry?: AnySignalId;
  /** Counter of requests that left for the next stage: the proof of progress. */
  readonly exit: AnySignalId;
  /** Counter of requests that left by failing (client aborts included). */
  readonly failed?: AnySignalId;
  /** Work that shows while a request has not left yet: prefill chunks and tokens, decode steps. */
  readonly units: 'prefill' | 'decode' | 'none';
  readonly gauge?: AnySignalId;
  /** The stage that must take what this one hands over. */
  readonly next?: StageId;
  /**
   * `absolute`: entry − exit − failed since process start is the occupancy. `drifting`: aborts leave without being
   * counted, so it is a lower bound that counts every unexplained abort as gone. `sinceProgress`: the entry counter sits further upstream, so
   * only what has entered since the last departure counts. `none`: the two counters cannot be compared.
   */
  readonly balance: 'absolute' | 'drifting' | 'sinceProgress' | 'none';
  /** In releases in which this holds, aborts leave without being counted: what had drifted before the range is left out. */
  readonly driftsWith?: SwitchId;
  /** Read this way where the engine counts its entries itself (SGLang up to 0.5.9). */
  readonly counted?: { readonly entry: AnySignalId; readonly balance: 'absolute' };
  /** What stands for the entry where that is not scraped: the stage before is read together with this one. */
  readonly entryElse?: AnySignalId;
}

/** Sources: the state machine of SGLang's prefill and decode event loops; the `stage` labels of its request tracing. */
export const STAGE_FLOWS: readonly StageFlow[] = [
  {
    stage: 'router',
    role: 'router',
    name: 'Router',
    entry: 'router.requests',
    exit: 'router.responses',
    units: 'none',
    gauge: 'router.connections',
    next: 'prefill.bootstrap',
    // A client that hangs up is never counted as a response, so the two counters drift apart.
    balance: 'none',
  },
  {
    stage: 'prefill.bootstrap',
    role: 'prefill',
    name: 'Bootstrap',
    entry: 'http.requests',
    exit: 'prefill.bootstrapped',
    failed: 'bootstrap.failed',
    units: 'none',
    gauge: 'gauge.bootstrap',
    next: 'decode.prealloc',
    balance: 'sinceProgress',
    counted: { entry: 'prefill.entered', balance: 'absolute' },
  },
  {
    stage: 'prefill.waiting',
    role: 'prefill',
    name: 'Waiting',
    entry: 'prefill.bootstrapped',
    exit: 'scheduled',
    units: 'prefill',
    gauge: 'gauge.waiting',
    next: 'prefill.forward',
    balance: 'drifting',
  },
  {
    stage: 'prefill.forward',
    role: 'prefill',
    name: 'Forward',
    entry: 'scheduled',
    entryElse: 'prefill.bootstrapped',
    exit: 'prefill.forwarded',
    units: 'prefill',
    next: 'prefill.inflight',
    balance: 'drifting',
  },
  {
    stage: 'prefill.inflight',
    role: 'prefill',
    name: 'Inflight',
    entry: 'prefill.forwarded',
    exit: 'prefill.transferred',
    failed: 'transfer.failed',
    units: 'none',
    gauge: 'gauge.inflight',
    next: 'decode.transfer',
    balance: 'absolute',
    driftsWith: 'abortedForwardUncounted',
  },
  {
    stage: 'decode.prealloc',
    role: 'decode',
    name: 'Prealloc',
    entry: 'decode.received',
    exit: 'decode.bootstrapped',
    failed: 'bootstrap.failed',
    units: 'none',
    gauge: 'gauge.prealloc',
    next: 'decode.transfer',
    balance: 'absolute',
  },
  {
    stage: 'decode.transfer',
    role: 'decode',
    name: 'Transfer',
    entry: 'decode.bootstrapped',
    exit: 'decode.transferred',
    failed: 'transfer.failed',
    units: 'none',
    gauge: 'gauge.transfer',
    next: 'decode.waiting',
    balance: 'absolute',
  },
  {
    stage: 'decode.waiting',
    role: 'decode',
    name: 'Waiting',
    entry: 'decode.transferred',
    exit: 'decode.scheduled',
    units: 'decode',
    gauge: 'gauge.waiting',
    next: 'decode.running',
    balance: 'drifting',
  },
  {
    stage: 'decode.running',
    role: 'decode',
    name: 'Running',
    entry: 'decode.scheduled',
    exit: 'requests.finished',
    units: 'decode',
    gauge: 'gauge.running',
    balance: 'none',
  },
];

const BY_ID = new Map(STAGE_FLOWS.map((f) => [f.stage, f]));

/** Every stage has a flow; a stage that has none is a defect in the table above. */
export function flowOf(stage: StageId): StageFlow {
  const flow = BY_ID.get(stage);
  if (!flow) {
    throw new Error(`no flow for stage ${stage}`);
  }
  return flow;
}

/** From delivery upstream: the order in which the culprit is looked for. */
export const UPSTREAM_ORDER: readonly StageId[] = [
  'decode.running',
  'decode.waiting',
  'decode.transfer',
  'prefill.inflight',
  'prefill.forward',
  'prefill.waiting',
  'decode.prealloc',
  'prefill.bootstrap',
  'router',
];
