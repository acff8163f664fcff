import { type DeploymentConfig } from './config';
import { type Request } from './request';

/** What one forward pass of prefill computes. */
export interface Batch {
  readonly requests: readonly Request[];
  readonly computeTokens: number;
  readonly cacheTokens: number;
}

export function uncomputed(request: Request): number {
  return request.promptTokens - request.cachedTokens - request.computedTokens;
}

/** The next chunk of a long prompt, computed alone. */
export function nextChunk(request: Request, config: DeploymentConfig): Batch {
  return {
    requests: [request],
    computeTokens: Math.min(uncomputed(request), config.prefillChunkTokens),
    cacheTokens: 0,
  };
}

/** Takes from the head of `waiting`: short prompts share up to one chunk of tokens; one that is longer ends the batch. */
export function takeBatch(waiting: Request[], config: DeploymentConfig): Batch | undefined {
  const requests: Request[] = [];
  let [computeTokens, cacheTokens] = [0, 0];
  for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
    if (requests.length > 0 && computeTokens + uncomputed(next) > config.prefillChunkTokens) {
      break;
    }
    waiting.shift();
    requests.push(next);
    cacheTokens += next.cachedTokens;
    computeTokens += Math.min(uncomputed(next), config.prefillChunkTokens);
    if (uncomputed(next) > config.prefillChunkTokens) {
      break;
    }
  }
  return requests.length > 0 ? { requests, computeTokens, cacheTokens } : undefined;
}
