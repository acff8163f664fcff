import { layoutPipeline, readableTypePx, SHED_ORDER, type LayoutInput, type PipelineLayout, type Rect } from './layout';
import { STAGES } from './model';

const SIZES: ReadonlyArray<readonly [number, number]> = [
  [1280, 720],
  [400, 300],
  [3840, 2160],
  [1920, 1080],
  [800, 600],
  [300, 120],
  [360, 640],
  [640, 400],
  [800, 300],
  [1280, 400],
  [2560, 720],
  [600, 1000],
  [1280, 1400],
  [900, 900],
];
const VARIANTS: ReadonlyArray<Partial<LayoutInput>> = [
  {},
  { tabs: true },
  { hideStrip: true },
  { hideHypotheses: true },
];

function at(width: number, height: number, more: Partial<LayoutInput> = {}): PipelineLayout {
  return layoutPipeline({ width, height, ...more });
}

/** Everything that text or drawing is put into; notes outside of boxes are used by one stage only. */
function rectsOf(layout: PipelineLayout): ReadonlyArray<readonly [string, Rect]> {
  const { header, stages, strip, laneLabels } = layout;
  const named: ReadonlyArray<readonly [string, Rect | undefined]> = [
    ...Object.entries(header),
    ['tabs', layout.tabs],
    ...(layout.density === 'none' ? [] : Object.entries(stages)),
    ['lane prefill', laneLabels?.prefill],
    ['lane decode', laneLabels?.decode],
    ['delivered', layout.delivered],
    ['kv', layout.kv?.label],
    ['hypotheses', layout.hypotheses],
    ['marks', strip?.marks],
    ['axis', strip?.axis],
    ...(strip?.rows ?? []).flatMap(({ id, label, track }): Array<readonly [string, Rect | undefined]> => [
      [`row ${id}`, track],
      [`label ${id}`, label],
    ]),
    ['notice', layout.notice],
    ['hints', layout.hints],
  ];
  return named.flatMap(([name, rect]) => (rect ? [[name, rect] as const] : []));
}

function overlap(a: Rect, b: Rect): boolean {
  const slack = 0.01;
  return (
    a.x + slack < b.x + b.width &&
    b.x + slack < a.x + a.width &&
    a.y + slack < b.y + b.height &&
    b.y + slack < a.y + a.height
  );
}

describe.each(SIZES)('at %d × %d', (width, height) => {
  it.each(VARIANTS.map((variant) => [JSON.stringify(variant), variant] as const))(
    'nothing overlaps: %s',
    (_, variant) => {
      const rects = rectsOf(at(width, height, variant));
      const clashes = rects.flatMap(([nameA, a], index) =>
        rects.slice(index + 1).flatMap(([nameB, b]) => (overlap(a, b) ? [`${nameA} × ${nameB}`] : []))
      );
      expect(clashes).toEqual([]);
    }
  );

  it('nothing sticks out', () => {
    const layout = at(width, height);
    const outside = rectsOf(layout).filter(
      ([, { x, y, width: w, height: h }]) =>
        x < 0 || y < 0 || w <= 0 || h <= 0 || x + w > layout.width + 0.01 || y + h > layout.height + 0.01
    );
    expect(outside).toEqual([]);
  });

  it('fills the panel exactly', () => {
    const { scale, width: w, height: h } = at(width, height);
    expect([Math.round(w * scale), Math.round(h * scale)]).toEqual([width, height]);
  });

  it('keeps the headline, the age of the data and the stages', () => {
    const { header, density } = at(width, height);
    expect(header.headline.height).toBeGreaterThanOrEqual(36);
    expect(header.age.height).toBeGreaterThanOrEqual(16);
    expect(density).not.toBe('none');
  });
});

