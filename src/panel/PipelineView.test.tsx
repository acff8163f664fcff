import { createTheme, colorManipulator } from '@grafana/data';
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import React from 'react';
import { layoutPipeline } from '../pipeline/layout';
import { STAGES, STAGE_STATES, type PipelineEvaluation } from '../pipeline/model';
import * as built from '../testing/evaluations';
import { testIds } from './testIds';
import { paintOf, stateFill } from './diagram/paint';
import { PipelineView, type PipelineViewProps } from './diagram/PipelineView';

const formats = {
  time: (atMs: number) => new Date(atMs).toISOString().slice(11, 19),
  tick: (atMs: number) => new Date(atMs).toISOString().slice(11, 16),
  rate: (perSec: number) => `${perSec}/s`,
  count: (value: number) => `${value}`,
};

function view(evaluation: PipelineEvaluation, more: Partial<PipelineViewProps> = {}): React.ReactElement {
  return (
    <PipelineView
      evaluations={[evaluation]}
      evaluation={evaluation}
      timeline={built.foundingTimeline}
      annotations={[]}
      problems={[]}
      layout={layoutPipeline({ width: 1280, height: 720 })}
      formats={formats}
      live={false}
      lost={false}
      onChoose={() => undefined}
      {...more}
    />
  );
}

/** Fill and stroke colours of everything drawn below an element. */
function coloursIn(element: Element): Set<string> {
  const nodes = [element, ...element.querySelectorAll('*')];
  return new Set(
    nodes.flatMap((node) => [node.getAttribute('fill'), node.getAttribute('stroke')]).filter((c) => c !== null)
  );
}

const paint = paintOf(createTheme(), 'p');

describe('the founding incident', () => {
  it('says the verdict, its cause, the remedy and the sign of recovery', () => {
    const { container } = render(view(built.founding));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent('KV transfer stalled for 10 m 45 s');
    expect(container).toHaveTextContent('right after 8 aborts');
    expect(container).toHaveTextContent(
      'Do: restart decode 10.0.0.2:30002. Recovered when: decode concludes a transfer'
    );
    expect(container).toHaveTextContent('health 200 ≠ no progress 10 m');
    expect(screen.getByTestId(testIds.dataAge)).toHaveTextContent('data as of 20:48:45');
  });

  it('says that known defects match, as text', () => {
    const knownDefects = [{ issue: 'sgl-project/sglang#31144', text: '<b>it stands</b>', fixedIn: '0.5.17' }];
    const { container } = render(view({ ...built.founding, verdict: { ...built.founding.verdict, knownDefects } }));
    const words = 'sgl-project/sglang#31144 (<b>it stands</b>, fixed in 0.5.17).';
    expect(container.querySelector('svg')).toHaveTextContent(`Matches known defects: ${words}`);
    expect(screen.getByTestId(testIds.table)).toHaveTextContent(`Matches known defect ${words}`);
  });

  it('shows every stage with state and part, and only the culprit in the alarm colour', () => {
    render(view(built.founding));
    for (const stage of STAGES) {
      const box = screen.getByTestId(testIds.stage(stage));
      expect(coloursIn(box).has(paint.critical)).toBe(stage === 'decode.transfer');
    }
    expect(screen.getByTestId(testIds.stage('decode.transfer'))).toHaveAttribute('data-part', 'culprit');
  });

  it('lists every hypothesis with how it was decided', () => {
    render(view(built.founding));
    const list = screen.getByTestId(testIds.hypotheses);
    expect(within(list).getByTestId(testIds.hypothesis('zombie-requests'))).toHaveAttribute('data-status', 'refuted');
    expect(within(list).getByTestId(testIds.hypothesis('zombie-requests'))).toHaveTextContent('✕');
    expect(within(list).getByTestId(testIds.hypothesis('decode-wedged'))).toHaveTextContent('?');
    expect(within(list).getByTestId(testIds.hypothesis('transfer-stalled'))).toHaveTextContent('✓');
  });

  it('marks the aborts on the strip', () => {
    render(view(built.founding));
    expect(screen.getByTestId(testIds.strip)).toHaveTextContent('8 aborts 20:38:03');
  });

  it('gives every stage a label and a place in the tab order', () => {
    render(view(built.founding));
    const stage = screen.getByTestId(testIds.stage('decode.transfer'));
    expect(stage).toHaveAttribute('tabindex', '0');
    expect(stage).toHaveAccessibleName(/KV transfer: stalled 10 m 45 s/);
  });

  it('tells screen readers the same in a table', () => {
    render(view(built.founding));
    const row = within(screen.getByTestId(testIds.table)).getByRole('row', { name: /KV transfer/ });
    expect(row).toHaveTextContent('stalled, the culprit');
  });
});

