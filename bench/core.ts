import { evaluate, prepare, timeline, type Fleet } from '../src/pipeline';
import { clock, endOf, engine, type Clock } from '../src/testing/traces';

/**
 * How the core scales, as ratios within one run (absolute times depend on the machine): 30 minutes at 15 s, of 25
 * engines up to 200. Twice the engines should take about twice the time, and a stall little more than none.
 */
const SIZES = [25, 50, 100, 200] as const;
const RUNS = 3;

const time = clock(30, 15);

/** On every tenth decode engine nothing arrives any more after the scrape. */
function fleetOf(engines: number, at: Clock, stopsAfter = Infinity): ReturnType<typeof engine> {
  const received =
    (k: number) =>
    (scrape: number): number =>
      k % 10 === 1 && scrape > stopsAfter ? 0 : 5;
  return Array.from({ length: engines }, (_, k) => k).flatMap((k) =>
    k % 3 === 0
      ? engine(at, {
          id: `prefill-${k}`,
          role: 'prefill',
          isStamped: true,
          counters: {
            bootstrapped: 9,
            scheduled: 9,
            forwarded: 9,
            handedOver: 9,
            kvTransfers: 9,
            prefillTokens: 9000,
            httpRequests: 9,
          },
          gauges: { running: 1, queued: 0, inflight: (i) => i % 3, usage: 0.4 },
        })
      : engine(at, {
          id: `decode-${k}`,
          role: 'decode',
          isStamped: true,
          counters: {
            received: 5,
            admitted: 5,
            transferred: received(k),
            started: received(k),
            decodeTokens: 900,
            finished: received(k),
            httpRequests: 5,
          },
          gauges: { running: (i) => 10 + (i % 4), prealloc: 0, transferring: 1, usage: 0.6 },
        })
  );
}

function fastestMs(work: () => void): number {
  const times = Array.from({ length: RUNS }, () => {
    const startedMs = performance.now();
    work();
    return performance.now() - startedMs;
  });
  return Math.min(...times);
}

interface Row {
  readonly engines: number;
  readonly prepareMs: number;
  readonly evaluateMs: number;
  readonly timelineMs: number;
  readonly stallMs: number;
}

const timelineMs = (fleet: Fleet): number => {
  const id = fleet.pipelines[0]?.id ?? '';
  return fastestMs(() => timeline(fleet, id, { fromMs: time.startMs, toMs: endOf(time) }));
};

function measure(engines: number): Row {
  const series = fleetOf(engines, time);
  const fleet = prepare(series);
  return {
    engines,
    prepareMs: fastestMs(() => prepare(series)),
    evaluateMs: fastestMs(() => evaluate(fleet, endOf(time))),
    timelineMs: timelineMs(fleet),
    stallMs: timelineMs(prepare(fleetOf(engines, time, time.scrapes / 2))),
  };
}

const rows = SIZES.map(measure);
console.log(
  'engines   prepare          evaluate         timeline         with stalls     (ms, and times the row above)'
);
rows.forEach((row, i) => {
  const above = rows[i - 1];
  const cell = (key: Exclude<keyof Row, 'engines'>): string =>
    `${row[key].toFixed(1).padStart(8)} ${above ? `×${(row[key] / above[key]).toFixed(1)}` : ''}`.padEnd(17);
  console.log(
    `${String(row.engines).padStart(7)} ${cell('prepareMs')}${cell('evaluateMs')}${cell('timelineMs')}${cell('stallMs')}`
  );
});
