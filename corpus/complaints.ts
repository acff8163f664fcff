import type { PipelineEvaluation, Verdict } from '../src/pipeline';
import { isAlarm, said, secondsOf } from './play';
import { firstRequestMs } from './recording';
import type { StageCount } from '../simulator/recorder';
import { D0, type Expected, type Look } from './rows/row';

/** In which time a fault is named, and how long another name may stand while the first samples of it come in. */
const SCRAPES = 3;
/** 40 decode steps of up to 50 ms. */
const STEPS_S = 2;
/** Gauges may be pushed as late as the next idle refresh. */
const REFRESH_S = 30;
/** An engine of a pool has its last request some seconds before a fault, as the others have their turn. */
const TURN_S = 10;
/** Others than the cancelled agent leave by themselves now and then. */
const OTHER_ABORTS = 3;

export interface Judged extends Look {
  readonly judged: readonly PipelineEvaluation[];
  readonly truth: readonly StageCount[];
}

export interface Outcome {
  /** What is said but should not be, or the other way round; empty when all is right. */
  readonly complaints: readonly string[];
  /** From the beginning of harm to its name. */
  readonly namedAfterS?: number;
}

/** Holds what was said at every scrape against what the row asks for. */
export function outcomeOf(play: Judged, expected: Expected): Outcome {
  const onsetS = expected.onsetS === 'first request' ? secondsOf(firstRequestMs(play.truth, D0)) : expected.onsetS;
  const dueS = onsetS + expected.extraS + SCRAPES * play.everyS;
  const named = play.judged.find((e) => secondsOf(e.atMs) >= Math.min(0, onsetS) && isNamed(e.verdict, expected));
  const namedAfterS = named && secondsOf(named.atMs) - onsetS;
  const late = expected.named !== 'never' && (namedAfterS ?? Infinity) > dueS - onsetS;
  return {
    namedAfterS,
    complaints: [
      ...wrongNames(play, expected, onsetS),
      ...(late ? [`named after ${namedAfterS ?? 'the end'} s instead of ${dueS - onsetS} s`] : []),
      ...silences(play, expected, dueS),
      ...atAsked(play, expected),
    ],
  };
}

const isOneOf = <T>(wanted: T | readonly T[] | undefined, got: T | undefined): boolean =>
  wanted === undefined || [wanted].flat().some((one) => one === got);

/** Named as what it is, or (where less is known) among what it could be. */
function isNamed({ kind, engine, alternatives }: Verdict, expected: Expected): boolean {
  return kind === expected.kind
    ? isOneOf(expected.engine, engine)
    : expected.named !== 'exactly' && alternatives.includes(expected.kind);
}

/** True, though perhaps not the whole truth: what is not stated as certain, and names what it is, is no lie. */
function isHonest({ kind, alternatives }: Verdict, expected: Expected): boolean {
  const kinds = [expected.kind, ...expected.also];
  const isUnsure = kind === 'unknown' && expected.named !== 'exactly';
  return kinds.includes(kind) || isUnsure || alternatives.some((one) => kinds.includes(one));
}

/** Alarms before there is anything, of another kind, or after it is over. */
function wrongNames({ judged, everyS }: Judged, expected: Expected, onsetS: number): string[] {
  const slackS = SCRAPES * everyS;
  const wrong = judged.filter(({ atMs, verdict }) => {
    const atS = secondsOf(atMs);
    const isOver = atS > (expected.calmS ?? expected.overS ?? Infinity) + slackS;
    const isSettling = atS >= onsetS && atS <= onsetS + slackS;
    const isNone = atS < Math.min(0, onsetS) || isOver;
    return isAlarm(verdict) && !isSettling && (isNone || !isHonest(verdict, expected));
  });
  return summary('wrong', wrong);
}

/** Calm or unsure while it goes on. */
function silences({ judged }: Judged, expected: Expected, dueS: number): string[] {
  const wrong = judged.filter(
    ({ atMs, verdict }) =>
      secondsOf(atMs) >= dueS &&
      secondsOf(atMs) <= (expected.overS ?? Infinity) &&
      !isAlarm(verdict) &&
      !isHonest(verdict, expected)
  );
  return summary('not named', wrong);
}

/** One line per thing that was said. */
function summary(what: string, wrong: readonly PipelineEvaluation[]): string[] {
  const key = ({ verdict }: PipelineEvaluation): string => `${verdict.kind} ${verdict.stage} ${verdict.engine}`;
  const keys = [...new Set(wrong.map(key))];
  return keys.map((one) => {
    const same = wrong.filter((e) => key(e) === one);
    const [first] = same;
    const last = same[same.length - 1];
    return first && last ? `${what}: ${said(first)} (${same.length} times until +${secondsOf(last.atMs)} s)` : what;
  });
}

/** Kind, culprit, since and trigger at the instant of the question. */
function atAsked(play: Judged, expected: Expected): string[] {
  const asked = [...play.judged].reverse().find((e) => secondsOf(e.atMs) <= expected.askedS);
  if (!asked) {
    return ['nothing is said at the instant of the question'];
  }
  const { verdict } = asked;
  if (!isNamed(verdict, expected)) {
    return expected.named === 'never' ? [] : [`asked: ${said(asked)}`];
  }
  const wrong = [
    ...(verdict.kind === expected.kind && !isOneOf(expected.stage, verdict.stage) ? ['stage'] : []),
    ...(isSince(play, expected, verdict.sinceMs) ? [] : ['since']),
    ...(isTrigger(expected, verdict.trigger) ? [] : ['trigger']),
  ];
  return wrong.length > 0 ? [`asked: wrong ${wrong.join(', ')} in ${said(asked)}`] : [];
}

function isSince(play: Judged, { sinceS }: Expected, sinceMs: number | undefined): boolean {
  if (!sinceS) {
    return true;
  }
  const slackS = play.everyS + STEPS_S + (play.evidence === 'gauges' ? REFRESH_S : 0);
  const earliest = sinceS[0] - slackS - (play.size === '4P8D' ? TURN_S : 0);
  const latest = sinceS[1] + slackS;
  const gotS = sinceMs === undefined ? NaN : secondsOf(sinceMs);
  return gotS >= earliest && gotS <= latest;
}

function isTrigger({ trigger }: Expected, got: Verdict['trigger']): boolean {
  const size = got?.kind === 'abort-burst' ? got.size : 0;
  switch (trigger) {
    case 'either':
      return true;
    case 'none':
      return got === undefined;
    case 'some':
      return size > 0;
    default:
      return size >= trigger && size <= trigger + OTHER_ABORTS;
  }
}
