import { parseArgs } from 'node:util';
import { Problem } from './problem.mjs';
import { listScenarios } from './simulator.mjs';

const DEFAULT_PORT = 3000;
const DEFAULT_SCENARIO = 'founding';

/**
 * @param {string[]} args
 * @returns {{ help: boolean; port: number; scenario: string; open: boolean; prometheusUrl: string | undefined }}
 */
export function readStartOptions(args) {
  const values = parse(args);
  const port = Number(values.port ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Problem(`--port ${values.port} is not a port number (1 to 65535).`);
  }
  if (values.prometheus !== undefined && !/^https?:\/\/./.test(values.prometheus)) {
    throw new Problem(`--prometheus ${values.prometheus} is not an address such as http://localhost:9090.`);
  }
  return {
    help: values.help ?? false,
    port,
    scenario: values.scenario ?? DEFAULT_SCENARIO,
    open: !values['no-open'],
    prometheusUrl: values.prometheus?.replace(/\/+$/, ''),
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string' },
        scenario: { type: 'string' },
        prometheus: { type: 'string' },
        'no-open': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : error}\nSee npm start -- --help`);
  }
}

export async function helpText() {
  const scenarios = await listScenarios();
  return `Shows PD Flow in an embedded viewer: simulated SGLang deployment, Prometheus, and the built plugins.

  npm start -- [options]

  --port N            port of the viewer (default ${DEFAULT_PORT})
  --scenario NAME     what happens in the simulated deployment (default ${DEFAULT_SCENARIO})
                      ${scenarios.replaceAll('\n', '\n                        ') || 'they are listed once the packages are installed'}
  --prometheus URL    show an existing Prometheus instead; nothing is simulated
  --no-open           do not open a browser
  --help              this text`;
}
