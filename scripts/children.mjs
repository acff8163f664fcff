// Child processes that cannot outlive us: stopped in order here, and by a guard process if we are killed.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { pause } from './net.mjs';

const STOP_WITHIN_MS = 5_000;

/**
 * @typedef {{ name: string; command: string; args: string[]; env?: NodeJS.ProcessEnv; readyLine?: boolean }} ChildWish
 */

export class Children {
  /** @type {Array<{ name: string; process: import('node:child_process').ChildProcess }>} */
  #running = [];
  #guard;
  #stopping = false;
  /** @type {(problem: Problem) => void} */
  #reportDeath = () => undefined;

  /** @param {string} runFolder removed when everything has stopped */
  constructor(runFolder) {
    this.runFolder = runFolder;
    /** Settles when a child has died by itself. @type {Promise<Problem>} */
    this.death = new Promise((resolve) => (this.#reportDeath = resolve));
    this.#guard = spawn(process.execPath, [join(ROOT, 'scripts/guard.mjs'), runFolder], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#guard.stdin.on('error', () => undefined);
    this.#guard.unref();
  }

  /**
   * Starts a child; with readyLine, waits for its `{"ready":true,…}` line on stdout and returns it.
   * @param {ChildWish} wish
   * @returns {Promise<Record<string, unknown>>}
   */
  start({ name, command, args, env, readyLine = false }) {
    const log = createWriteStream(join(this.runFolder, `${name}.log`));
    const child = spawn(command, args, {
      cwd: ROOT,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // its own group, so that a Ctrl-C reaches it through us and in order
    });
    this.#running.push({ name, process: child });
    this.#guard.stdin.write(`watch ${child.pid}\n`);
    /** @type {string[]} */
    const tail = [];
    child.stderr.on('data', (chunk) => {
      log.write(chunk);
      tail.push(...String(chunk).split('\n').filter(Boolean));
      tail.splice(0, tail.length - 5);
    });
    return new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        log.write(`${line}\n`);
        const ready = readReadyLine(line);
        if (ready !== undefined) {
          resolve(ready);
        }
      });
      child.once('error', (error) => reject(new Problem(`${name} could not be started: ${error.message}`)));
      child.once('exit', (code, signal) => {
        this.#running = this.#running.filter((entry) => entry.process !== child);
        this.#guard.stdin.write(`forget ${child.pid}\n`);
        if (!this.#stopping) {
          const problem = new Problem(`${name} ended by itself (${signal ?? code}). ${tail.join('\n')}`.trim());
          reject(problem);
          this.#reportDeath(problem);
        }
      });
      if (!readyLine) {
        resolve({});
      }
    });
  }

  /** Stops the youngest child first, waits for all of them, removes the run folder. */
  async stop() {
    this.#stopping = true;
    const children = [...this.#running].reverse();
    for (const { process: child } of children) {
      signalGroup(child.pid, 'SIGTERM');
    }
    const deadline = Date.now() + STOP_WITHIN_MS;
    while (this.#running.length > 0 && Date.now() < deadline) {
      await pause(30);
    }
    for (const { process: child } of this.#running) {
      signalGroup(child.pid, 'SIGKILL');
    }
    await rm(this.runFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    this.#guard.stdin.end();
  }
}

/** @param {string} line */
function readReadyLine(line) {
  if (!line.startsWith('{')) {
    return undefined;
  }
  try {
    /** @type {Record<string, unknown>} */
    const value = JSON.parse(line);
    return value['ready'] === true ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {number | undefined} pid
 * @param {NodeJS.Signals} signal
 */
function signalGroup(pid, signal) {
  try {
    if (pid !== undefined) {
      process.kill(-pid, signal);
    }
  } catch {
    // already gone
  }
}
