import { HEALTHY_SCENARIOS } from '../simulator/scenarioList';
import { disagreements, type Disagreement, type Judgement } from './alertsAgreement';
import type { Firing } from './alertsFiring';
import { LISTED, type Listed } from './alertsListed';
import { playName, type Play } from './alertsPlays';

/** A play after both have judged it. */
export interface Outcome {
  readonly play: Play;
  readonly judged: readonly Judgement[];
  readonly firings: readonly Firing[];
}

/** A burst of aborts is an event, not a fault: clients cancel in healthy scenarios too. */
const EVENT = 'abort-burst';
type Side = Disagreement['saidBy'];

export const isHealthy = ({ scenario }: Play): boolean => HEALTHY_SCENARIOS.includes(scenario);

/** What is wrong with a play: an alert where all is well, an unlisted disagreement, a listed one that is none. */
export function problemsOf({ play, judged, firings }: Outcome, listed: readonly Listed[] = LISTED): string[] {
  const name = `${play.scenario.name} (${playName(play)})`;
  if (isHealthy(play)) {
    const loud = new Set(firings.filter((f) => f.kind !== EVENT).map((f) => `${f.alert} at ${clock(f.atMs)}`));
    return [...loud].map((alert) => `${name}: all is well, but ${alert}`);
  }
  const found = disagreements(judged, firings);
  const rows = listed.filter((row) => appliesTo(row, play));
  return [
    ...found
      .filter((d) => !rows.some((row) => kindsOf(row, d.saidBy).includes(d.kind)))
      .map((d) => `${name}: only the ${d.saidBy} says ${d.kind}, ${clock(d.fromMs)} to ${clock(d.toMs)}; not listed`),
    ...(['evaluator', 'alerts'] as const).flatMap((side) =>
      rows
        .flatMap((row) => kindsOf(row, side))
        .filter((kind) => !found.some((d) => d.saidBy === side && d.kind === kind))
        .map((kind) => `${name}: it is listed that only the ${side} says ${kind}, but both agree`)
    ),
  ];
}

const appliesTo = (row: Listed, play: Play): boolean =>
  row.scenario === play.scenario.name && (row.plays?.includes(playName(play)) ?? true);

const kindsOf = (row: Listed, side: Side): readonly string[] =>
  (side === 'evaluator' ? row.onlyEvaluator : row.onlyAlerts) ?? [];

const clock = (atMs: number): string => new Date(atMs).toISOString().slice(11, 19);

/** One line for people: what each of the two said, from when. */
export function lineOf({ play, judged, firings }: Outcome): string {
  const alarms = judged.flatMap((j) => (j.alarm === undefined ? [] : [{ atMs: j.atMs, name: j.alarm }]));
  const alerts = firings.filter((f) => f.severity !== 'info').map((f) => ({ atMs: f.atMs, name: f.kind }));
  const title = `${play.scenario.name} (${playName(play)})`;
  return `${title.padEnd(56)}${firsts(alarms)}  |  ${firsts(alerts)}`;
}

function firsts(said: ReadonlyArray<{ readonly atMs: number; readonly name: string }>): string {
  const names = [...new Set(said.map((s) => s.name))];
  const times = names.map((name) => `${clock(said.find((s) => s.name === name)?.atMs ?? 0)} ${name}`);
  return times.length > 0 ? times.join(', ') : 'calm';
}