describe('states that are not alarms', () => {
  it.each(['healthy', 'idle'] as const)('%s has no alarm colour anywhere', (name) => {
    const { container } = render(view(built[name], { timeline: built.quietTimeline }));
    const colours = coloursIn(container);
    for (const alarm of [paint.critical, paint.caution, paint.info]) {
      expect(colours.has(alarm)).toBe(false);
    }
  });

  it('unknown is never drawn as fine: question marks, dashes, the word, no zero', () => {
    render(view(built.unknown));
    for (const stage of STAGES) {
      const box = screen.getByTestId(testIds.stage(stage));
      expect(box).toHaveTextContent('?');
      expect(box).toHaveTextContent('unknown');
      expect(box.querySelector('rect')).toHaveAttribute('stroke-dasharray');
      expect(box.querySelector('text[font-size="30"]')).not.toHaveTextContent('0');
      expect(coloursIn(box).has(paint.bar)).toBe(false);
    }
  });
});

describe('textures', () => {
  it('no two states are drawn alike, but those that all mean that nothing leaves', () => {
    const looks = STAGE_STATES.map((state) => JSON.stringify(stateFill(state, paint)));
    expect(new Set(looks).size).toBe(STAGE_STATES.length - 2);
  });

  it.each(STAGE_STATES)('%s has a shape on its box', (state) => {
    const stages = built.healthy.stages.map((stage) => ({ ...stage, state }));
    render(view({ ...built.healthy, stages }));
    const box = screen.getByTestId(testIds.stage('prefill.forward'));
    expect(box.querySelector(`[data-shape="${state}"]`)).toBeInTheDocument();
  });
});

describe('the picture', () => {
  beforeEach(() => jest.useFakeTimers({ now: built.AT_MS }));
  afterEach(() => jest.useRealTimers());

  it('is drawn anew for new data, not for each second of its age nor because the panel around it is', () => {
    const tick = jest.fn(formats.tick);
    const element = view(built.founding, { live: true, formats: { ...formats, tick } });
    const around = (size: number): React.ReactElement => <div tabIndex={size}>{React.cloneElement(element)}</div>;
    const { rerender } = render(around(1));
    const drawn = tick.mock.calls.length;
    expect(drawn).toBeGreaterThan(0);
    act(() => jest.advanceTimersByTime(4000));
    rerender(around(2));
    expect(screen.getByTestId(testIds.dataAge)).toHaveTextContent('· 7 s ago');
    expect(tick).toHaveBeenCalledTimes(drawn);
    rerender(React.cloneElement(element, { timeline: { ...built.foundingTimeline } }));
    expect(tick.mock.calls.length).toBeGreaterThan(drawn);
  });
});

describe('old data', () => {
  it('is veiled, and the last verdict is told as history', () => {
    const { container } = render(view(built.founding, { lost: true }));
    expect(screen.getByTestId(testIds.headline)).toHaveTextContent('LOST: no data since 20:48:45');
    expect(screen.getByTestId(testIds.veil)).toHaveTextContent('LOST');
    expect(container).toHaveTextContent('Last verdict: KV transfer stalled');
  });
});

describe('live region', () => {
  it('speaks when the verdict changes and not when only its age grows', () => {
    const { rerender } = render(view(built.founding));
    const later = {
      ...built.founding,
      verdict: { ...built.founding.verdict, headline: 'KV transfer stalled for 10 m 50 s' },
    };
    rerender(view(later));
    expect(screen.getByTestId(testIds.live)).toHaveTextContent('KV transfer stalled for 10 m 45 s');
    rerender(view(built.healthy));
    expect(screen.getByTestId(testIds.live)).toHaveTextContent('Flowing: 3.4 requests/s delivered');
  });
});

