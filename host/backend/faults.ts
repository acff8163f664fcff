import type { ServerResponse } from 'node:http';
import { HttpError, sendJson } from './http';
import { wordFailure } from './prometheus';

/** The faults that the page may set; any other name is refused, so the route is no open proxy. */
export const FAULTS = ['cancel-big-agent', 'restart-decode', 'stop-scrape', 'resume-scrape'] as const;

export async function setFault(res: ServerResponse, name: string, simulatorUrl: string | undefined): Promise<void> {
  if (!FAULTS.some((fault) => fault === name)) {
    throw new HttpError(404, `No such fault: ${name}. Known: ${FAULTS.join(', ')}.`);
  }
  if (simulatorUrl === undefined) {
    throw new HttpError(409, 'No simulator is attached: this page shows a Prometheus of your own.');
  }
  try {
    const signal = AbortSignal.timeout(10_000);
    const answer = await fetch(`${simulatorUrl}/faults/${name}`, { method: 'POST', signal });
    const text = (await answer.text()).slice(0, 500);
    sendJson(res, answer.ok ? 200 : 502, { ok: answer.ok, message: text });
  } catch (error) {
    sendJson(res, 502, { ok: false, message: wordFailure(error).message.replace('Prometheus', 'The simulator') });
  }
}
