/**
 * The labels that tell scrape targets apart, as data: what Prometheus, its relabelling, or a store of several of them
 * puts on every series of a target. A metric's own labels are not among them, since not every series of an engine has
 * them: SGLang's HTTP metrics carry none.
 */
export const TARGET_LABELS = {
  /** Where a whole deployment lives, widest first. */
  division: ['tenant_id', 'region', 'cluster', 'prometheus', 'environment', 'namespace', 'kubernetes_namespace'],
  /** Where one server lives, most telling first. */
  place: ['pod', 'kubernetes_pod_name', 'container'],
  job: ['job', 'exported_job'],
  /**
   * What is scraped. A gateway that aggregates its engines names each in `worker_addr`; a federating Prometheus that does
   * not honour labels moves those of the origin to `exported_…`.
   */
  address: ['worker_addr', 'exported_instance', 'instance'],
  /** Which of several Prometheus servers that scrape the same target has stored a series. */
  replica: ['replica', 'prometheus_replica', '__replica__', 'receive_replica'],
} as const satisfies Record<string, readonly string[]>;

const { division, place, job, address, replica } = TARGET_LABELS;

/** All labels of which equal values make one target. */
export const IDENTITY_LABELS: readonly string[] = [...division, ...job, ...place, ...address];

/** What tells deployments apart, whichever Prometheus server has stored it. */
export const DEPLOYMENT_LABELS: readonly string[] = division.filter((label) => label !== 'prometheus');

/** What an exporter shares with the server that it watches at the same address: another job, and any Prometheus server. */
export const WATCHED_LABELS: readonly string[] = [...DEPLOYMENT_LABELS, ...place, ...address];

/** For `by` and `on`: derived series keep what tells targets, and the copies of one target, apart. */
export const ENGINE_LABELS = [...IDENTITY_LABELS, ...replica].join(', ');

/** What the target's own `up` has too. */
export const SCRAPE_LABELS = [...IDENTITY_LABELS, ...replica].filter((label) => label !== 'worker_addr').join(', ');
