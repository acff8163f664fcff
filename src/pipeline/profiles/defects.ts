import type { KnownDefect, Role, StageId, VerdictKind } from '../model';

/** What a report asks for beside the verdict. */
export type Need =
  /** A burst of aborts led to it. */
  | 'abort-burst'
  /** Decode has counted aborts in the range. */
  | 'aborts'
  /** A prefill engine is gone, or was restarted shortly before or since. */
  | 'prefill-gone'
  /** Transfers failed on the prefill side. */
  | 'prefill-failures'
  /** Decode's KV room is mostly free, or taken. */
  | 'kv-free'
  | 'kv-full'
  /** Requests stand in decode's transfer stage. */
  | 'transfer-held'
  /** The router reaches one side and misses the other. */
  | 'one-leg'
  | 'breaker-open'
  /** The router calls its workers healthy. */
  | 'said-healthy';

export interface Defect extends KnownDefect {
  /** Whose release decides; that of a router is not known. */
  readonly side: Role;
  readonly kinds: readonly VerdictKind[];
  /** Absent: any. */
  readonly stages?: readonly StageId[];
  readonly needs?: readonly Need[];
  /** First release with it, as far as known. */
  readonly since?: string;
}

const sglang = (issue: number): string => `sgl-project/sglang#${issue}`;
const DOOR: readonly StageId[] = ['prefill.bootstrap', 'decode.prealloc'];
const HANDOVER: readonly StageId[] = ['prefill.inflight', 'decode.transfer', 'decode.prealloc'];

/**
 * Reports of the SGLang project whose symptoms a verdict can match. `fixedIn` is the first release whose package has the
 * fix; without it none up to 0.5.23 has.
 */
