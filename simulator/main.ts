import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type Command, type LiveOptions, readCommand } from './commandLine';
import { createLiveServer } from './liveServer';
import { Recorder } from './recorder';
import { createRun, type Run, type RunOptions } from './run';
import { SCENARIOS } from './scenarioList';
import { renderTruth } from './truthFile';

const LIVE_TICK_MS = 100;

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2), { scenarios: SCENARIOS, nowMs: Date.now() });
  try {
    await obey(command);
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
  }
}

async function obey(command: Command): Promise<void> {
  switch (command.kind) {
    case 'list':
      await print(SCENARIOS.map(({ name, summary }) => `${name.padEnd(32)}${summary}\n`).join(''));
      break;
    case 'record':
      await record(command.run, command.outFile, command.truthFile);
      break;
    case 'live':
      await goLive(command.run, command.live, command.truthFile);
      break;
    case 'invalid':
      fail(command.message);
  }
}

/** Plays a scenario in virtual time and writes what Prometheus would have stored. */
async function record(options: RunOptions, outFile: string | undefined, truthFile: string | undefined): Promise<Run> {
  const run = createRun(options);
  const recorder = new Recorder(run);
  recorder.recordAll();
  if (outFile !== undefined) {
    const text = [...recorder.openMetrics()].join('');
    await (outFile === '-' ? print(text) : writeFileSync(outFile, text));
  }
  if (truthFile !== undefined) {
    writeFileSync(truthFile, renderTruth(run, recorder.stageCounts));
  }
  return run;
}

async function goLive(options: RunOptions, live: LiveOptions, truthFile: string | undefined): Promise<void> {
  const run = await record(options, live.backfillFile, truthFile);
  const server = createLiveServer(run, live);
  server.listen(live.port);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`Cannot listen on port ${live.port}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const ticking = setInterval(() => run.simulation.runUntil(Date.now()), LIVE_TICK_MS);
  const stop = (): void => {
    clearInterval(ticking);
    server.close();
    server.closeAllConnections();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : live.port;
  await print(`${JSON.stringify({ ready: true, port, backfillUntil: new Date(run.endMs).toISOString() })}\n`);
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

function fail(message: string): void {
  process.stderr.write(`simulate: ${message}\n`);
  process.exitCode = 1;
}

void main();
