import { SCENARIOS } from '../simulator/scenarioList';
import type { Scenario } from '../simulator/scenario';
import type { Evidence } from '../simulator/versionProfile';
import { scenarioNamed, type Size } from './recording';

/** One scenario as one Prometheus sees it. */
export interface Play {
  readonly scenario: Scenario;
  readonly size: Size;
  readonly evidence: Evidence;
  readonly everyMs: number;
  /** How the metrics begin: as SGLang writes them, or as its gateway does. */
  readonly prefix: 'sglang:' | 'sglang_';
}

const PAIR: Size = { prefill: 1, decode: 1 };
const POOL: Size = { prefill: 2, decode: 4 };
const INTERVALS_MS = [5_000, 15_000];

/** Faults that look different in a pool, and healthy ones in which engines come and go. */
const IN_A_POOL = ['founding', 'decode-crash', 'prefill-wedged', 'rolling-restart-decode', 'long-prefill'];
/** Releases that count less, or more, and what they could mistake. */
const ON_OTHER_RELEASES: ReadonlyArray<readonly [Evidence, string]> = [
  ['early', 'founding'],
  ['early', 'long-prefill'],
  ['gauges', 'founding'],
  ['heartbeat', 'founding'],
  ['heartbeat', 'scrape-gap'],
];

const USUAL: Omit<Play, 'scenario'> = { size: PAIR, evidence: 'full', everyMs: 15_000, prefix: 'sglang:' };

/** How a play is called in lists and tables, without its scenario. */
export const playName = ({ size, evidence, everyMs, prefix }: Play): string =>
  [
    `${size.prefill}P${size.decode}D`,
    `${everyMs / 1000} s`,
    ...(evidence === USUAL.evidence ? [] : [evidence]),
    ...(prefix === USUAL.prefix ? [] : [prefix]),
  ].join(', ');

/** Every play that is replayed; those that share a recording follow each other. */
export const PLAYS: readonly Play[] = [
  ...SCENARIOS.flatMap((scenario) => INTERVALS_MS.map((everyMs): Play => ({ ...USUAL, scenario, everyMs }))),
  ...IN_A_POOL.map((name): Play => ({ ...USUAL, scenario: scenarioNamed(name), size: POOL })),
  ...ON_OTHER_RELEASES.map(([evidence, name]): Play => ({ ...USUAL, scenario: scenarioNamed(name), evidence })),
  { ...USUAL, scenario: scenarioNamed('founding'), prefix: 'sglang_' },
];
