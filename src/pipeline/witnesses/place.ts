import type { RawSeries } from '../model';

type Labels = RawSeries['labels'];

/** Where something runs, as far as its labels tell. */
export interface Place {
  readonly pod: string | undefined;
  readonly namespace: string | undefined;
  readonly hosts: readonly string[];
}

const HOST = /^(?:\w+:\/\/)?(.+?)(?::\d+)?$/;

/** The place of an engine: behind a gateway `instance` is the gateway, and `worker_addr` the engine. */
export function placeOfEngine({ worker_addr: worker, instance, pod, namespace }: Labels): Place {
  const host = HOST.exec(worker || instance || '')?.[1];
  // In a pod the host name of a process is the name of the pod.
  return { pod, namespace, hosts: [host, pod].filter((name) => name !== undefined) };
}

/**
 * The place that a witness speaks of. `exported_pod` is the pod that an exporter named where Prometheus wrote the
 * exporter's own pod over it.
 */
export function placeOfWitness(labels: Labels): Place {
  const isExported = labels['exported_pod'] !== undefined;
  const { instance = '', Hostname: nodeName, hostname } = labels;
  return {
    pod: isExported ? labels['exported_pod'] : labels['pod'],
    namespace: isExported ? labels['exported_namespace'] : labels['namespace'],
    hosts: [HOST.exec(instance)?.[1], nodeName, hostname].filter((name) => name !== undefined),
  };
}

/** Where both name a pod, pods decide; else the host does. */
export function isAt(witness: Place, engine: Place): boolean {
  if (witness.pod !== undefined && engine.pod !== undefined) {
    const isOther = witness.namespace !== undefined && engine.namespace !== undefined;
    return witness.pod === engine.pod && !(isOther && witness.namespace !== engine.namespace);
  }
  return witness.hosts.some((host) => engine.hosts.includes(host));
}
