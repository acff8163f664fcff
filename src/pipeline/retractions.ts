import type { TrackedEngine } from './fleet';
import type { PipelineEvent } from './model';
import { count } from './sentences';

/** Retractions with less than this between them are one event: a decode that is short of KV retracts again and again. */
const PAUSE_MS = 60_000;

/** Running requests that decode moved out because its KV room had run out. */
export function retractions(engine: TrackedEngine): PipelineEvent[] {
  const events: Array<{ atMs: number; lastMs: number; size: number }> = [];
  retractedPerScrape(engine).forEach((n, i) => {
    const nowMs = engine.timesMs[i] ?? 0;
    const last = events[events.length - 1];
    if (n > 0 && last && nowMs - last.lastMs <= PAUSE_MS) {
      last.size += n;
      last.lastMs = nowMs;
    } else if (n > 0) {
      events.push({ atMs: engine.timesMs[i - 1] ?? nowMs, lastMs: nowMs, size: n });
    }
  });
  return events.map(({ atMs, size }) => ({
    kind: 'retraction',
    atMs,
    engine: engine.id,
    stage: 'decode.running',
    size,
    text: `${engine.id} retracted ${count(size, 'request')}`,
  }));
}

/** The counter, else each new value of the gauge, which tells how many there were since the push before. */
function retractedPerScrape({ rises, columns, timesMs }: TrackedEngine): readonly number[] {
  const gauge = columns.get('gauge.retracted') ?? [];
  return (
    rises.get('requests.retracted') ?? timesMs.map((_, i) => (i > 0 && gauge[i] !== gauge[i - 1] ? (gauge[i] ?? 0) : 0))
  );
}
