import { DecodeScheduler } from '../decodeScheduler';
import { type ScenarioContext } from '../scenario';

const PAGE = 256;

/** Ordinary traffic until the last answers still end before the agent starts. */
const LAST_ORDINARY_S = -30;
/** Sets decode's step counter, so that the report falls just after 20:38:00. */
const PACEMAKER_S = -12.2;
const AGENT_S = -10.73;
/** The first request is computed alone, the rest in batches of three: every run of prefill is the same. */
const AGENT_REST_S = AGENT_S + 0.05;
const BACKLOG_S = -6.4;
const BYSTANDERS_S = -6.3;

/**
 * The minute before T0 = 20:38:03, told in requests (each prompt is one token more than n pages, so that it
 * holds n + 1 pages for its first 255 steps):
 * 11 agent requests of 10 pages run. 5 agent requests wait for prefill: the first has a prompt of 157 pages
 * and keeps prefill busy beyond T0, the other four have 14 pages each. Behind them wait 3 requests of other
 * people, of 14, 14 and 13 pages.
 * So at 20:38:00: 11 running, 5 + 3 = 8 in transfer, (11 × 10 + 157 + 4 × 14 + 41) × 256 = 364 × 256 = 93,184
 * tokens, and 11 / (29.11 + 11 × 0.22) ms = 348.87 token/s.
 */
export function playUntilT0({ simulation, deployment, agent, decode, traffic, t0Ms }: ScenarioContext): void {
  const at = (seconds: number, run: () => void): void => simulation.at(t0Ms + seconds * 1000, run);
  traffic.start();
  at(LAST_ORDINARY_S, () => traffic.pause());
  at(PACEMAKER_S, () => {
    if (decode.scheduler instanceof DecodeScheduler) {
      deployment.clients.send({ promptTokens: 300, outputTokens: 1 + decode.scheduler.stepsUntilReport });
    }
  });
  const askOfTenPages = (): unknown => agent.send({ promptTokens: 9 * PAGE + 1, outputTokens: 1_500 });
  at(AGENT_S, askOfTenPages);
  at(AGENT_REST_S, () => times(10, askOfTenPages));
  at(BACKLOG_S, () => {
    agent.send({ promptTokens: 156 * PAGE + 1, outputTokens: 1_500 });
    times(4, () => agent.send({ promptTokens: 13 * PAGE + 1, outputTokens: 1_500 }));
  });
  [13, 13, 12].forEach((pages, index) =>
    at(BYSTANDERS_S + index * 0.3, () =>
      deployment.clients.sendTry({ promptTokens: pages * PAGE + 1, outputTokens: 200 })
    )
  );
}

/** The 16 requests of the agent are cancelled from T0 on; `breakDecode` is what that does to decode. */
export function cancelAtT0({ simulation, agent, decode, t0Ms }: ScenarioContext, breakDecode: () => void): void {
  simulation.at(t0Ms, () => {
    breakDecode();
    const { scheduler } = decode;
    agent.cancel(scheduler instanceof DecodeScheduler && !scheduler.isBlocked ? scheduler : undefined);
  });
}

/**
 * Seconds after T0 at which somebody tries again: 20:38:33 first, then every 20 to 40 s. 537 is the probe of
 * 20:47:00 and 597 that of 20:48:00; in the last minute people press retry.
 */
const TRIES_S = [
  30, 70, 109, 148, 186, 225, 264, 302, 340, 379, 418, 457, 497, 537, 573, 597, 608, 614, 621, 628, 635, 640,
] as const;

/** Sparse tries of 256 tokens up to `untilMs`. */
export function playTries({ simulation, deployment, t0Ms }: ScenarioContext, untilMs: number): void {
  for (const seconds of TRIES_S) {
    const atMs = t0Ms + seconds * 1000;
    if (atMs < untilMs) {
      simulation.at(atMs, () => deployment.clients.sendTry({ promptTokens: PAGE, outputTokens: 64 }));
    }
  }
}

function times(count: number, run: () => void): void {
  for (let index = 0; index < count; index += 1) {
    run();
  }
}
