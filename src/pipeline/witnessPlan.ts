import { CANARY, CANARY_JOB, PLACED_METRICS, PROCESS_START, SCHEDULER_GROUP } from './profiles/witnesses';

/** Selects series of the engines by a pattern of names, with more matchers where needed. */
type Select = (pattern: string, more?: string) => string;

const canary = (names: readonly string[]): string => `{__name__=~"${names.join('|')}", job=~"${CANARY_JOB}"}`;

/** Three series per canary. It has labels of its own, so the operator's matchers are not put to it: the core compares. */
export const canaryQuery = (): string => canary(Object.values(CANARY));

/** The series whose time stamps are the times of the canary's requests. */
export const canaryStamps = (): string => canary([CANARY.success]);

const HOST_OF_INSTANCE = '(.+?)(:[0-9]+)?';

/**
 * Witnesses of other exporters, from pods and hosts only that have an engine too. The labels of the engines are made
 * like those of the exporters and not the other way round: a large Prometheus knows thousands of GPUs and few engines.
 * Only outside of pods an exporter's instance is compared too, without its port.
 */
export function hostsQuery(engine: Select): string {
  const placed = (more: string): string =>
    `{__name__=~"${PLACED_METRICS.join('|')}", groupname=~"(${SCHEDULER_GROUP})?", ${more}}`;
  const engines = engine('num_running_reqs');
  const inPods = engine('num_running_reqs', 'pod!=""');
  const atHost = (label: string): string => relabel(engines, label, 'instance', HOST_OF_INSTANCE);
  const podless = placed('pod="", exported_pod=""');
  return [
    `(${placed('pod!=""')} and on (pod) ${inPods})`,
    `(${placed('exported_pod!=""')} and on (exported_pod) ${relabel(inPods, 'exported_pod', 'pod', '(.+)')})`,
    `(${placed('Hostname!=""')} and on (Hostname) ${atHost('Hostname')})`,
    `(${placed('hostname!=""')} and on (hostname) ${atHost('hostname')})`,
    `(${relabel(podless, 'pdflow_host', 'instance', HOST_OF_INSTANCE)} and on (pdflow_host) ${atHost('pdflow_host')})`,
    `({__name__="${PROCESS_START}"} and on (instance) ${engines})`,
  ].join(' or ');
}

const relabel = (selector: string, to: string, from: string, pattern: string): string =>
  `label_replace(${selector}, "${to}", "$1", "${from}", "${pattern}")`;
