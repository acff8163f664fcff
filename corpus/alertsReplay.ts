import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { evaluate, prepare, type RawSeries } from '../src/pipeline';
import type { Judgement } from './alertsAgreement';
import { readFiring } from './alertsFiring';
import { EVALUATED_EVERY_MS, namesRead, promtoolTest, type AlertPlay } from './alertsInput';
import { playName, PLAYS, type Play } from './alertsPlays';
import { isHealthy, lineOf, problemsOf, type Outcome } from './alertsReport';
import { END_MS, instants, recordScenario, scrapedEvery, type Recording } from './recording';

/**
 * Plays the scenarios through the rules for Prometheus and through the evaluator, and compares what they say.
 * Usage: tsx corpus/alertsReplay.ts PROMTOOL [SCENARIO…]
 */
const RULE_FILES = ['pdflow-recording.yml', 'pdflow-alerts.yml'].map((name) => join(__dirname, '../rules', name));
/** Together they cost promtool far less than one by one. */
const RECORDINGS_IN_A_BATCH = 6;
/** Rules are evaluated for a minute before the recording: a clock that was slow has stamped some samples into it. */
const BEFORE_MS = 60_000;
const SEED = 1;
/** Go collects its garbage less often, for a quarter of promtool's time. */
const SPARE_CPU = { GOGC: '400' };
/** SGLang before 0.5.9 does not tell its role. */
const ROLES = { label: 'instance', prefill: 'prefill-.*', decode: 'decode-.*' };

/** A play that both can judge. */
interface Prepared {
  readonly play: Play;
  readonly startMs: number;
  readonly alertPlay: AlertPlay;
  readonly judged: readonly Judgement[];
}

const isRead = namesRead(RULE_FILES.map((file) => readFileSync(file, 'utf8')).join('\n'));

async function main([promtool = 'promtool', ...names]: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'pdflow-alerts-'));
  try {
    const plays = PLAYS.filter(({ scenario }) => names.length === 0 || names.includes(scenario.name));
    const outcomes = await replay(plays, { promtool, folder });
    const problems = outcomes.map((outcome) => problemsOf(outcome));
    outcomes.filter(({ play }) => !isHealthy(play)).forEach((outcome) => say(lineOf(outcome)));
    problems.flat().forEach(say);
    const failed = problems.filter((list) => list.length > 0).length;
    say(`${problems.length - failed} passed, ${failed} failed`);
    return failed === 0 && problems.length > 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** While promtool works on one batch, the next one is recorded and judged here. */
async function replay(plays: readonly Play[], tools: { promtool: string; folder: string }): Promise<Outcome[]> {
  const asked: Array<Promise<Outcome[]>> = [];
  for (const recordings of batchesOf(plays)) {
    const prepared = recordings.flatMap(prepareAll);
    await asked[asked.length - 2];
    asked.push(ask(tools.promtool, join(tools.folder, `batch${asked.length}`), prepared));
  }
  return (await Promise.all(asked)).flat();
}

/** Plays that share a recording stay together. */
function batchesOf(plays: readonly Play[]): Play[][][] {
  const byRecording = new Map<string, Play[]>();
  for (const play of plays) {
    const key = JSON.stringify([play.scenario.name, play.size, play.evidence]);
    byRecording.set(key, [...(byRecording.get(key) ?? []), play]);
  }
  const all = [...byRecording.values()];
  return Array.from({ length: Math.ceil(all.length / RECORDINGS_IN_A_BATCH) }, (_, i) =>
    all.slice(i * RECORDINGS_IN_A_BATCH, (i + 1) * RECORDINGS_IN_A_BATCH)
  );
}

function prepareAll(plays: readonly Play[]): Prepared[] {
  const [first] = plays;
  const recording = first && recordScenario(first.scenario, SEED, first.size, first.evidence);
  return recording ? plays.map((play) => prepareOne(play, recording)) : [];
}

function prepareOne(play: Play, { series: recorded, startMs }: Recording): Prepared {
  const series = scrapedEvery(recorded, play.everyMs).map((s) => ({
    ...s,
    labels: { ...s.labels, __name__: (s.labels['__name__'] ?? '').replace(/^sglang:/, play.prefix) },
  }));
  return {
    play,
    startMs,
    alertPlay: {
      name: `${play.scenario.name} ${playName(play)}`,
      series: series.filter((s) => isRead(s.labels.__name__)),
    },
    judged: isHealthy(play) ? [] : judge(series, startMs),
  };
}

function judge(series: readonly RawSeries[], startMs: number): Judgement[] {
  const fleet = prepare(series, { roleMapping: ROLES });
  return instants(EVALUATED_EVERY_MS, startMs).map((atMs) => {
    const verdict = evaluate(fleet, atMs)[0]?.verdict;
    const isAlarm = verdict?.severity === 'critical' || verdict?.severity === 'warning';
    return { atMs, alarm: isAlarm ? verdict.kind : undefined };
  });
}

async function ask(promtool: string, file: string, prepared: readonly Prepared[]): Promise<Outcome[]> {
  const baseMs = Math.min(...prepared.map(({ startMs }) => startMs)) - BEFORE_MS;
  const plays = prepared.map(({ alertPlay }) => alertPlay);
  writeFileSync(`${file}.yml`, promtoolTest(RULE_FILES, { plays, baseMs, endMs: END_MS }));
  const firings = readFiring(await outputOf(promtool, ['test', 'rules', `${file}.yml`], `${file}.out`));
  return prepared.map(({ play, alertPlay, judged }) => ({
    play,
    judged,
    firings: firings.get(alertPlay.name) ?? [],
  }));
}

/** Written to a file: a pipe would have to be emptied while this process records. */
async function outputOf(command: string, args: readonly string[], file: string): Promise<string> {
  const out = openSync(file, 'w');
  const child = spawn(command, args, { stdio: ['ignore', out, out], env: { ...process.env, ...SPARE_CPU } });
  closeSync(out);
  await once(child, 'close');
  return readFileSync(file, 'utf8');
}

void main(process.argv.slice(2)).then((isGood) => (process.exitCode = isGood ? 0 : 1));
