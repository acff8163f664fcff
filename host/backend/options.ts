import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface HostOptions {
  port: number;
  bind: string;
  prometheusUrl: string;
  simulatorUrl: string | undefined;
  dist: string;
  provisioning: string;
  assets: string;
}

/** Reads the command line; throws a sentence for the user when it makes no sense. */
export function readOptions(args: string[], hostFolder: string): HostOptions {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '3000' },
      bind: { type: 'string', default: '127.0.0.1' },
      prometheus: { type: 'string', default: 'http://127.0.0.1:9090' },
      simulator: { type: 'string' },
      dist: { type: 'string', default: join(hostFolder, '../dist') },
      provisioning: { type: 'string', default: join(hostFolder, '../provisioning') },
      assets: { type: 'string', default: join(hostFolder, 'dist') },
    },
  });
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port ${values.port} is not a port number.`);
  }
  return {
    port,
    bind: values.bind,
    prometheusUrl: readUrl(values.prometheus, '--prometheus'),
    simulatorUrl: values.simulator === undefined ? undefined : readUrl(values.simulator, '--simulator'),
    dist: values.dist,
    provisioning: values.provisioning,
    assets: values.assets,
  };
}

function readUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`${option} ${text} is not an http address.`);
  }
  return url.href.replace(/\/+$/, '');
}
