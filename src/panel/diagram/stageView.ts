/** What a stage says on its box, in words; kept apart from drawing so that it can be read and tested as text. */
import { duration } from '../../pipeline';
import type { Depth, Severity, StageReading, StageSummary } from '../../pipeline/model';
import { shortDuration, type Formats } from './formats';
import { STAGE_NAMES, STATE_WORDS } from './names';

export interface StageWords {
  readonly depth: string;
  /** Beside the depth when the gauge may not be believed. */
  readonly gauge?: readonly [string, string];
  readonly rates: readonly [string, string];
  /** Both in one, where there is no room for the words. */
  readonly shortRates: string;
  readonly note: string;
  readonly progress: string;
  /** `loud`: the culprit. `waiting`: a consequence. `absent`: nothing is known, or the engines are gone. */
  readonly look: 'loud' | 'waiting' | 'absent' | 'plain';
  readonly title: string;
}

export interface Instant {
  readonly atMs: number;
  readonly severity: Severity;
  readonly sinceMs?: number;
  readonly formats: Formats;
}

export function stageWords(stage: StageSummary, instant: Instant): StageWords {
  const { formats } = instant;
  return {
    depth: depthText(stage.depth, formats),
    gauge: gaugeWords(stage.depth, instant),
    rates: [`in ${rateText(stage.arrivalsPerSec, formats)}`, `out ${rateText(stage.departuresPerSec, formats)}`],
    shortRates: `${rateText(stage.arrivalsPerSec, formats).replace(/\/s$/, '')} → ${rateText(stage.departuresPerSec, formats)}`,
    note: noteText(stage, instant),
    progress: progressText(stage, formats),
    look: lookOf(stage),
    title: titleOf(stage, instant),
  };
}

function lookOf(stage: StageSummary): StageWords['look'] {
  if (stage.part === 'culprit') {
    return 'loud';
  }
  if (stage.state === 'unknown' || stage.state === 'lost') {
    return 'absent';
  }
  return stage.part === 'consequence' || stage.waitingOn !== undefined ? 'waiting' : 'plain';
}

/** `≈3` for a balance, `3` for a gauge that is believed, `?` for anything else: never a zero that nobody proved. */
export function depthText(depth: Depth, formats: Formats): string {
  if (depth.value === undefined || depth.source === 'none') {
    return '?';
  }
  if (depth.source === 'balance') {
    return `≈${formats.count(depth.value)}`;
  }
  return depth.gauge?.fresh === false ? '?' : formats.count(depth.value);
}

/** A gauge that is not fresh is worth a word where it says something else than the counters, or stands alone. */
function gaugeWords({ gauge, value }: Depth, { atMs, formats }: Instant): readonly [string, string] | undefined {
  const agrees = gauge !== undefined && value !== undefined && Math.abs(gauge.value - value) < 1;
  if (gauge === undefined || gauge.fresh || agrees) {
    return undefined;
  }
  const age = gauge.trueAtMs === undefined ? '' : ` ${shortDuration(atMs - gauge.trueAtMs)}`;
  return [`gauge ${formats.count(gauge.value)}`, `stale${age}`];
}

function rateText(perSec: number | undefined, formats: Formats): string {
  return perSec === undefined ? '?' : formats.rate(perSec);
}

function noteText(stage: StageSummary, { atMs, sinceMs }: Instant): string {
  // As long as the headline says, even where the stage was empty in between.
  const since = stage.part === 'culprit' ? (sinceMs ?? stage.parkedSinceMs) : undefined;
  const age = since === undefined ? '' : ` ${duration(atMs - since)}`;
  if (stage.part === 'culprit') {
    return `${STATE_WORDS[stage.state]}${age}`;
  }
  if (stage.waitingOn !== undefined && stage.state !== 'unknown' && stage.state !== 'lost') {
    return `waiting on ${STAGE_NAMES[stage.waitingOn].full}`;
  }
  return STATE_WORDS[stage.state];
}

/** How many engines are affected, and when the stage last moved. */
function progressText(stage: StageSummary, formats: Formats): string {
  const affected = stage.engines.filter((engine) => engine.state === stage.state).length;
  const several = stage.engines.length > 1 && stage.state !== 'flowing' && stage.state !== 'idle';
  const share = several ? `${affected}/${stage.engines.length}` : '';
  const last = stage.lastProgressMs === undefined ? '' : `last ${formats.time(stage.lastProgressMs)}`;
  return [share, last].filter((part) => part !== '').join(' · ');
}

/** Everything about the stage in sentences: the label for screen readers and the text on hover. */
function titleOf(stage: StageSummary, instant: Instant): string {
  const { formats, atMs } = instant;
  const gauge = gaugeWords(stage.depth, instant);
  const lines = [
    `${STAGE_NAMES[stage.stage].full}: ${noteText(stage, instant)}`,
    stage.reason,
    `${depthText(stage.depth, formats)} requests${gauge ? ` (${gauge.join(' ')})` : ''}`,
    `in ${rateText(stage.arrivalsPerSec, formats)}, out ${rateText(stage.departuresPerSec, formats)}`,
    stage.parkedSinceMs === undefined ? '' : `parked for ${duration(atMs - stage.parkedSinceMs)}`,
    stage.lastProgressMs === undefined ? '' : `last progress ${formats.time(stage.lastProgressMs)}`,
    `judged over ${duration(stage.windowMs)}, ${Math.round(stage.completeness * 100)} % of the samples there`,
    ...stage.engines.slice(0, stage.engines.length > 1 ? 5 : 0).map(engineLine),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function engineLine(engine: StageReading): string {
  return `${engine.engine.slice(0, 80)}: ${STATE_WORDS[engine.state]}, ${engine.reason}`;
}
