import { type Engine } from './engine';

export type PrefillStage = 'arriving' | 'bootstrap' | 'waiting' | 'forward' | 'inflight' | 'gone';
export type DecodeStage = 'arriving' | 'prealloc' | 'transfer' | 'waiting' | 'running' | 'retracted' | 'gone';

/** What a client asks for. */
export interface RequestSpec {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Leading prompt tokens that the prefill engine already has in its prefix cache. */
  readonly cachedTokens?: number;
  /** How long the client waits for a first byte; the deployment's usual time otherwise. */
  readonly patienceMs?: number;
  /** Engines that take it, by instance, as a router that routes by header would choose; their turn otherwise. */
  readonly via?: { readonly prefill?: string; readonly decode?: string };
  /** The data-parallel rank of decode that takes it; their turn otherwise. */
  readonly dpRank?: number;
  /** Its answer comes at its end, not token by token. */
  readonly isWhole?: boolean;
}

/** State of one leg: the request as one engine sees it. */
export interface Leg<Stage> {
  /** Absent when this side takes no part: a health probe has only one leg. */
  engine?: Engine;
  stage: Stage;
  /** When the current stage was entered. */
  stageSinceMs: number;
  /** The HTTP exchange with this engine has not ended. */
  isOpen: boolean;
  /** The sender or receiver was aborted, lost its peer or ran out of time: fails at the next poll. */
  hasFailed: boolean;
  dpRank: number;
}

/** A request on its way through router, prefill and decode. */
export interface Request {
  readonly id: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly via?: RequestSpec['via'];
  readonly dpRank?: number;
  readonly isWhole: boolean;
  /** FAKE bootstrap: no handshake and no KV transfer. */
  readonly isFake: boolean;
  readonly sentAtMs: number;
  readonly prefill: Leg<PrefillStage>;
  readonly decode: Leg<DecodeStage>;
  handshakeAtMs?: number;
  /** Decode has reserved KV pages and told the prefill engine where they are. */
  hasMetadata: boolean;
  computedTokens: number;
  isKvMoving: boolean;
  hasKvLanded: boolean;
  /** The decode side has acknowledged the KV; without it the prefill side does not conclude either. */
  isKvConcluded: boolean;
  transferMs: number;
  /** Its KV is there, but decode was never told and never will be. */
  isLeaked: boolean;
  /** Decodes for ever, for a client that left without the scheduler hearing of it. */
  isZombie: boolean;
  generatedTokens: number;
  /** Pages held in the decode engine's KV pool. */
  decodePages: number;
  /** Pages held in the prefill engine's KV pool. */
  prefillPages: number;
  firstByteAtMs?: number;
  /** Set once, when the client has its answer or has left. */
  outcome?: 'finished' | 'aborted' | 'failed';
}

/** A request that no engine has seen yet. */
export function createRequest(id: number, spec: RequestSpec, sentAtMs: number, isFake = false): Request {
  const leg = { stageSinceMs: sentAtMs, isOpen: false, hasFailed: false, dpRank: 0 };
  return {
    id,
    promptTokens: spec.promptTokens,
    outputTokens: spec.outputTokens,
    cachedTokens: spec.cachedTokens ?? 0,
    isFake,
    sentAtMs,
    via: spec.via,
    dpRank: spec.dpRank,
    isWhole: spec.isWhole === true,
    prefill: { ...leg, stage: 'gone' },
    decode: { ...leg, stage: 'gone' },
    hasMetadata: false,
    computedTokens: 0,
    isKvMoving: false,
    hasKvLanded: false,
    isKvConcluded: false,
    transferMs: 0,
    isLeaked: false,
    isZombie: false,
    generatedTokens: 0,
    decodePages: 0,
    prefillPages: 0,
  };
}

/** Moves a leg to its next stage and returns how long it was in the one before, in seconds. */
export function enterStage<Stage>(leg: Leg<Stage>, stage: Stage, nowMs: number): number {
  const seconds = (nowMs - leg.stageSinceMs) / 1000;
  leg.stage = stage;
  leg.stageSinceMs = nowMs;
  return seconds;
}
