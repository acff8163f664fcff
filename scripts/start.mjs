// npm start: needs only Node and npm; fetches, builds and starts the rest, and takes it all down again.
import { openBrowser } from './browser.mjs';
import { buildHost, buildPlugin } from './build.mjs';
import { installPackages, requireNode } from './install.mjs';
import { requireFreePort } from './net.mjs';
import { helpText, readStartOptions } from './options.mjs';
import { wordProblem } from './problem.mjs';
import { requirePrometheus } from './prometheus.mjs';
import { requireScenario } from './simulator.mjs';
import { startStack } from './stack.mjs';

const INTERRUPTED = 130;
const startedMs = Date.now();

/** @param {string} line */
function say(line) {
  console.log(`${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
}

/** @returns {Promise<number>} the exit code */
async function main() {
  requireNode();
  const { help, port, scenario, open, prometheusUrl } = readStartOptions(process.argv.slice(2));
  if (help) {
    console.log(await helpText());
    return 0;
  }
  await requireFreePort(port);
  if (prometheusUrl !== undefined) {
    await requirePrometheus(prometheusUrl);
  }
  const interrupted = waitForInterrupt();
  const stack = await Promise.race([prepare({ scenario, port, prometheusUrl }), interrupted]);
  if (stack === undefined) {
    return INTERRUPTED; // what has been started so far is taken down by its guard
  }
  say(`PD Flow is at ${stack.url}   (Ctrl-C stops everything)`);
  if (open) {
    openBrowser(stack.url);
  }
  const death = await Promise.race([interrupted, stack.death]);
  if (death !== undefined) {
    console.error(death.message);
  }
  await stack.stop();
  return death === undefined ? 0 : 1;
}

/** @param {import('./stack.d.mts').StackWish & { scenario: string }} wish */
async function prepare(wish) {
  await installPackages(say);
  if (wish.prometheusUrl === undefined) {
    await requireScenario(wish.scenario);
  }
  await buildPlugin({ say });
  await buildHost({ say });
  return startStack({ ...wish, say });
}

/** @returns {Promise<undefined>} */
function waitForInterrupt() {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => resolve(undefined));
    }
  });
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(wordProblem(error));
    process.exit(1);
  }
);
