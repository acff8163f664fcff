import { evaluate, prepare, type PipelineEvaluation, type Verdict } from '../src/pipeline';
import type { Evidence } from '../simulator/versionProfile';
import { END_MS, instants, recordPlay, scenarioNamed, scrapedEvery, T0_MS, type Recording } from './recording';
import type { Look, SizeName } from './rows/row';

/** Five minutes before T0 are enough to learn a rhythm from, and as much as a dashboard of a quarter of an hour shows. */
const LEAST_MINUTES = 16;
/** What a scenario needs at least leaves little time before its fault. */
const LEAD_MINUTES = 2;

const SIZES: Readonly<Record<SizeName, { readonly prefill: number; readonly decode: number }>> = {
  '1P1D': { prefill: 1, decode: 1 },
  '4P8D': { prefill: 4, decode: 8 },
};
/** Early releases do not say which side an engine is on. */
const ROLE_MAPPING = { label: 'instance', prefill: 'prefill-.*', decode: 'decode-.*' };

export const nameOf = (scenario: string, { size, evidence, everyS }: Look): string =>
  `${scenario} ${size} ${evidence} ${everyS} s`;

export function recordRow(name: string, size: SizeName, evidence: Evidence): Recording {
  const scenario = scenarioNamed(name);
  const minutes = Math.max(LEAST_MINUTES, scenario.minMinutes + LEAD_MINUTES);
  return recordPlay({ scenario, seed: 1, size: SIZES[size], evidence, minutes });
}

/** What is said at every scrape, by a Prometheus that scrapes every `everyS`. */
export function judgeAll({ series, startMs }: Recording, everyS: number): PipelineEvaluation[] {
  const fleet = prepare(scrapedEvery(series, everyS * 1000), { roleMapping: ROLE_MAPPING });
  return instants(everyS * 1000, startMs, END_MS).flatMap((atMs) => evaluate(fleet, atMs));
}

export const isAlarm = ({ severity }: Verdict): boolean => severity === 'warning' || severity === 'critical';

/** Seconds after T0. */
export const secondsOf = (atMs: number): number => (atMs - T0_MS) / 1000;

/** `+42 s transfer-stalled at decode.transfer of decode-0:30002 since -3 s`. */
export function said({ atMs, verdict }: PipelineEvaluation): string {
  const { kind, stage, engine, sinceMs, trigger, alternatives } = verdict;
  return [
    `+${secondsOf(atMs)} s ${kind}`,
    stage && `at ${stage}`,
    engine && `of ${engine}`,
    sinceMs !== undefined && `since ${secondsOf(sinceMs)} s`,
    trigger && `after ${trigger.size} aborts`,
    alternatives.length > 0 && `or ${alternatives.join(', ')}`,
  ]
    .filter(Boolean)
    .join(' ');
}
