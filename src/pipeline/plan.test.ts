import { queryPlan, SAMPLE_TIME } from './plan';

const balanced = (expr: string): boolean => {
  const closers: Record<string, string> = { ')': '(', '}': '{', ']': '[' };
  const open: string[] = [];
  for (const c of expr.replace(/"(?:[^"\\]|\\.)*"/g, '')) {
    if ('({['.includes(c)) {
      open.push(c);
    } else if (c in closers && open.pop() !== closers[c]) {
      return false;
    }
  }
  return open.length === 0;
};
const selectors = (expr: string): string[] => expr.match(/\{(?:"(?:[^"\\]|\\.)*"|[^"}])*\}/g) ?? [];
/** Other exporters have labels of their own. */
const isOfOthers = (selector: string): boolean => /probe_success|DCGM_|process_start/.test(selector);

describe('queryPlan', () => {
  it('has few queries, each with its own id that fits into a refId', () => {
    const ids = queryPlan().map((q) => q.id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeLessThanOrEqual(10);
    ids.forEach((id) => expect(id).toMatch(/^[a-zA-Z][a-zA-Z0-9_]*$/));
  });

  it('never adds up ranks, and never takes a rate: both hide the instant of the last increase', () => {
    for (const { expr } of queryPlan({ matchers: 'job="x"' })) {
      expect(expr).not.toMatch(/\b(sum|avg|rate|irate|increase)\b/);
    }
  });

  it('asks for both prefixes of the engine metrics', () => {
    const expr = queryPlan().find((q) => q.id === 'edges')?.expr ?? '';
    const pattern = /__name__=~"([^"]*)"/.exec(expr)?.[1] ?? '';
    const name = new RegExp(`^(?:${pattern})$`);
    expect(name.test('sglang:per_stage_req_latency_seconds_count')).toBe(true);
    expect(name.test('sglang_per_stage_req_latency_seconds_count')).toBe(true);
    expect(name.test('sglang:per_stage_req_latency_seconds_bucket')).toBe(false);
  });

  it('puts the name back that timestamp() drops', () => {
    const named = queryPlan().filter((q) => /timestamp\(/.test(q.expr));
    expect(named.map((q) => q.name)).toEqual([SAMPLE_TIME]);
  });

  it('keeps in derived series what tells targets and their copies apart', () => {
    // The optional queries ask other exporters, whose targets are others.
    const required = queryPlan().filter((q) => !q.optional);
    const lists = required.flatMap(({ expr }) => [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].map(([, l = '']) => l));
    expect(lists.length).toBeGreaterThan(5);
    for (const list of lists) {
      const labels = list.split(', ');
      expect(labels).toEqual(expect.arrayContaining(['cluster', 'namespace', 'job', 'pod', 'instance', 'replica']));
    }
  });

  it('asks for the target that is scraped, which behind a gateway has no worker', () => {
    const up = queryPlan().find((q) => q.id === 'up')?.expr ?? '';
    expect(up).not.toContain('worker_addr');
  });

  const rows: ReadonlyArray<[string, string, string]> = [
    ['plain', 'namespace="prod"', 'namespace="prod"'],
    ['with braces', '{namespace="prod"}', 'namespace="prod"'],
    ['with spaces and a trailing comma', ' { namespace="prod", } ', 'namespace="prod"'],
    ['with a brace inside a value', 'job="a}b{c"', 'job="a}b{c"'],
    ['with an escaped quote inside a value', 'job="a\\"b"', 'job="a\\"b"'],
    ['with a dashboard variable', 'job=~"$job",namespace=~"${ns:regex}"', 'job=~"$job",namespace=~"${ns:regex}"'],
  ];
  it.each(rows)('appends matchers to every selector of engines and routers: %s', (_why, matchers, expected) => {
    for (const { id, expr } of queryPlan({ matchers })) {
      const asked = selectors(expr).filter((s) => !isOfOthers(s));
      expect(asked.length > 0).toBe(id !== 'canary');
      asked.forEach((s) => expect(s).toContain(expected));
      expect(balanced(expr)).toBe(true);
      expect(expr).not.toMatch(/,\s*[,}]/);
    }
  });

  it('asks for a machine only where it is joined with an engine, and adds only what may fail', () => {
    const hosts = queryPlan({ matchers: 'namespace="prod"' }).find((q) => q.id === 'hosts');
    const parts = hosts?.expr.split(') or (') ?? [];
    expect(parts.filter((part) => !/ and on \(\w+\) .*sglang/.test(part))).toEqual([]);
    expect(queryPlan().flatMap((q) => (q.optional ? q.id : []))).toEqual(['canary', 'hosts']);
  });

  it.each(['', '  ', '{}', '{ , }'])('no matchers (%j) leave no comma behind', (matchers) => {
    for (const { expr } of queryPlan({ matchers })) {
      expect(expr).not.toMatch(/,\s*[,}]/);
      expect(balanced(expr)).toBe(true);
    }
  });
});
