import { SGLANG_0_5_12, type VersionProfile } from './versionProfile';

/** Sizes and speeds of the simulated deployment. */
export interface DeploymentConfig {
  readonly profile: VersionProfile;
  readonly modelName: string;
  readonly prefillCount: number;
  readonly decodeCount: number;
  /** Tensor-parallel ranks per engine: rank 0 publishes gauges, all ranks publish their event counters. */
  readonly tpSize: number;
  /** Data-parallel ranks of a decode engine, each with a queue of its own; they share the TP ranks. */
  readonly decodeDpSize: number;
  /** Pipeline stages of a prefill engine. */
  readonly prefillPpSize: number;
  /** `generate`: a 1-token FAKE request per check. `static`: 200 as long as the HTTP process lives. */
  readonly healthMode: 'generate' | 'static';
  readonly healthIntervalMs: number;
  /** Offset of the checks within their interval, on the wall clock. */
  readonly healthPhaseMs: number;
  readonly pageTokens: number;
  readonly kvCapacityTokens: number;
  /** Decode request slots: running, waiting and in transfer together. */
  readonly requestSlots: number;
  /** KV room that admission keeps free for each request that is running or about to. */
  readonly reservedDecodeTokens: number;
  readonly prefillChunkTokens: number;
  readonly prefillBatchBaseMs: number;
  readonly prefillTokensPerMs: number;
  /** A decode step costs `base + perRequest × batch`: 31.53 ms with 11 running. */
  readonly stepBaseMs: number;
  readonly stepPerRequestMs: number;
  /** Decode steps between two gauge reports (`--decode-log-interval`). */
  readonly reportEverySteps: number;
  readonly idleRefreshMs: number;
  readonly kvMbPerToken: number;
  readonly transferBaseMs: number;
  readonly transferMbPerMs: number;
  readonly clientTimeoutMs: number;
  /** How long a handshake may take on prefill, from the arrival of the request. */
  readonly bootstrapTimeoutMs: number;
  /** How long decode waits for the first byte of KV, from its metadata on. Nothing bounds a transfer that has begun. */
  readonly waitingTimeoutMs: number;
  /** Failed health checks in a row after which the router sends an engine nothing more. */
  readonly failuresToUnhealthy: number;
  /** The router joins both legs: when one fails it waits for the other, up to its timeout, or drops it. */
  readonly routerJoin: 'drops the other' | 'waits for the other';
  readonly routerTimeoutMs: number;
}

/** For `failuresToUnhealthy`: a router that does not act on health checks, so that demand goes on. */
export const NEVER_UNHEALTHY = 1_000_000;

export const DEFAULT_CONFIG: DeploymentConfig = {
  profile: SGLANG_0_5_12,
  modelName: 'deepseek-v4-flash',
  prefillCount: 1,
  decodeCount: 1,
  tpSize: 2,
  decodeDpSize: 1,
  prefillPpSize: 1,
  healthMode: 'generate',
  healthIntervalMs: 60_000,
  healthPhaseMs: 10_000,
  pageTokens: 256,
  kvCapacityTokens: 786_432,
  requestSlots: 96,
  reservedDecodeTokens: 256,
  prefillChunkTokens: 8192,
  prefillBatchBaseMs: 15,
  prefillTokensPerMs: 6,
  stepBaseMs: 29.11,
  stepPerRequestMs: 0.22,
  reportEverySteps: 40,
  idleRefreshMs: 30_000,
  kvMbPerToken: 0.07,
  transferBaseMs: 4,
  transferMbPerMs: 12,
  clientTimeoutMs: 35_000,
  bootstrapTimeoutMs: 300_000,
  waitingTimeoutMs: 300_000,
  failuresToUnhealthy: 3,
  routerJoin: 'drops the other',
  routerTimeoutMs: 1_800_000,
};
