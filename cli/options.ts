import { parseArgs } from 'node:util';
import { readRelease, type RoleMapping } from '../src/pipeline';
import { readDuration } from './durations';
import { readServer, UsageError, type Server } from './server';

export interface Options {
  readonly server: Server;
  readonly range: QueryRange;
  readonly matchers: string;
  readonly roleMapping?: RoleMapping;
  readonly sglangVersion?: string;
  readonly json: boolean;
  /** What was done otherwise than asked, one sentence each. */
  readonly notes: readonly string[];
}

/** Evaluated instants: `toMs` and every step before it, not before `fromMs`. */
export interface QueryRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** What the user asked for, or the one line that says what is wrong with it. */
export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'diagnose'; readonly options: Options }
  | { readonly kind: 'invalid'; readonly message: string };

const RFC3339 = /^\d{4}-\d\d-(\d\d)[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
/** Prometheus refuses range queries with more evaluated instants per series. */
const MOST_POINTS = 11_000;
/** Unix seconds beyond this are milliseconds by mistake: the year 5138. */
const MOST_UNIX_SECONDS = 1e11;

const FLAGS = {
  prometheus: { type: 'string' },
  at: { type: 'string' },
  range: { type: 'string', default: '30m' },
  step: { type: 'string', default: '5s' },
  match: { type: 'string', default: '' },
  'role-label': { type: 'string' },
  prefill: { type: 'string' },
  decode: { type: 'string' },
  'sglang-version': { type: 'string' },
  header: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Reads the arguments after the program name; every problem becomes one line. */
export function readCommand(args: readonly string[], nowMs: number): Command {
  try {
    const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true, allowPositionals: false });
    if (values.help) {
      return { kind: 'help' };
    }
    const { range, notes } = readRange(values, nowMs);
    return {
      kind: 'diagnose',
      options: {
        server: readServer(values.prometheus, values.header ?? []),
        range,
        matchers: values.match,
        roleMapping: readRoles(values['role-label'], { prefill: values.prefill, decode: values.decode }),
        sglangVersion: readVersion(values['sglang-version']),
        json: values.json,
        notes,
      },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'invalid', message: message.split('\n')[0] ?? message };
  }
}

function readRange(
  flags: { readonly at?: string; readonly range: string; readonly step: string },
  nowMs: number
): { range: QueryRange; notes: string[] } {
  const toMs = flags.at === undefined ? nowMs : readInstant(flags.at);
  const lengthMs = readSpan('--range', flags.range);
  const askedMs = readSpan('--step', flags.step);
  if (askedMs > lengthMs) {
    throw new UsageError(`--step ${flags.step} is longer than --range ${flags.range}`);
  }
  const leastMs = Math.ceil(lengthMs / (MOST_POINTS - 1) / 1000) * 1000;
  const stepMs = lengthMs / askedMs > MOST_POINTS - 1 ? leastMs : askedMs;
  // Prometheus counts its steps from the start; the end is to be one of them.
  const fromMs = toMs - Math.floor(lengthMs / stepMs) * stepMs;
  const notes = [
    ...(stepMs > askedMs
      ? [
          `The step was raised from ${flags.step} to ${stepMs / 1000}s: Prometheus gives at most 11,000 points. A shorter --range is sharper.`,
        ]
      : []),
    ...(toMs > nowMs + 60_000 ? ['--at lies in the future.'] : []),
  ];
  return { range: { fromMs, toMs, stepMs }, notes };
}

function readInstant(text: string): number {
  const isNumber = /^\d+(\.\d+)?$/.test(text);
  if (isNumber && Number(text) > MOST_UNIX_SECONDS) {
    throw new UsageError(`--at ${text} looks like milliseconds; give Unix seconds, or a time such as ${EXAMPLE_TIME}`);
  }
  const atMs = isNumber ? Math.round(Number(text) * 1000) : readTime(text);
  if (Number.isNaN(atMs)) {
    throw new UsageError(
      `--at must be an RFC 3339 time with its zone, such as ${EXAMPLE_TIME}, or Unix seconds, not "${text}"`
    );
  }
  return atMs;
}

/** NaN for what is no instant, such as a day that its month does not have, which `Date` would push into the next. */
function readTime(text: string): number {
  const [date = '', day = ''] = RFC3339.exec(text) ?? [];
  const isDay = new Date(`${date.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(day);
  return isDay ? Date.parse(date) : NaN;
}

const EXAMPLE_TIME = '2026-09-14T20:48:45Z';

function readSpan(flag: string, text: string): number {
  const ms = readDuration(text);
  if (ms === undefined || ms < 1) {
    throw new UsageError(`${flag} must be a duration such as 30m, 1h30m or 5s, not "${text}"`);
  }
  return ms;
}

function readRoles(
  label: string | undefined,
  patterns: { readonly prefill?: string; readonly decode?: string }
): RoleMapping | undefined {
  const { prefill, decode } = patterns;
  if (label === undefined) {
    if (prefill !== undefined || decode !== undefined) {
      throw new UsageError('--prefill and --decode need --role-label NAME: the label that they match');
    }
    return undefined;
  }
  if (!prefill && !decode) {
    throw new UsageError(`--role-label ${label} needs --prefill REGEX, --decode REGEX or both`);
  }
  requirePattern('--prefill', prefill);
  requirePattern('--decode', decode);
  return { label, prefill, decode };
}

function readVersion(text: string | undefined): string | undefined {
  const release = text === undefined ? undefined : readRelease(text);
  if (text !== undefined && release === undefined) {
    throw new UsageError(`--sglang-version must be a release such as 0.5.9, not "${text}"`);
  }
  return release;
}

function requirePattern(flag: string, pattern: string | undefined): void {
  try {
    new RegExp(`^(?:${pattern ?? ''})$`);
  } catch {
    throw new UsageError(`${flag} is not a regular expression: ${pattern}`);
  }
}