export const DEFECTS: readonly Defect[] = [
  {
    issue: sglang(31144),
    text: 'the decode loop blocks while it sends to a prefill that has gone, and stays so when prefill is back',
    side: 'decode',
    kinds: ['decode-wedged', 'handshake-stalled'],
    needs: ['prefill-gone'],
    fixedIn: '0.5.17',
  },
  {
    issue: sglang(19900),
    text: 'the decode loop waits for a prefill whose bootstrap server cannot be reached',
    side: 'decode',
    kinds: ['decode-wedged', 'handshake-stalled'],
    needs: ['prefill-gone'],
    fixedIn: '0.5.10',
  },
  {
    issue: sglang(30352),
    text: 'an abort that decode sends ends the bootstrap thread of a NIXL prefill',
    side: 'prefill',
    kinds: ['handshake-stalled'],
    stages: DOOR,
    needs: ['abort-burst'],
    since: '0.5.13',
    fixedIn: '0.5.16',
  },
  {
    issue: sglang(25561),
    text: 'aborted requests that had shaken hands are not polled and pin the head of prealloc',
    side: 'decode',
    kinds: ['decode-admission-blocked', 'aborts-not-absorbed', 'handshake-stalled'],
    stages: DOOR,
    needs: ['abort-burst'],
    fixedIn: '0.5.13',
  },
  {
    issue: sglang(24522),
    text: 'an abort stays with the request and the KV manager never learns of it',
    side: 'decode',
    kinds: ['aborts-not-absorbed', 'decode-admission-blocked', 'transfer-stalled'],
    stages: HANDOVER,
    needs: ['abort-burst'],
    fixedIn: '0.5.12',
  },
  {
    issue: sglang(8177),
    text: 'decode keeps the KV room of aborted requests until it is full',
    side: 'decode',
    kinds: ['decode-admission-blocked', 'aborts-not-absorbed'],
    needs: ['abort-burst', 'kv-full'],
    fixedIn: '0.4.9.post5',
  },
  {
    issue: sglang(9817),
    text: 'a request that is aborted after its KV has arrived keeps its KV room',
    side: 'decode',
    kinds: ['decode-admission-blocked', 'aborts-not-absorbed'],
    needs: ['abort-burst', 'kv-full'],
    fixedIn: '0.5.2',
  },
  {
    issue: sglang(28651),
    text: 'prefill does not tell decode of an abort, so each orphan keeps a decode slot until the 300 s timer',
    side: 'prefill',
    kinds: ['aborts-not-absorbed', 'decode-admission-blocked', 'transfer-stalled'],
    stages: HANDOVER,
    needs: ['abort-burst'],
  },
  {
    issue: sglang(28022),
    text: 'receivers of aborted requests are not cleared in prealloc and transfer',
    side: 'decode',
    kinds: ['leaked-bookkeeping', 'aborts-not-absorbed'],
    stages: ['decode.prealloc', 'decode.transfer'],
    needs: ['aborts'],
    fixedIn: '0.5.14',
  },
  {
    issue: sglang(31800),
    text: 'a Mooncake receiver that has begun to transfer has no timeout: a lost completion leaks its request slot',
    side: 'decode',
    kinds: ['decode-admission-blocked', 'leaked-bookkeeping', 'transfer-stalled'],
    stages: ['decode.prealloc', 'decode.transfer'],
    needs: ['kv-free', 'transfer-held'],
  },
  {
    issue: sglang(36033),
    text: 'NIXL does not tell decode that a transfer failed, so decode waits for the 300 s timer',
    side: 'prefill',
    kinds: ['transfer-stalled', 'decode-admission-blocked'],
    stages: HANDOVER,
    needs: ['prefill-failures'],
    fixedIn: '0.5.20',
  },
  {
    issue: sglang(37483),
    text: 'prealloc without KV room stops polling its requests, so those that failed stay',
    side: 'decode',
    kinds: ['decode-admission-blocked'],
    stages: DOOR,
    needs: ['kv-full'],
    fixedIn: '0.5.20',
  },
  {
    issue: sglang(6857),
    text: 'requests that were retracted for want of KV room return to prealloc and never leave it',
    side: 'decode',
    kinds: ['decode-admission-blocked', 'handshake-stalled'],
    stages: DOOR,
    needs: ['kv-full'],
    fixedIn: '0.4.7.post1',
  },
  {
    issue: sglang(22877),
    text: 'a prefill that was just started completes no handshake while its health probes pass',
    side: 'prefill',
    kinds: ['handshake-stalled'],
    stages: DOOR,
    since: '0.5.10',
  },
  {
    issue: sglang(17483),
    text: 'requests aborted before their prefill keep their metadata buffers until none is left for a handshake',
    side: 'prefill',
    kinds: ['prefill-stalled', 'handshake-stalled'],
    stages: DOOR,
    needs: ['abort-burst'],
    fixedIn: '0.5.9',
  },
  {
    issue: sglang(5450),
    text: 'many small copies make the KV transfer slow under concurrency; larger pages help',
    side: 'prefill',
    kinds: ['transfer-slow'],
  },
  {
    issue: sglang(26495),
    text: 'the running gauge keeps its last value until the idle refresh',
    side: 'decode',
    kinds: ['stale-gauge'],
    stages: ['decode.running'],
    fixedIn: '0.5.16',
  },
  {
    issue: sglang(36333),
    text: 'the abort of a client that leaves its stream never reaches the scheduler, which decodes on',
    side: 'decode',
    kinds: ['zombie-requests'],
    since: '0.5.18',
    fixedIn: '0.5.20',
  },
  {
    issue: sglang(36876),
    text: 'an abort that falls between two batches is lost, and its request decodes on',
    side: 'decode',
    kinds: ['zombie-requests'],
  },
  {
    issue: sglang(31206),
    text: 'the router sends to decode while the breaker of prefill is open, and the breaker never closes again',
    side: 'router',
    kinds: ['router-fault'],
    needs: ['one-leg', 'breaker-open'],
  },
  {
    issue: sglang(29482),
    text: 'the router waits up to 1800 s for one side after the other has failed',
    side: 'router',
    kinds: ['router-fault'],
    needs: ['one-leg'],
  },
  {
    issue: sglang(34572),
    text: 'pipeline ranks of prefill part after a burst of aborts and block one another',
    side: 'prefill',
    kinds: ['rank-divergence'],
    stages: ['prefill.forward'],
    needs: ['abort-burst'],
  },
  {
    issue: sglang(26912),
    text: 'aborted requests stay in the bootstrap queue of later pipeline ranks for ever',
    side: 'prefill',
    kinds: ['rank-divergence'],
    stages: ['prefill.forward'],
    needs: ['abort-burst'],
    fixedIn: '0.5.13',
  },
  {
    issue: sglang(6624),
    text: 'health checks are answered with 200 although the scheduler is dead',
    side: 'decode',
    kinds: ['decode-wedged'],
    needs: ['said-healthy'],
  },
];
