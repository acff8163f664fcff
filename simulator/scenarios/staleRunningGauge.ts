import { DecodeScheduler } from '../decodeScheduler';
import { type Scenario } from '../scenario';
import { repeat } from '../repeat';

const REQUESTS = 24;
const REPORT_EVERY = 40;
const STEPS_AFTER_REPORT = 20;

/**
 * #26495 (changed in 0.5.16): 24 requests end together, 20 steps after a report that counted them. The gauge says 24
 * for half a minute, until the idle refresh. Nothing is wrong.
 */
export const staleRunningGauge: Scenario = {
  name: 'stale-running-gauge',
  summary: '24 requests end just before T0 on decode-0; its running gauge says 24 for 30 s of true idleness.',
  minMinutes: 13,
  script: ({ at, traffic, truth, deployment, decode, t0Ms }) => {
    traffic.start();
    at(-70, () => traffic.pause());
    at(-7, () => {
      const { scheduler } = decode;
      const untilReport = scheduler instanceof DecodeScheduler ? scheduler.stepsUntilReport : REPORT_EVERY;
      const outputTokens = 1 + untilReport + 3 * REPORT_EVERY + STEPS_AFTER_REPORT;
      const via = { decode: decode.instance };
      repeat(REQUESTS, () => deployment.clients.send({ promptTokens: 300, cachedTokens: 290, outputTokens, via }));
    });
    truth.note({ kind: 'note', atMs: t0Ms - 7_000, what: `${REQUESTS} requests, then nothing for 97 s` });
    at(90, () => traffic.start());
  },
};
