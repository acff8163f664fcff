import { prepare, timeline, type PipelineEvent } from '../src/pipeline';
import { END_MS, recordScenario, scenarioNamed, scrapedEvery, T0_MS, type Recording } from './recording';

/** Retractions, expired timers and stale gauges, as the scenarios inject them; everything else is told elsewhere. */
const KINDS = ['retraction', 'timer-expiry', 'gauge-stale', 'canary-failed', 'canary-succeeded'];
const D0 = 'decode-0:30002';
const P0 = 'prefill-0:30000';

const recordings = new Map<string, Recording>();

function recordingOf(scenario: string): Recording {
  const known = recordings.get(scenario) ?? recordScenario(scenarioNamed(scenario), 1, { prefill: 1, decode: 1 });
  recordings.set(scenario, known);
  return known;
}

function eventsOf(scenario: string, everyMs: number): PipelineEvent[] {
  const { series, startMs } = recordingOf(scenario);
  const fleet = prepare(scrapedEvery(series, everyMs));
  const { events } = timeline(fleet, fleet.pipelines[0]?.id ?? '', { fromMs: startMs, toMs: END_MS });
  return events.filter((e) => KINDS.includes(e.kind));
}

interface Row {
  readonly scenario: string;
  readonly why: string;
  readonly kind: PipelineEvent['kind'];
  readonly engine: string;
  /** Seconds after T0 = 20:38:03. */
  readonly atS: number;
  readonly size?: number;
  readonly text: RegExp;
}

const ROWS: readonly Row[] = [
  {
    scenario: 'bootstrap-timer',
    why: '40 users wait for handshakes that are lost from T0 on; each is given up 300 s after it came',
    kind: 'timer-expiry',
    engine: P0,
    atS: 300,
    size: 40,
    text: /^bootstrap timer of 300 s.*after the stall began$/,
  },
  {
    scenario: 'aborts-not-absorbed',
    why: 'the aborts of T0 are lost; the 5 requests that were in transfer wait for their timer',
    kind: 'timer-expiry',
    engine: D0,
    atS: 300,
    size: 5,
    text: /^waiting timer of 300 s.*after a burst of aborts$/,
  },
  {
    scenario: 'abort-not-propagated',
    why: 'decode is not told of the aborts: all 96 slots are freed by the timer',
    kind: 'timer-expiry',
    engine: D0,
    atS: 300,
    text: /^waiting timer of 300 s/,
  },
  {
    scenario: 'retraction-recovers',
    why: '40 answers, sent 20 s before T0, outgrow the KV room',
    kind: 'retraction',
    engine: D0,
    atS: -15,
    text: /retracted \d+ requests$/,
  },
  {
    scenario: 'founding',
    why: "decode's last report, just after T0, says 2 running and 3 in transfer, and stands",
    kind: 'gauge-stale',
    engine: D0,
    atS: 0,
    text: /went stale/,
  },
];

describe.each([5_000, 15_000])('scraped every %i ms', (everyMs) => {
  it.each(ROWS.map((row) => [row.scenario, row.why, row] as const))('%s: %s', (_, __, row) => {
    const found = eventsOf(row.scenario, everyMs).find((e) => e.kind === row.kind && e.engine === row.engine);
    expect(found?.text).toMatch(row.text);
    expect(Math.abs((found?.atMs ?? 0) - (T0_MS + row.atS * 1000))).toBeLessThanOrEqual(everyMs + 5_000);
    if (row.size !== undefined) {
      expect(found?.size).toBe(row.size);
    }
  });

  it.each([
    'healthy',
    'bursts-and-pauses',
    'rolling-restart-decode',
    'counter-reset',
    'clock-step',
    'long-prefill',
    'absorbed-aborts',
    'kv-nearly-full',
    'scale-out-in',
  ])('%s: nothing of the kind', (scenario) => {
    expect(eventsOf(scenario, everyMs).map((e) => e.text)).toEqual([]);
  });
});
