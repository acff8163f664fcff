import type { Conclusion, Speech } from './conclusions/speech';
import { stalledStage } from './conclusions/stall';
import { independentStalls } from './links';
import { engineOf } from './moment';
import type { Finding, StageReading, Words } from './model';
import { IDLE_REFRESH_MS } from './profiles/sglang';
import { staleGauges } from './rules/calm';
import { nothingScraped } from './rules/data';
import { unseenEngines } from './rules/lost';
import { capital, STAGE_NAMES } from './sentences';

const MOST_NAMED = 3;

/** What else is worth knowing, beside the verdict: what stalls by itself, what is not seen, which gauges mislead. */
export function findingsOf(speech: Speech, verdict: Conclusion, readings: readonly StageReading[]): Finding[] {
  const { moment, words } = speech;
  const stale = staleGauges(moment)
    .filter((g) => moment.atMs - (g.trueAtMs ?? 0) > IDLE_REFRESH_MS || verdict.severity === 'critical')
    .map((g): Finding => ({
      kind: 'stale-gauge',
      severity: 'info',
      stage: g.reading.stage,
      engine: g.reading.engine,
      sinceMs: g.trueAtMs,
      headline: `${capital(STAGE_NAMES[g.reading.stage])} gauge of ${g.reading.engine} reads ${g.gauge}, the counters say ${g.implied}${unverified(g.trueAtMs, words)}.`,
    }));
  return [...further(speech, verdict, readings), ...unseen(speech, verdict), ...frozen(speech, verdict), ...stale];
}

/** Other engines that stall too, and not because of the culprit. */
function further(speech: Speech, verdict: Conclusion, readings: readonly StageReading[]): Finding[] {
  const { stage, engine } = verdict;
  if (verdict.severity !== 'critical' || stage === undefined || engine === undefined) {
    return [];
  }
  return independentStalls(readings, { stage, engine })
    .slice(0, MOST_NAMED)
    .map((r): Finding => {
      const { kind, sinceMs, headline } = stalledStage(r, r.stalledSinceMs ?? speech.moment.atMs, speech);
      return { kind, severity: 'warning', stage: r.stage, engine: r.engine, sinceMs, headline: `${headline}.` };
    });
}

/** Engines that are not seen, by name up to a handful, else by number. */
function unseen({ moment, words }: Speech, verdict: Conclusion): Finding[] {
  const missing = unseenEngines(moment).filter((e) => e.engine.id !== verdict.engine);
  if (nothingScraped(moment)) {
    return [];
  }
  const since = Math.min(...missing.map((e) => e.lastSampleMs));
  const one = (headline: string, engine: string | undefined, sinceMs: number): Finding => ({
    kind: 'engine-down',
    severity: 'info',
    engine,
    sinceMs,
    headline: `${headline} not been seen since ${words.time(sinceMs)}.`,
  });
  return missing.length > MOST_NAMED
    ? [one(`${missing.length} engines have`, undefined, since)]
    : missing.map((e) => one(`${e.engine.id} has`, e.engine.id, e.lastSampleMs));
}

const unverified = (trueAtMs: number | undefined, words: Words): string =>
  trueAtMs === undefined ? '' : `; not pushed since ${words.time(trueAtMs)}`;

/** The gauges of a wedged engine stand at their last push and look like life. */
function frozen({ moment, words }: Speech, verdict: Conclusion): Finding[] {
  const engine = engineOf(moment, verdict.engine);
  const still = engine?.readings.filter((r) => r.depth.gauge && !r.depth.gauge.fresh && r.depth.gauge.value > 0) ?? [];
  if (verdict.kind !== 'decode-wedged' || !engine || still.length === 0) {
    return [];
  }
  const trueAtMs = engine.engine.gaugesTrueAtMs[engine.index];
  const said = still.map((r) => `${STAGE_NAMES[r.stage]} ${r.depth.gauge?.value}`).join(', ');
  const headline = `Gauges of ${engine.engine.id} are frozen (${said})${unverified(trueAtMs, words)}.`;
  return [{ kind: 'stale-gauge', severity: 'info', engine: engine.engine.id, sinceMs: trueAtMs, headline }];
}
