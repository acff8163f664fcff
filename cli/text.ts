import {
  duration,
  type HypothesisStatus,
  type PipelineEvaluation,
  type Problem,
  STAGE_NAMES,
  type Trigger,
  wordDefect,
  wordRange,
} from '../src/pipeline';
import { block, table, type Paragraph } from './block';
import type { QueryRange } from './options';
import { paint, titleOf } from './titles';
import type { Clock } from './zone';

export interface TextInput {
  /** Worst first. */
  readonly evaluations: readonly PipelineEvaluation[];
  /** Said where there is no pipeline to show, or none that can be judged. */
  readonly problems: readonly Problem[];
  readonly range: QueryRange;
  readonly clock: Clock;
  readonly colours: boolean;
}

/** The diagnosis for a person on call: what is wrong, why, what was ruled out, what to do, and on which data. */
export function renderText(input: TextInput): string {
  const { evaluations, range, clock } = input;
  const heading = [`As of ${clock.full(range.toMs)}, ${clock.zone}`, ...summaryOf(evaluations)].join('\n');
  const parts = evaluations.length > 0 ? evaluations.map((one) => describe(one, input)) : nothingSeen(input);
  return `${[heading, ...parts].join('\n\n')}\n`;
}

function summaryOf(evaluations: readonly PipelineEvaluation[]): string[] {
  const titles = evaluations.map(({ verdict }) => titleOf(verdict).word);
  const parts = [...new Set(titles)].map((word) => `${titles.filter((t) => t === word).length} ${word}`);
  return titles.length > 1 ? [`${titles.length} pipelines: ${parts.join(', ')}`] : [];
}

function nothingSeen({ problems, colours }: TextInput): string[] {
  const why = problems.map(({ text }) => text);
  const steps = problems.map(({ nextStep }) => nextStep);
  const text = why.length > 0 ? why : ['No engine had been seen by this instant.'];
  const next = steps.length > 0 ? steps : ['Judge a later instant with --at, or look further back with --range.'];
  return [[...titled('UNKNOWN', text, paint('UNKNOWN', 'yellow', colours)), ...block('Next step', next)].join('\n')];
}

function describe(one: PipelineEvaluation, { problems, range, clock, colours }: TextInput): string {
  const { verdict } = one;
  const advice = verdict.kind === 'unknown' ? problems.map(({ nextStep }) => nextStep) : [];
  const { word, colour } = titleOf(verdict);
  return [
    ...titled(word, [verdict.headline], paint(word, colour, colours)),
    ...block('Pipeline', [one.id]),
    ...block('Where', [whereOf(one, clock), olderNote(one, { range, clock })]),
    ...block('Why', [verdict.detail]),
    ...block('Contradiction', one.contradictions),
    ...block('Evidence', evidenceOf(one)),
    ...block('Trigger', [verdict.trigger && triggerText(verdict.trigger, clock)]),
    ...block('Could also be', verdict.alternatives.map(spoken)),
    ...suspicions(one),
    ...block('Also', alsoOf(one)),
    ...block('Known defects', matchesOf(one)),
    ...block('Next step', [verdict.remedy, ...advice]),
    ...block('Recovered when', [verdict.recoverySign]),
    ...block('Data', dataOf(one, { range, clock })),
    ...block('SGLang', [releasesOf(one)]),
    ...block('Not seen', one.metrics.missing.length > 0 ? [one.metrics.missing.join(', ')] : []),
    ...block('Not in release', [notInRelease(one)]),
  ].join('\n');
}

/** The label is painted after the lines are laid out: colours take no room. */
function titled(word: string, text: readonly string[], painted: string): string[] {
  return block(word, text).map((line, i) => (i === 0 ? line.replace(word, painted) : line));
}

const spoken = (kind: string): string => kind.replaceAll('-', ' ');

function whereOf({ verdict }: PipelineEvaluation, clock: Clock): string | undefined {
  const { stage, engine, sinceMs } = verdict;
  const place = [stage && STAGE_NAMES[stage], engine].filter(Boolean).join(' of ');
  return place === '' || sinceMs === undefined ? place || undefined : `${place}, since ${clock.time(sinceMs)}`;
}

