import { type Options, readCommand } from './options';

const NOW_MS = Date.UTC(2026, 8, 14, 20, 48, 45);
const PROM = ['--prometheus', 'http://prom:9090'];

function options(...args: readonly string[]): Options {
  const command = readCommand([...PROM, ...args], NOW_MS);
  if (command.kind !== 'diagnose') {
    throw new Error(JSON.stringify(command));
  }
  return command.options;
}

describe('readCommand', () => {
  it('looks at the last half hour every 5 s unless told otherwise', () => {
    expect(options()).toEqual({
      server: { queryUrl: 'http://prom:9090/api/v1/query_range', shownUrl: 'http://prom:9090', headers: [] },
      range: { fromMs: NOW_MS - 1_800_000, toMs: NOW_MS, stepMs: 5000 },
      matchers: '',
      roleMapping: undefined,
      sglangVersion: undefined,
      json: false,
      notes: [],
    });
  });

  it.each([
    ['RFC 3339 in UTC', '2026-09-14T20:00:00Z', Date.UTC(2026, 8, 14, 20)],
    ['RFC 3339 with an offset', '2026-09-14T22:00:00.5+02:00', Date.UTC(2026, 8, 14, 20) + 500],
    ['Unix seconds', '1789416000', 1_789_416_000_000],
    ['Unix seconds with a fraction', '1789416000.25', 1_789_416_000_250],
  ])('ends the range at --at: %s', (_sentence, at, toMs) => {
    expect(options('--at', at).range).toEqual({ fromMs: toMs - 1_800_000, toMs, stepMs: 5000 });
  });

  it('says when --at lies in the future', () => {
    expect(options('--at', '2026-09-14T21:00:00Z').notes).toEqual(['--at lies in the future.']);
  });

  it('lets the last step fall on the end of the range', () => {
    expect(options('--range', '31s', '--step', '15s').range.fromMs).toBe(NOW_MS - 30_000);
  });

  it.each([
    ['15h at 5 s are 10,800 steps', '15h', '5s', 5000],
    ['16h at 5 s would be 11,520 steps', '16h', '5s', 6000],
    ['two weeks', '14d', '5s', 110_000],
    ['a step that is long enough already', '14d', '5m', 300_000],
  ])('keeps to 11,000 points: %s', (_sentence, range, step, stepMs) => {
    const read = options('--range', range, '--step', step);
    expect(read.range.stepMs).toBe(stepMs);
    expect((read.range.toMs - read.range.fromMs) / stepMs + 1).toBeLessThanOrEqual(11_000);
    expect(read.notes).toHaveLength(step === '5s' && stepMs > 5000 ? 1 : 0);
  });

  it('passes matchers and roles on', () => {
    const args = ['--match', '{a="b"}', '--role-label', 'job', '--prefill', 'p.*', '--decode', 'd.*', '--json'];
    expect(options(...args)).toMatchObject({
      matchers: '{a="b"}',
      roleMapping: { label: 'job', prefill: 'p.*', decode: 'd.*' },
      json: true,
    });
  });

  it.each([
    ['0.5.9', '0.5.9'],
    ['v0.5.12rc1', '0.5.12'],
  ])('takes the release %s as %s', (text, sglangVersion) => {
    expect(options('--sglang-version', text)).toMatchObject({ sglangVersion });
  });

  it.each([[['--help']], [['-h']], [['--help', '--at', 'x']]])('helps: %s', (args) => {
    expect(readCommand(args, NOW_MS)).toEqual({ kind: 'help' });
  });

  it.each([
    [['--bogus'], '--bogus'],
    [['prom'], 'prom'],
    [['--at', 'yesterday'], '--at must be an RFC 3339 time'],
    [['--at', '2026-09-14T20:48:45'], 'with its zone'],
    [['--at', '2026-13-14T20:48:45Z'], '--at must be'],
    [['--at', '2026-02-30T20:48:45Z'], '--at must be'],
    [['--at', '2026-04-31'], '--at must be'],
    [['--at', '1789416000000'], 'looks like milliseconds'],
    [['--range', 'long'], '--range must be a duration'],
    [['--range', '0s'], '--range must be a duration'],
    [['--step', '-5s'], "'--step"],
    [['--step', '1h'], '--step 1h is longer than --range 30m'],
    [['--prefill', 'p'], 'need --role-label'],
    [['--role-label', 'job'], 'needs --prefill REGEX'],
    [['--role-label', 'job', '--decode', '('], '--decode is not a regular expression: ('],
    [['--sglang-version', 'newest'], '--sglang-version must be a release such as 0.5.9, not "newest"'],
    [['--header', 'x'], '--header must look like'],
    [['--at'], "'--at"],
  ])('refuses %j in one line', (args, message) => {
    const command = readCommand([...PROM, ...args], NOW_MS);
    expect(command).toEqual({ kind: 'invalid', message: expect.stringContaining(message) });
    expect(JSON.stringify(command)).not.toContain('\\n');
  });

  it('needs an address', () => {
    expect(readCommand([], NOW_MS)).toEqual({ kind: 'invalid', message: expect.stringContaining('--prometheus URL') });
  });
});
