import { evaluate, prepare, type Problem, queryPlan, timeline } from '../src/pipeline';
import { EXIT, type ExitCode, exitCodeOf, worstFirst } from './exitCode';
import { type Fetched, fetchSeries } from './fetchSeries';
import { HELP } from './help';
import { renderJson } from './json';
import { type Options, readCommand } from './options';
import { plain } from './plain';
import { renderText } from './text';
import { clockFor } from './zone';

/** What the command needs from the process that it runs in. */
export interface Terminal {
  readonly nowMs: number;
  readonly timeZone: string;
  readonly colours: boolean;
  /** Standard output. */
  readonly print: (text: string) => void;
  /** One line on standard error. */
  readonly note: (line: string) => void;
}

/** The whole command, from its arguments to its exit code. Rejects only on a defect. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const command = readCommand(args, terminal.nowMs);
  switch (command.kind) {
    case 'help':
      terminal.print(HELP);
      return EXIT.ok;
    case 'invalid':
      terminal.note(plain(command.message));
      return EXIT.trouble;
    case 'diagnose':
      return diagnose(command.options, terminal);
  }
}

async function diagnose(options: Options, terminal: Terminal): Promise<ExitCode> {
  const note = (text: string): void => terminal.note(plain(text));
  options.notes.forEach(note);
  const { server, range, matchers } = options;
  const fetched = await fetchSeries({ server, range, queries: queryPlan({ matchers }) });
  if (fetched.kind === 'failed') {
    note(`${fetched.failure.text} ${fetched.failure.nextStep}`);
    return EXIT.trouble;
  }
  notesOf(fetched).forEach(note);
  return judge(fetched, options, terminal);
}

function judge({ series }: Extract<Fetched, { kind: 'fetched' }>, options: Options, terminal: Terminal): ExitCode {
  const { range, roleMapping, sglangVersion, json } = options;
  const fleet = prepare(series, { roleMapping, sglangVersion });
  const problems = fleet.problems.map(withFlags);
  const clock = clockFor(json ? 'UTC' : terminal.timeZone, range.toMs);
  const evaluations = worstFirst(evaluate(fleet, range.toMs, clock));
  if (json || evaluations.length > 0) {
    problems.forEach(({ text, nextStep }) => terminal.note(plain(`${text} ${nextStep}`)));
  }
  if (json) {
    const diagnoses = evaluations.map((evaluation) => ({
      evaluation,
      events: timeline(fleet, evaluation.id, range, clock).events,
    }));
    terminal.print(renderJson(range.toMs, diagnoses));
  } else {
    terminal.print(renderText({ evaluations, problems, range, clock, colours: terminal.colours }));
  }
  return exitCodeOf(evaluations);
}

function notesOf({ dropped, warnings }: Extract<Fetched, { kind: 'fetched' }>): string[] {
  const lost = dropped === 1 ? '1 sample without a finite value was' : `${dropped} samples without a finite value were`;
  return [...warnings.map((warning) => `Prometheus warns: ${warning}`), ...(dropped > 0 ? [`${lost} left out.`] : [])];
}

/** The core does not know that it runs in a terminal: the flags that do what it advises. */
function withFlags(problem: Problem): Problem {
  const flags: Readonly<Partial<Record<Problem['kind'], string>>> = {
    'no-series': '(--match, --range, --at)',
    'unknown-role': '(--role-label, --prefill, --decode)',
    'duplicate-series': '(--match)',
    'standalone-engine': '(--role-label, --prefill, --decode)',
    'too-many-engines': '(--match)',
  };
  const hint = flags[problem.kind];
  return hint === undefined ? problem : { ...problem, nextStep: `${problem.nextStep} ${hint}` };
}
