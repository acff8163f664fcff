// Outlives the script that started it by a moment: when its stdin closes, it stops what that script left running.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const runFolder = process.argv[2];
/** @type {Set<number>} */
const pids = new Set();

process.on('SIGINT', () => undefined); // the script itself decides when a Ctrl-C is the end
process.on('SIGTERM', () => undefined);

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const [word, pid] = line.split(' ');
  if (word === 'watch') {
    pids.add(Number(pid));
  } else {
    pids.delete(Number(pid));
  }
});
lines.on('close', () => {
  for (const pid of pids) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // already gone
    }
  }
  if (runFolder !== undefined) {
    rmSync(runFolder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  process.exit(0);
});