/** Nothing is known of before the range, so a fault that was there at its beginning has no true start. */
function olderNote(
  { verdict }: PipelineEvaluation,
  { range, clock }: Pick<TextInput, 'range' | 'clock'>
): string | undefined {
  const { severity, sinceMs } = verdict;
  const isFault = severity === 'critical' || severity === 'warning';
  return isFault && sinceMs !== undefined && sinceMs <= range.fromMs + 3 * range.stepMs
    ? `The data begins at ${clock.time(range.fromMs)} and the fault may be older: a longer --range may show what led to it.`
    : undefined;
}

/** The metric stands on a line of its own, to be copied. */
function evidenceOf({ verdict }: PipelineEvaluation): Paragraph[] {
  return verdict.evidence.flatMap(({ text, signal, engine }) => [
    { text },
    { lead: '  ', text: engine && engine !== verdict.engine ? `${signal} on ${engine}` : signal },
  ]);
}

function triggerText({ kind, atMs, size }: Trigger, clock: Clock): string {
  return kind === 'abort-burst'
    ? `Abort burst: ${size} ${size === 1 ? 'request' : 'requests'} aborted just after ${clock.time(atMs)}.`
    : `${spoken(kind)} at ${clock.time(atMs)}.`;
}

/**
 * What was suspected beside the verdict. Where all is well there is nothing to suspect, and where nothing can be known
 * nothing has been ruled out.
 */
function suspicions({ verdict, hypotheses }: PipelineEvaluation): string[] {
  const rows = table(hypotheses.map(({ name, text }) => [name, text]));
  const withStatus = (wanted: HypothesisStatus): Paragraph[] => rows.filter((_, i) => hypotheses[i]?.status === wanted);
  return verdict.severity === 'none' || verdict.kind === 'unknown'
    ? []
    : [...block('Ruled out', withStatus('refuted')), ...block('Not decided', withStatus('undecided'))];
}

/** Findings, and supported suspicions that neither the verdict nor a finding has named. */
function alsoOf({ verdict, findings, hypotheses }: PipelineEvaluation): string[] {
  const said = new Set<string>([verdict.kind, ...findings.map(({ kind }) => kind)]);
  const more = hypotheses.filter(({ kind, status }) => status === 'supported' && !said.has(kind));
  return [...findings.map(({ headline }) => headline), ...more.map(({ name, text }) => `${name}: ${text}.`)];
}

/** What matches is a suspicion, never a cause. */
const matchesOf = ({ verdict }: PipelineEvaluation): string[] =>
  verdict.knownDefects.map((one) => `Matches ${wordDefect(one)}.`);

/** What the series, or whoever runs this, tell of the releases; the engines that are alike are named together. */
function releasesOf({ engines }: PipelineEvaluation): string | undefined {
  const words = engines.map(({ releases }) => wordRange(releases ?? {})).filter((word) => word !== undefined);
  const kinds = [...new Set(words)];
  return kinds.length > 1
    ? kinds.map((kind) => `${words.filter((w) => w === kind).length} × ${kind}`).join('; ')
    : kinds[0];
}

function notInRelease({ metrics }: PipelineEvaluation): string | undefined {
  const words = metrics.notInRelease.map(({ family, since }) => `${family} (${since})`);
  return words.length > 0 ? words.join(', ') : undefined;
}

function dataOf(one: PipelineEvaluation, { range, clock }: Pick<TextInput, 'range' | 'clock'>): string[] {
  const { dataAsOfMs, verdict, metrics } = one;
  const age =
    dataAsOfMs === undefined
      ? 'No sample of any engine.'
      : `Newest sample ${clock.time(dataAsOfMs)}, ${duration(range.toMs - dataAsOfMs)} old.`;
  const share = `${Math.round(verdict.completeness * 100)} % of the samples that this verdict needs are there.`;
  const total = metrics.seen.length + metrics.missing.length;
  const families = `${metrics.seen.length} of ${total} metric families seen.`;
  return [[age, ...(verdict.completeness < 1 && verdict.kind !== 'unknown' ? [share] : []), families].join(' ')];
}
