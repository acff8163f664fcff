import { prepare, timeline } from '../src/pipeline';
import { clock, decodeFlow, endOf, engine, prefillFlow } from '../src/testing/traces';

describe('a fleet of 200 engines over 30 minutes', () => {
  const time = clock(30);
  const series = Array.from({ length: 200 }, (_, k) =>
    k < 70
      ? engine(time, { id: `p${k}`, role: 'prefill', counters: prefillFlow(30) })
      : engine(time, { id: `d${k}`, role: 'decode', counters: decodeFlow(16) })
  ).flat();
  const tookMs = (work: () => void): number => {
    const beganMs = performance.now();
    work();
    return performance.now() - beganMs;
  };

  it('is prepared within a second', () => {
    expect(tookMs(() => prepare(series))).toBeLessThan(1000);
  });

  // Nearly all of the time goes into `losses`: for every engine, all readings of all instants are looked through.
  it('is followed through the range within two seconds', () => {
    const fleet = prepare(series);
    expect(tookMs(() => timeline(fleet, 'm', { fromMs: time.startMs, toMs: endOf(time) }))).toBeLessThan(2000);
  });
});
