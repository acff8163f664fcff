// The whole of it on free ports: simulator, Prometheus with the simulator's past, embedded host.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Children } from './children.mjs';
import { freePort, waitForHttp } from './net.mjs';
import { CACHE, HOST } from './paths.mjs';
import { findPrometheus, makeBlocks, startPrometheus } from './prometheus.mjs';
import { TSX } from './run.mjs';
import { startSimulator } from './simulator.mjs';

/**
 * @param {import('./stack.d.mts').StackWish} wish
 * @returns {Promise<import('./stack.d.mts').Stack>}
 */
export async function startStack({ scenario = 'founding', port, prometheusUrl, say = () => undefined }) {
  mkdirSync(CACHE, { recursive: true });
  const children = new Children(mkdtempSync(join(CACHE, 'run-')));
  const stop = () => children.stop();
  try {
    const source =
      prometheusUrl === undefined
        ? await startOwnSource({ children, scenario, say })
        : { prometheusUrl, simulatorUrl: undefined };
    say('Starting the embedded host');
    const url = await startHost({ children, port: port ?? (await freePort()), ...source });
    return { url, ...source, death: children.death, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {{ children: Children; scenario: string; say: (line: string) => void }} wish */
async function startOwnSource({ children, scenario, say }) {
  const programs = await findPrometheus(say);
  const backfill = join(children.runFolder, 'past.om');
  const dataFolder = join(children.runFolder, 'data');
  say(`Simulating the past of scenario "${scenario}"`);
  const simulatorUrl = await startSimulator({ children, scenario, backfill });
  say('Writing it into a private Prometheus');
  await makeBlocks({ promtool: programs.promtool, backfill, dataFolder });
  const prometheusUrl = await startPrometheus({ programs, children, dataFolder, simulatorUrl });
  say('Waiting for the first live scrape');
  await waitForScrape(prometheusUrl);
  return { simulatorUrl, prometheusUrl };
}

/**
 * The past ends when the simulator goes live, and the first scrape comes some seconds later. A page that is opened in
 * between would rightly say that its data is old.
 * @param {string} prometheusUrl
 */
async function waitForScrape(prometheusUrl) {
  const startedSec = Date.now() / 1_000;
  await waitForHttp(`${prometheusUrl}/api/v1/query?${new URLSearchParams({ query: 'max(timestamp(up))' })}`, {
    what: 'The first live scrape',
    withinMs: 30_000,
    accept: async (response) => Number((await response.json()).data.result[0]?.value[1]) > startedSec,
  });
}

/**
 * @param {{ children: Children; port: number; prometheusUrl: string; simulatorUrl: string | undefined }} wish
 * @returns {Promise<string>}
 */
async function startHost({ children, port, prometheusUrl, simulatorUrl }) {
  const args = [...TSX, join(HOST, 'server.ts'), '--port', String(port), '--prometheus', prometheusUrl];
  const simulator = simulatorUrl === undefined ? [] : ['--simulator', simulatorUrl];
  const ready = await children.start({
    name: 'host',
    command: process.execPath,
    args: [...args, ...simulator],
    readyLine: true,
  });
  return String(ready['url']);
}
