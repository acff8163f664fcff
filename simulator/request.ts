import { type Engine } from './engine';

export type PrefillStage = 'arriving' | 'bootstrap' | 'waiting' | 'forward' | 'inflight' | 'gone';
export type DecodeStage = 'arriving' | 'prealloc' | 'transfer' | 'waiting' | 'running' | 'gone';

/** What a client asks for. */
export interface RequestSpec {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Leading prompt tokens that the prefill engine already has in its prefix cache. */
  readonly cachedTokens?: number;
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
  /** The sender or receiver was aborted or lost its peer: fails at the next poll. */
  hasFailed: boolean;
}

/** A request on its way through router, prefill and decode. */
export interface Request {
  readonly id: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** FAKE bootstrap: no handshake and no KV transfer. */
  readonly isFake: boolean;
  readonly sentAtMs: number;
  readonly prefill: Leg<PrefillStage>;
  readonly decode: Leg<DecodeStage>;
  handshakeAtMs?: number;
  /** Decode has reserved KV pages and told the prefill engine where they are. */
  hasMetadata: boolean;
  computedTokens: number;
  hasKvLanded: boolean;
  /** The decode side has acknowledged the KV; without it the prefill side does not conclude either. */
  isKvConcluded: boolean;
  transferMs: number;
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
  return {
    id,
    promptTokens: spec.promptTokens,
    outputTokens: spec.outputTokens,
    cachedTokens: spec.cachedTokens ?? 0,
    isFake,
    sentAtMs,
    prefill: { stage: 'gone', stageSinceMs: sentAtMs, isOpen: false, hasFailed: false },
    decode: { stage: 'gone', stageSinceMs: sentAtMs, isOpen: false, hasFailed: false },
    hasMetadata: false,
    computedTokens: 0,
    hasKvLanded: false,
    isKvConcluded: false,
    transferMs: 0,
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
