import type { ServerResponse } from 'node:http';
import { HttpError, sendJson } from './http';
import { wordFailure } from './prometheus';

export interface Fault {
  name: string;
  /** What its button says. */
  label: string;
}

/** The faults that the page may set; any other name is refused, so the route is no open proxy. */
export const FAULTS: readonly Fault[] = [
  { name: 'cancel-big-agent', label: 'Cancel the big agent' },
  { name: 'restart-decode', label: 'Restart decode' },
  { name: 'stop-scrape', label: 'Stop a scrape' },
  { name: 'resume-scrape', label: 'Resume scrape' },
];

export async function setFault(res: ServerResponse, name: string, simulatorUrl: string | undefined): Promise<void> {
  const known = FAULTS.map((fault) => fault.name);
  if (!known.includes(name)) {
    throw new HttpError(404, `No such fault: ${name}. Known: ${known.join(', ')}.`);
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
