import { type Family, Registry, renderLabels } from './registry';
import { renderText } from './textExposition';

const counter: Family = { name: 'sglang:num_requests', type: 'counter', help: 'Requests.' };
const gauge: Family = { name: 'sglang:num_running_reqs', type: 'gauge', help: 'Running.' };
const latency: Family = { name: 'lat_ms', type: 'histogram', help: 'Latency.', bucketBounds: [1, 5] };

const exposed = (registry: Registry): Record<string, number> =>
  Object.fromEntries(registry.samples().map(({ name, labels, value }) => [`${name}{${labels}}`, value]));

describe('Registry', () => {
  it('gives birth to a labelled child at its first event, not before', () => {
    const registry = new Registry();
    expect(registry.samples()).toEqual([]);
    registry.add(counter, { mode: 'a' });
    registry.add(counter, { mode: 'a' }, 4);
    expect(exposed(registry)).toEqual({ 'sglang:num_requests_total{mode="a"}': 5 });
  });

  it('sets and moves gauges', () => {
    const registry = new Registry();
    registry.set(gauge, {}, 7);
    registry.move(gauge, {}, -2);
    expect(exposed(registry)).toEqual({ 'sglang:num_running_reqs{}': 5 });
  });

  it('counts an observation in every bucket that holds it', () => {
    const registry = new Registry();
    registry.observe(latency, { r: '0' }, 3, 2);
    registry.observe(latency, { r: '0' }, 9);
    expect(exposed(registry)).toEqual({
      'lat_ms_bucket{r="0",le="1"}': 0,
      'lat_ms_bucket{r="0",le="5"}': 2,
      'lat_ms_bucket{r="0",le="+Inf"}': 3,
      'lat_ms_sum{r="0"}': 15,
      'lat_ms_count{r="0"}': 3,
    });
  });

  it('escapes label values', () => {
    expect(renderLabels({ a: 'x"y\\z\n' })).toBe('a="x\\"y\\\\z\\n"');
  });
});

describe('renderText', () => {
  it('groups families that were born in turns, and names counters with their suffix', () => {
    const registry = new Registry();
    registry.add(counter, { mode: 'a' });
    registry.set(gauge, {}, 1);
    registry.add(counter, { mode: 'b' }, 2);
    expect(renderText(registry.samples())).toBe(
      [
        '# HELP sglang:num_requests_total Requests.',
        '# TYPE sglang:num_requests_total counter',
        'sglang:num_requests_total{mode="a"} 1',
        'sglang:num_requests_total{mode="b"} 2',
        '# HELP sglang:num_running_reqs Running.',
        '# TYPE sglang:num_running_reqs gauge',
        'sglang:num_running_reqs 1',
        '',
      ].join('\n')
    );
  });
});
