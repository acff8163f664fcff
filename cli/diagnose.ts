import { EXIT } from './exitCode';
import { run } from './run';

function hasColours(): boolean {
  return process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

// `| head` closes the pipe early, and that is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
});

run(process.argv.slice(2), {
  nowMs: Date.now(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  colours: hasColours(),
  print: (text) => process.stdout.write(text),
  note: (line) => process.stderr.write(`diagnose: ${line}\n`),
}).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`diagnose: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = EXIT.trouble;
  }
);
