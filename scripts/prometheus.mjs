// Prometheus for npm start and the browser tests: the system's own, or a private copy of Debian's.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canUnpackDebianPackages, unpackDebianPackages } from './debian.mjs';
import { freePort, waitForHttp } from './net.mjs';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { findOnPath, run, works } from './run.mjs';

const CONFIG = join(ROOT, 'provisioning/prometheus/prometheus.yml');
const TARGETS_IN_CONFIG = /http:\/\/simulator:\d+/g;
const READY_WITHIN_MS = 60_000;

/**
 * @typedef {{ prometheus: string; promtool: string }} Programs
 * @param {(line: string) => void} say
 * @returns {Promise<Programs>}
 */
export async function findPrometheus(say) {
  const prometheus = findOnPath(['prometheus']);
  const promtool = findOnPath(['promtool']);
  if (prometheus !== undefined && promtool !== undefined) {
    return { prometheus, promtool };
  }
  if (canUnpackDebianPackages()) {
    const root = await unpackDebianPackages({
      name: 'prometheus',
      packages: ['prometheus'],
      withDependencies: false,
      say,
    });
    const programs = { prometheus: join(root, 'usr/bin/prometheus'), promtool: join(root, 'usr/bin/promtool') };
    if (works(programs.prometheus, ['--version']) && works(programs.promtool, ['--version'])) {
      return programs;
    }
  }
  throw new Problem(
    'Prometheus is not on this system. Install it (Debian: sudo apt-get install prometheus; macOS: brew install ' +
      'prometheus), or show your own: npm start -- --prometheus http://your-prometheus:9090'
  );
}

/**
 * Makes a fresh data folder out of an OpenMetrics file.
 * @param {{ promtool: string; backfill: string; dataFolder: string }} wish
 */
export async function makeBlocks({ promtool, backfill, dataFolder }) {
  mkdirSync(dataFolder, { recursive: true });
  const made = await run(promtool, ['tsdb', 'create-blocks-from', 'openmetrics', backfill, dataFolder]);
  if (made.code !== 0) {
    throw new Problem(
      `promtool could not read the simulator's past: ${(made.stderr || made.stdout).trim().slice(-400)}`
    );
  }
}

/**
 * @param {{ programs: Programs; children: import('./children.mjs').Children; dataFolder: string; simulatorUrl: string }} wish
 * @returns {Promise<string>} the address of a Prometheus that is ready to be asked
 */
export async function startPrometheus({ programs, children, dataFolder, simulatorUrl }) {
  const config = join(children.runFolder, 'prometheus.yml');
  writeFileSync(config, readFileSync(CONFIG, 'utf8').replace(TARGETS_IN_CONFIG, simulatorUrl));
  const address = `127.0.0.1:${await freePort()}`;
  await children.start({
    name: 'prometheus',
    command: programs.prometheus,
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${dataFolder}`,
      `--web.listen-address=${address}`,
      '--storage.tsdb.retention.time=90d',
      '--log.level=warn',
    ],
  });
  await Promise.race([
    waitForHttp(`http://${address}/-/ready`, { what: 'Prometheus', withinMs: READY_WITHIN_MS }),
    children.death.then((problem) => Promise.reject(problem)),
  ]);
  return `http://${address}`;
}

/**
 * Throws a Problem unless a Prometheus-compatible API answers at the address.
 * @param {string} url
 */
export async function requirePrometheus(url) {
  let last = '';
  for (const path of ['/api/v1/status/buildinfo', '/-/ready', '/api/v1/query?query=1']) {
    try {
      const response = await fetch(url + path, { signal: AbortSignal.timeout(5_000) });
      if (response.ok) {
        return;
      }
      last = `it answers ${response.status}`;
    } catch (error) {
      last = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    }
  }
  throw new Problem(`No Prometheus answers at ${url} (${last}). Check the address and that this machine may reach it.`);
}