describe('data problems', () => {
  it('are counted, the first one with its next step, beside the picture', () => {
    const problem = { kind: 'missing-metric', text: 'A is missing.', nextStep: 'Enable it.' } as const;
    render(view(built.founding, { problems: [problem, { ...problem, text: 'B is missing.' }] }));
    expect(screen.getByTestId(testIds.problems)).toHaveTextContent('2 data problems. A is missing. → Enable it.');
    expect(screen.getByTestId(testIds.stage('decode.transfer'))).toBeInTheDocument();
  });
});

describe('data problems without a line of their own', () => {
  it('are counted beside the age', () => {
    const problem = { kind: 'missing-metric', text: 'A is missing.', nextStep: 'Enable it.' } as const;
    render(view(built.founding, { problems: [problem], layout: layoutPipeline({ width: 300, height: 120 }) }));
    expect(screen.getByTestId(testIds.dataAge)).toHaveTextContent('· 1 data problem');
  });
});

describe('several pipelines', () => {
  it('can be chosen by mouse and by keyboard', () => {
    const onChoose = jest.fn();
    const evaluations = [built.founding, { ...built.healthy, id: 'other' }];
    render(
      view(built.founding, { evaluations, onChoose, layout: layoutPipeline({ width: 1280, height: 720, tabs: true }) })
    );
    const other = screen.getByRole('button', { name: /^other/ });
    fireEvent.click(other);
    fireEvent.keyDown(other, { key: 'Enter' });
    expect(onChoose.mock.calls).toEqual([['other'], ['other']]);
    expect(screen.getByRole('button', { name: /^deepseek/ })).toHaveAttribute('aria-pressed', 'true');
  });

  it('a hundred are a row and a count', () => {
    const evaluations = Array.from({ length: 100 }, (_, i) => ({ ...built.healthy, id: `p${i}` }));
    render(view(built.healthy, { evaluations, layout: layoutPipeline({ width: 1280, height: 720, tabs: true }) }));
    const tabs = screen.getByTestId(testIds.tabs);
    expect(within(tabs).getAllByRole('button').length).toBeLessThanOrEqual(9);
    expect(tabs).toHaveTextContent(/\+ 9\d more/);
  });
});

describe('hostile text', () => {
  it('is text: no element, no event handler, nothing longer than its place', () => {
    const { container } = render(view(built.hostile));
    expect(container.querySelector('img')).toBeNull();
    expect(container.querySelector('[onerror]')).toBeNull();
    const longest = Math.max(...[...container.querySelectorAll('text')].map((text) => text.textContent.length));
    expect(longest).toBeLessThan(600);
  });

  it('does not turn the direction of what follows', () => {
    const { container } = render(view(built.hostile));
    const texts = [...container.querySelectorAll('text')].map((text) => text.textContent).join('');
    expect(texts).not.toMatch(/[\u202a-\u202e]/);
  });
});

describe('every size', () => {
  it.each([
    [1280, 720],
    [400, 300],
    [3840, 2160],
    [300, 120],
    [360, 640],
    [60, 30],
  ])('%d × %d keeps the verdict, the age and a bounded number of nodes', (width, height) => {
    const { container } = render(view(built.manyEngines, { layout: layoutPipeline({ width, height }) }));
    expect(screen.getByTestId(testIds.headline)).toBeInTheDocument();
    expect(screen.getByTestId(testIds.dataAge)).toBeInTheDocument();
    expect(container.querySelectorAll('*').length).toBeLessThan(1200);
  });
});

describe('contrast', () => {
  it.each(['dark', 'light'] as const)('text is at least 4.5:1 in the %s theme', (mode) => {
    const p = paintOf(createTheme({ colors: { mode } }), 'p');
    const pairs = [
      [p.text, p.background],
      [p.secondary, p.background],
      [p.text, p.box],
      [p.secondary, p.box],
      [p.critical, p.background],
      [p.critical, p.criticalFill],
      [p.caution, p.background],
      [p.caution, p.box],
      [p.caution, p.criticalFill],
      [p.caution, p.cautionFill],
      [p.secondary, p.criticalFill],
      [p.info, p.background],
      [p.info, p.infoFill],
    ] as const;
    const low = pairs.filter(([text, ground]) => colorManipulator.getContrastRatio(text, ground, p.background) < 4.5);
    expect(low).toEqual([]);
  });
});
