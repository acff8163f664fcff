import {
  dateTimeFormat,
  LoadingState,
  type DataFrame,
  type DataQueryRequest,
  type DataQueryResponse,
} from '@grafana/data';
import { eventsFrame } from '../frames/eventsFrame';
import { hypothesesFrame } from '../frames/hypothesesFrame';
import { readFrames } from '../frames/readFrames';
import { stagesFrame } from '../frames/stagesFrame';
import { timelineFrame } from '../frames/timelineFrame';
import {
  evaluate,
  prepare,
  timeline,
  type Fleet,
  type PipelineEvaluation,
  type Problem,
  type Words,
} from '../pipeline';
import type { QueryType } from './query';

export interface Question {
  readonly refId: string;
  readonly queryType: Exclude<QueryType, 'pipeline'>;
  /** Pipeline id or regular expression over ids, variables already replaced; blank means all. */
  readonly pipeline: string;
  readonly request: DataQueryRequest;
  readonly nowMs: number;
}

/**
 * What the core concludes from the raw frames of a response, as one table per pipeline. Judged at the end of the range,
 * but never later than now. Problems with the data become notices on the frames, errors of the response are kept.
 */
export function answerResponse(response: DataQueryResponse, question: Question): DataQueryResponse {
  if (response.state === LoadingState.Loading) {
    return { ...response, data: [] };
  }
  const { series, problems, options } = readFrames(response.data);
  const fleet = prepare(series, options);
  const frames = encodeAnswer(fleet, question);
  return { ...response, data: addNotices(frames, [...problems, ...fleet.problems], question) };
}

function encodeAnswer(fleet: Fleet, question: Question): DataFrame[] {
  const { request, queryType, nowMs } = question;
  const range = { fromMs: request.range.from.valueOf(), toMs: Math.min(nowMs, request.range.to.valueOf()) };
  const words = wordsOf(request);
  const ids = fleet.pipelines.map(({ id }) => id).filter(filterOf(question.pipeline));
  const judged = (encode: (evaluation: PipelineEvaluation) => DataFrame): DataFrame[] =>
    evaluate(fleet, range.toMs, words)
      .filter(({ id }) => ids.includes(id))
      .map(encode);
  switch (queryType) {
    case 'hypotheses':
      return judged(hypothesesFrame);
    case 'stages':
      return judged(stagesFrame);
    case 'events':
      return ids.map((id) => eventsFrame(id, timeline(fleet, id, range, words)));
    case 'timeline':
      return ids.map((id) => timelineFrame(id, timeline(fleet, id, range, words)));
  }
}

/** Without any frame the notices still need one to stand on. */
function addNotices(frames: readonly DataFrame[], problems: readonly Problem[], { refId }: Question): DataFrame[] {
  const notices = problems.map(({ text, nextStep }) => ({ severity: 'warning', text: `${text} ${nextStep}` }) as const);
  const carriers = frames.length > 0 || notices.length === 0 ? frames : [{ fields: [], length: 0 }];
  return carriers.map((frame, index) => ({
    ...frame,
    refId,
    ...(index === 0 && notices.length > 0 && { meta: { ...frame.meta, notices } }),
  }));
}

function filterOf(pipeline: string): (id: string) => boolean {
  const wanted = pipeline.trim();
  const pattern = compile(wanted);
  return (id) => wanted === '' || id === wanted || (pattern?.test(id) ?? false);
}

/** A text that is no regular expression can still be the id itself. */
function compile(text: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${text})$`);
  } catch {
    return undefined;
  }
}

function wordsOf({ timezone }: DataQueryRequest): Words {
  return { time: (atMs) => dateTimeFormat(atMs, { timeZone: timezone, format: 'HH:mm:ss' }) };
}
