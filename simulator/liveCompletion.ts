import { type Run } from './run';

const LOOK_EVERY_MS = 20;
const PROMPT_TOKENS = 4;
const OUTPUT_TOKENS = 2;

/** How the completion that somebody outside asked for has ended. */
export interface Completion {
  readonly status: 200 | 499 | 500;
  readonly tokens: number;
}

/**
 * Sends a tiny completion through the simulated router and waits, in simulated time, for its end. Whoever leaves before
 * (`onLeave`) cancels it, as a real client would; nobody else does, since a real router waits for half an hour.
 */
export function postCompletion(
  { simulation, deployment }: Pick<Run, 'simulation' | 'deployment'>,
  whenClientLeaves: (onLeave: () => void) => void
): Promise<Completion> {
  const request = deployment.clients.send({
    promptTokens: PROMPT_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    patienceMs: Infinity,
  });
  whenClientLeaves(() => deployment.clients.cancel(request));
  return new Promise((resolve) => {
    const look = (): void => {
      switch (request.outcome) {
        case undefined:
          simulation.after(LOOK_EVERY_MS, look);
          break;
        case 'finished':
          resolve({ status: 200, tokens: request.generatedTokens });
          break;
        case 'aborted':
          resolve({ status: 499, tokens: 0 });
          break;
        case 'failed':
          resolve({ status: 500, tokens: 0 });
      }
    };
    look();
  });
}
