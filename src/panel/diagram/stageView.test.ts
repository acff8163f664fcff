import { STAGE_STATES, type Depth, type StageSummary } from '../../pipeline/model';
import { AT_MS, founding, reading, STALL_MS } from '../../testing/evaluations';
import { heatCells } from './heat';
import { STATE_WORDS } from './names';
import { depthText, stageWords, type Instant } from './stageView';

const formats = {
  time: (atMs: number) => new Date(atMs).toISOString().slice(11, 19),
  tick: () => '',
  rate: (perSec: number) => `${perSec}/s`,
  count: (value: number) => `${value}`,
};
const INSTANT: Instant = { atMs: AT_MS, severity: 'critical', sinceMs: STALL_MS, formats };

describe('depth', () => {
  const rows: ReadonlyArray<readonly [string, Depth, string]> = [
    ['a balance is about', { source: 'balance', value: 3 }, '≈3'],
    ['a balance of nothing is about nothing', { source: 'balance', value: 0 }, '≈0'],
    ['a fresh gauge is exact', { source: 'gauge', value: 3, gauge: { value: 3, fresh: true } }, '3'],
    ['a gauge that went stale proves no number', { source: 'gauge', value: 0, gauge: { value: 0, fresh: false } }, '?'],
    ['nothing proves a number', { source: 'none', gauge: { value: 0, fresh: false } }, '?'],
    ['no source, whatever the value', { source: 'none', value: 0 }, '?'],
    ['a source without a value', { source: 'balance' }, '?'],
  ];
  it.each(rows)('%s', (_, depth, expected) => {
    expect(depthText(depth, formats)).toBe(expected);
  });
});

describe('words of a stage', () => {
  const words = (index: number): ReturnType<typeof stageWords> => {
    const stage = founding.stages[index];
    return stageWords(stage ?? reading('router', 'unknown'), INSTANT);
  };

  it('the culprit says its state and since when', () => {
    expect(words(6)).toMatchObject({
      look: 'loud',
      depth: '≈3',
      note: 'stalled 10 m 45 s',
      gauge: ['gauge 0', 'stale 10 m'],
      rates: ['in 0.1/s', 'out 0/s'],
      shortRates: '0.1 → 0/s',
      progress: 'last 20:38:03',
    });
  });

  it('several engines are counted: how many are in the state of the stage', () => {
    const engines = (['stalled', 'stalled', 'flowing'] as const).map((state) => reading('decode.transfer', state));
    const stage = { ...reading('decode.transfer', 'stalled', { lastProgressMs: STALL_MS }), engines };
    expect(stageWords(stage, INSTANT).progress).toBe('2/3 · last 20:38:03');
  });

  it('a consequence says what it waits on', () => {
    expect(words(4)).toMatchObject({ look: 'waiting', note: 'waiting on KV transfer' });
  });

  it('without proof there is a question mark, beside it the last gauge and its age', () => {
    expect(words(8)).toMatchObject({ depth: '?', gauge: ['gauge 2', 'stale 10 m'] });
  });

  it('rates that are not known are no zero', () => {
    const blind = reading('decode.running', 'unknown', { arrivalsPerSec: undefined, departuresPerSec: undefined });
    expect(stageWords(blind, INSTANT).rates).toEqual(['in ?', 'out ?']);
  });

  it.each(['unknown', 'lost'] as const)('%s is never drawn as fine, even where something is waited on', (state) => {
    const stage = reading('prefill.inflight', state, { part: 'consequence', waitingOn: 'decode.transfer' });
    expect(stageWords(stage, INSTANT)).toMatchObject({ look: 'absent', note: STATE_WORDS[state] });
  });

  it.each(STAGE_STATES)('%s has its word', (state) => {
    expect(stageWords(reading('decode.running', state), INSTANT).note.toLowerCase()).toContain(state);
  });
});

describe('engines of a stage', () => {
  const engines = (count: number, lost: number): StageSummary[] =>
    Array.from({ length: count }, (_, i) => ({
      ...reading('decode.running', i < lost ? 'lost' : 'flowing'),
      engine: `e${i}`,
    }));

  it('few have a cell each', () => {
    expect(heatCells(engines(8, 1), 12).map(({ state }) => state)).toEqual(['lost', ...Array(7).fill('flowing')]);
  });

  it('a thousand are two cells, and the one that is lost can be seen', () => {
    const cells = heatCells(engines(1000, 1), 12);
    expect(cells.map(({ state }) => state)).toEqual(['lost', 'flowing']);
    expect(cells[0]?.share).toBeGreaterThan(0.03);
    expect(cells[0]?.title).toBe('1 of 1000 lost: e0');
    expect(cells.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('none are no cells', () => {
    expect(heatCells([], 12)).toEqual([]);
  });
});