describe('shedding', () => {
  it('gives up parts in the fixed order, whatever the size', () => {
    for (let width = 240; width <= 1500; width += 60) {
      for (let height = 100; height <= 900; height += 40) {
        const { shed } = at(width, height);
        expect(shed).toEqual(SHED_ORDER.slice(0, shed.length));
      }
    }
  });

  it('never gives up more when the panel grows higher', () => {
    for (const width of [1280, 1000, 700]) {
      const counts = [];
      // Below 1.2 times the width, where the flow turns downwards.
      for (let height = 200; height <= 800; height += 20) {
        counts.push(at(width, height).shed.length);
      }
      expect(counts).toEqual([...counts].sort((a, b) => b - a));
    }
  });

  it.each([
    // [width, height, parts given up, rows of the strip, why]
    [1280, 720, 0, 9, 'the size that it is drawn for shows everything'],
    [3840, 2160, 0, 9, 'a wall shows the same'],
    [800, 600, 3, 9, 'too narrow for hints and causes, too low for rates'],
    [800, 520, 4, 5, 'the verdict and as many stages as there is room for'],
    [400, 300, 6, 1, 'boxes with names and numbers, one row'],
    [300, 120, 7, 0, 'signs only, no strip'],
  ])('%d × %d gives up %d parts and has %d rows: %s', (width, height, parts, rows) => {
    const layout = at(width, height);
    expect(layout.shed).toHaveLength(parts);
    expect(layout.strip?.rows.length ?? 0).toBe(rows);
  });

  it('few rows begin with the verdict, so that no culprit is lost with its row', () => {
    expect(at(400, 300).strip?.rows.map(({ id }) => id)).toEqual(['verdict']);
    expect(at(800, 520).strip?.rows[0]?.id).toBe('verdict');
  });

  it('leaves out what the options hide', () => {
    const layout = at(1280, 720, { hideStrip: true, hideHypotheses: true, hideRates: true });
    expect(layout.strip).toBeUndefined();
    expect(layout.hypotheses).toBeUndefined();
    expect(layout.shed).toEqual(['rates']);
  });
});

describe('positions', () => {
  it('stand in the order of flow in two lanes, decode below prefill', () => {
    const { stages } = at(1280, 720);
    const prefill = STAGES.filter((stage) => stage.startsWith('prefill')).map((stage) => stages[stage]);
    const decode = STAGES.filter((stage) => stage.startsWith('decode')).map((stage) => stages[stage]);
    for (const lane of [prefill, decode]) {
      expect(lane.map(({ x }) => x)).toEqual(lane.map(({ x }) => x).sort((a, b) => a - b));
      expect(new Set(lane.map(({ y }) => y)).size).toBe(1);
    }
    expect(stages['decode.prealloc'].y).toBeGreaterThan(stages['prefill.bootstrap'].y);
    expect(stages['decode.prealloc'].x).toBe(stages['prefill.bootstrap'].x);
    expect(stages['decode.transfer'].x).toBe(stages['prefill.inflight'].x);
  });

  it('flow downwards in a narrow high panel', () => {
    const { stages, orientation } = at(360, 640);
    expect(orientation).toBe('vertical');
    expect(stages['prefill.inflight'].y).toBeGreaterThan(stages['prefill.bootstrap'].y);
    expect(stages['decode.transfer'].x).toBeGreaterThan(stages['prefill.inflight'].x);
  });

  it('a wall of three times the size is the same picture three times as large', () => {
    expect(at(3840, 2160)).toEqual({ ...at(1280, 720), scale: 3 });
  });

  it('edges end at their boxes', () => {
    const { stages, edges } = at(1280, 720);
    for (const { from, to, x1, x2 } of edges) {
      expect(x1).toBeCloseTo(stages[from].x + stages[from].width);
      if (to !== 'delivered') {
        expect(x2).toBeCloseTo(stages[to].x);
      }
    }
    expect(edges).toHaveLength(9);
  });
});

describe('odd sizes', () => {
  it.each([
    [0, 0],
    [1, 1],
    [80, 40],
    [10, 2000],
    [5000, 30],
  ])('%d × %d gives finite rectangles', (width, height) => {
    const numbers = rectsOf(at(width, height)).flatMap(([, rect]) => Object.values(rect));
    expect(numbers.every(Number.isFinite)).toBe(true);
  });
});

describe('type that is read from afar', () => {
  it.each([
    // 55 inch, 1080p: 1577 px per metre; 5 m × 0.0058 = 29 mm of cap height = 45.7 px; type 45.7 / 0.727 = 62.9 px.
    [5, 55, Math.hypot(1920, 1080), 62.9],
    // Twice the pixels on the same screen need twice the pixels.
    [5, 55, Math.hypot(3840, 2160), 125.8],
  ])('%d m, %d inch, %d px', (distance, inch, diagonal, expected) => {
    expect(readableTypePx(distance, inch, diagonal)).toBeCloseTo(expected, 0);
  });

  it.each([
    [0, 55, 2000],
    [5, 0, 2000],
    [NaN, 55, 2000],
    [5, 55, 0],
  ])('%d m, %d inch, %d px says nothing', (distance, inch, diagonal) => {
    expect(readableTypePx(distance, inch, diagonal)).toBeUndefined();
  });

  it('drops detail instead of shrinking type', () => {
    const layout = at(1920, 1080, { smallestTypePx: 63 });
    expect(layout.scale).toBeCloseTo(63 / 12);
    expect(layout.shed.length).toBeGreaterThan(at(1920, 1080).shed.length);
  });
});
