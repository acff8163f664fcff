import { ALWAYS, AT_LABEL } from './alertsInput';

/** One alert that fires at one evaluation. */
export interface Firing {
  readonly atMs: number;
  readonly alert: string;
  readonly kind: string;
  readonly severity: string;
}

const ANSWER = /^\s*got:/;
const SERIES = /\{([^}]*)\}/g;
const LABEL = /(\w+)="([^"]*)"/g;

/**
 * What fires in each play (its cluster), out of what promtool prints about questions to which it expected no answer.
 * Throws where promtool did not even print the answer that there always is.
 */
export function readFiring(output: string): Map<string, Firing[]> {
  const answers = output
    .split('\n')
    .filter((line) => ANSWER.test(line))
    .flatMap((line) => [...line.matchAll(SERIES)].map(([, labels = '']) => readLabels(labels)));
  if (!answers.some((labels) => labels.get(AT_LABEL) === ALWAYS)) {
    throw new Error(`promtool did not answer:\n${output.slice(0, 2_000)}`);
  }
  const byPlay = new Map<string, Firing[]>();
  for (const labels of answers.filter((l) => l.has('alertname'))) {
    const play = labels.get('cluster') ?? '';
    byPlay.set(play, [...(byPlay.get(play) ?? []), firing(labels)]);
  }
  return byPlay;
}

const readLabels = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));

const firing = (labels: ReadonlyMap<string, string>): Firing => ({
  atMs: Number(labels.get(AT_LABEL)),
  alert: labels.get('alertname') ?? '',
  kind: labels.get('kind') ?? '',
  severity: labels.get('severity') ?? '',
});
