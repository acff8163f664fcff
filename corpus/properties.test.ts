import { evaluate, prepare, timeline, type PipelineEvaluation, type RawSeries } from '../src/pipeline';
import {
  END_MS,
  instants,
  keepSamples,
  movedBy,
  recordScenario,
  scenarioNamed,
  scrapedEvery,
  T0_MS,
} from './recording';

/** What must not change a verdict. Each law is tried on calm and on broken recordings. */
const EVERY_MS = 15_000;
const CASES = ['healthy', 'founding', 'decode-restart-recovers', 'scrape-gap'].map((name) => {
  const { series, startMs } = recordScenario(scenarioNamed(name), 2, { prefill: 1, decode: 1 });
  return { name, startMs, series: scrapedEvery(series, EVERY_MS) };
});
const MOMENTS = [T0_MS - 60_000, T0_MS + 60_000, T0_MS + 5 * 60_000, T0_MS + 8 * 60_000, END_MS];

const judge = (series: readonly RawSeries[], atMs: number): PipelineEvaluation | undefined =>
  evaluate(prepare(series), atMs).find((e) => e.id === 'deepseek-v4-flash');

const verdicts = (series: readonly RawSeries[], shiftMs = 0): unknown[] =>
  MOMENTS.map((atMs) => {
    const v = judge(series, atMs + shiftMs)?.verdict;
    return v && [v.kind, v.stage, v.engine, v.sinceMs === undefined ? undefined : v.sinceMs - shiftMs, v.trigger?.size];
  });

/** Deterministic shuffle: the order is what a linear congruential generator of this seed says. */
function shuffled<T>(list: readonly T[], seed: number): T[] {
  let state = seed;
  const keyed = list.map((item) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return { item, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

const renamed = (series: readonly RawSeries[], change: (name: string) => string): RawSeries[] =>
  series.map((s) => ({ ...s, labels: { ...s.labels, __name__: change(s.labels['__name__'] ?? '') } }));

describe.each(CASES)('$name', ({ series, startMs }) => {
  const usual = verdicts(series);

  it.each([1, 2, 3])('does not depend on the order of the series (shuffle %i)', (seed) => {
    expect(verdicts(shuffled(series, seed))).toEqual(usual);
  });

  it.each([1, -3_600_000, 86_400_000])('does not depend on the date (moved by %i ms)', (shiftMs) => {
    expect(verdicts(movedBy(series, shiftMs), shiftMs)).toEqual(usual);
  });

  it('does not depend on the engines of another model', () => {
    const others = series
      .filter((s) => s.labels['model_name'] !== undefined)
      .map((s) => ({ ...s, labels: { ...s.labels, model_name: 'other', instance: `other-${s.labels['instance']}` } }));
    expect(verdicts([...others, ...series])).toEqual(usual);
  });

  it('reads the prefix of the gateway and of the shipped dashboard', () => {
    expect(verdicts(renamed(series, (name) => name.replace(/^sglang:/, 'sglang_')))).toEqual(usual);
  });

  it('reads the old spellings of the prefill gauges', () => {
    const old = renamed(series, (name) =>
      name
        .replace('num_prefill_inflight_queue_reqs', 'num_prefill_infight_queue_reqs')
        .replace('num_prefill_bootstrap_queue_reqs', 'num_prefill_prealloc_queue_reqs')
    );
    expect(verdicts(old)).toEqual(usual);
  });

  it('knows nothing of the future: cut at any instant, the judgement of that instant is the same', () => {
    const fleet = prepare(series);
    for (const atMs of instants(4 * EVERY_MS, startMs + 2 * EVERY_MS)) {
      const whole = evaluate(fleet, atMs);
      const past = evaluate(prepare(keepSamples(series, (t) => t <= atMs)), atMs);
      expect(past.map((e) => ({ ...e, metrics: undefined }))).toEqual(whole.map((e) => ({ ...e, metrics: undefined })));
    }
  });

  it('says on the strip what it says in the picture, but for the faults drawn back to where they began', () => {
    const fleet = prepare(series);
    const line = timeline(fleet, 'deepseek-v4-flash', { fromMs: startMs, toMs: END_MS });
    for (const atMs of instants(EVERY_MS, startMs)) {
      const { verdict } = judge(series, atMs) ?? {};
      const span = line.verdicts.find((v) => atMs >= v.fromMs && (atMs < v.toMs || v.toMs === END_MS));
      if (span?.kind !== verdict?.kind) {
        expect(span?.severity).toBe('critical');
        expect(verdict?.severity).not.toBe('critical');
        expect(atMs - (span?.fromMs ?? 0)).toBeLessThan(4 * EVERY_MS);
      }
    }
  });
});
