import { parseArgs } from 'node:util';
import { type RunOptions } from './run';
import { type Scenario } from './scenario';
import { type Evidence, EVIDENCES } from './versionProfile';

/** What the user asked for, or the one line that says what is wrong with it. */
export type Command =
  | { readonly kind: 'list' }
  | { readonly kind: 'record'; readonly run: RunOptions; readonly outFile: string; readonly truthFile?: string }
  | { readonly kind: 'live'; readonly run: RunOptions; readonly live: LiveOptions; readonly truthFile?: string }
  | { readonly kind: 'invalid'; readonly message: string };

export interface LiveOptions {
  readonly port: number;
  /** Host name under which Prometheus reaches this process. */
  readonly advertise: string;
  readonly backfillFile?: string;
}

export interface Surroundings {
  readonly scenarios: readonly Scenario[];
  readonly nowMs: number;
}

const DEFAULT_END = '2026-09-14T20:48:45Z';
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const FLAGS = {
  list: { type: 'boolean' },
  live: { type: 'boolean' },
  scenario: { type: 'string' },
  seed: { type: 'string', default: '1' },
  out: { type: 'string' },
  end: { type: 'string' },
  minutes: { type: 'string', default: '30' },
  interval: { type: 'string', default: '5' },
  prefill: { type: 'string', default: '1' },
  decode: { type: 'string', default: '1' },
  port: { type: 'string', default: '9400' },
  advertise: { type: 'string', default: '127.0.0.1' },
  backfill: { type: 'string' },
  truth: { type: 'string' },
  evidence: { type: 'string', default: 'full' },
  canary: { type: 'boolean' },
} as const;

class FlagError extends Error {}

/** Reads the arguments after the program name; every problem becomes one line. */
export function readCommand(args: readonly string[], surroundings: Surroundings): Command {
  try {
    return readFlags(args, surroundings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'invalid', message: message.split('\n')[0] ?? message };
  }
}

function readFlags(args: readonly string[], surroundings: Surroundings): Command {
  const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false });
  if (values.list === true) {
    return { kind: 'list' };
  }
  const isLive = values.live === true;
  if (isLive && values.end !== undefined) {
    throw new FlagError('--end cannot be used with --live: a live run goes on from now');
  }
  const run: RunOptions = {
    scenario: readScenario(values.scenario, surroundings.scenarios),
    seed: readNumber('--seed', values.seed, { min: 0, max: 4294967295, isWhole: true }),
    endMs: readEnd(isLive ? 'now' : (values.end ?? DEFAULT_END), surroundings.nowMs),
    minutes: readNumber('--minutes', values.minutes, { min: 1, max: 1440 }),
    intervalSeconds: readNumber('--interval', values.interval, { min: 1, max: 300 }),
    prefillCount: readNumber('--prefill', values.prefill, { min: 1, max: 16, isWhole: true }),
    decodeCount: readNumber('--decode', values.decode, { min: 1, max: 16, isWhole: true }),
    evidence: readEvidence(values.evidence),
    ...(values.canary === true && { hasCanary: true }),
  };
  if (run.minutes < run.scenario.minMinutes) {
    throw new FlagError(`--minutes must be at least ${run.scenario.minMinutes} for scenario ${run.scenario.name}`);
  }
  const { truth: truthFile, advertise, backfill: backfillFile } = values;
  if (isLive) {
    const port = readNumber('--port', values.port, { min: 0, max: 65535, isWhole: true });
    return { kind: 'live', run, live: { port, advertise, backfillFile }, truthFile };
  }
  if (values.out === undefined) {
    throw new FlagError('--out FILE is needed ("-" for standard output), or --live, or --list');
  }
  return { kind: 'record', run, outFile: values.out, truthFile };
}

function readScenario(name: string | undefined, scenarios: readonly Scenario[]): Scenario {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  if (scenario === undefined) {
    const names = scenarios.map((candidate) => candidate.name).join(', ');
    throw new FlagError(`${name === undefined ? '--scenario is needed' : `No scenario "${name}"`}; known: ${names}`);
  }
  return scenario;
}

function readEvidence(text: string): Evidence {
  const evidence = EVIDENCES.find((known) => known === text);
  if (evidence === undefined) {
    throw new FlagError(`--evidence must be one of ${EVIDENCES.join(', ')}, not "${text}"`);
  }
  return evidence;
}

function readNumber(flag: string, text: string, range: { min: number; max: number; isWhole?: boolean }): number {
  const value = text.trim() === '' ? NaN : Number(text);
  const isFit = value >= range.min && value <= range.max && (range.isWhole !== true || Number.isInteger(value));
  if (!isFit) {
    const kind = range.isWhole === true ? 'a whole number' : 'a number';
    throw new FlagError(`${flag} must be ${kind} from ${range.min} to ${range.max}, not "${text}"`);
  }
  return value;
}

/** Whole seconds: the record's instants are whole seconds before the end. */
function readEnd(text: string, nowMs: number): number {
  if (text === 'now') {
    return Math.floor(nowMs / 1000) * 1000;
  }
  const endMs = RFC3339.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(endMs)) {
    throw new FlagError(`--end must be an RFC 3339 time such as ${DEFAULT_END}, or "now", not "${text}"`);
  }
  return endMs;
}
