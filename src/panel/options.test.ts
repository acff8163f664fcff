import { DEFAULT_OPTIONS, pipelineOptions, readOptions, type PanelOptions } from './options';

describe('reading saved options', () => {
  it.each([undefined, null, 'text', 7, [], {}])('%p gives the defaults', (saved) => {
    expect(readOptions(saved)).toEqual(DEFAULT_OPTIONS);
  });

  const rows: ReadonlyArray<readonly [unknown, Partial<PanelOptions>, string]> = [
    // [what was saved, what is read, why]
    [{ pipeline: 'a' }, { pipeline: 'a' }, 'a text is kept'],
    [{ pipeline: 5 }, { pipeline: '' }, 'a number is no name'],
    [{ pipeline: 'x'.repeat(9999) }, { pipeline: 'x'.repeat(500) }, 'a text is bounded'],
    [{ showStrip: false }, { showStrip: false }, 'a switch is kept'],
    [{ showStrip: 'no' }, { showStrip: true }, 'a text is no switch'],
    [{ distanceM: 5 }, { distanceM: 5 }, 'a number is kept'],
    [{ distanceM: -5 }, { distanceM: 0 }, 'less than nothing is nothing'],
    [{ distanceM: 1e9 }, { distanceM: 100 }, 'a number is bounded'],
    [{ distanceM: NaN }, { distanceM: 0 }, 'not a number is the default'],
    [{ distanceM: '5' }, { distanceM: 0 }, 'a text is no number'],
    [{ veilAfter: 0 }, { veilAfter: 0 }, 'zero turns the veil off'],
    [{ veilAfter: null }, { veilAfter: 3 }, 'an emptied number input is the default'],
    [{ unheardOf: 1 }, {}, 'what is not known is left out'],
  ];
  it.each(rows)('%j is read as %j: %s', (saved, expected) => {
    expect(readOptions(saved)).toEqual({ ...DEFAULT_OPTIONS, ...expected });
  });
});

describe('options for the evaluator', () => {
  it('adds nothing by default, so that the query decides', () => {
    const fromQuery = { intervalMs: 5000, windowMs: 60_000, sglangVersion: '0.5.12' };
    expect(pipelineOptions(DEFAULT_OPTIONS, fromQuery)).toEqual(fromQuery);
  });

  it('lets the panel overrule the query', () => {
    const options = {
      ...DEFAULT_OPTIONS,
      windowSec: 30,
      roleLabel: 'job',
      prefillPattern: 'p.*',
      sglangVersion: '0.5.9',
    };
    expect(pipelineOptions(options, { windowMs: 60_000, sglangVersion: '0.5.12' })).toEqual({
      windowMs: 30_000,
      sglangVersion: '0.5.9',
      roleMapping: { label: 'job', prefill: 'p.*', decode: undefined, router: undefined },
    });
  });
});
