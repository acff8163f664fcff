import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { queryPlan } from '../src/pipeline';
import { type FakePrometheus, matrix, recorded, startFake } from './testing/fakePrometheus';
import { END, simulated } from './testing/simulated';

const ROOT = join(__dirname, '..');
/** Each start compiles the command, on machines that may be busy. */
jest.setTimeout(60_000);

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command as a person starts it, in Berlin. */
async function diagnose(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/diagnose.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, TZ: 'Europe/Berlin' },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const closed = once(child, 'close');
  await closed;
  return { code: child.exitCode, out, err };
}

describe('the founding incident', () => {
  let fake: FakePrometheus;

  beforeAll(async () => {
    fake = await startFake(recorded(simulated('founding')));
  });
  afterAll(() => fake.close());

  it('is told to a person', async () => {
    const { code, out, err } = await diagnose('--prometheus', fake.url, '--at', END);
    expect(err).toBe('');
    expect(code).toBe(2);
    expect(out).toContain('As of 2026-09-14 22:48:45, Europe/Berlin (UTC+02:00)');
    expect(out).toContain('CRITICAL        KV transfer stalled for 10 m 4');
    expect(out).toContain('KV transfer of decode-0:30002, since 22:38:0');
    expect(out).toMatch(/Trigger +Abort burst: 16 requests aborted just after 22:38:00/);
    expect(out).toMatch(/Ruled out[^]*Zombie requests +no decode token since 22:38:05/);
    expect(out).toMatch(/Next step +Restart decode-0:30002\./);
  });

  it('is told to a machine', async () => {
    const { code, out, err } = await diagnose('--prometheus', fake.url, '--at', END, '--json');
    expect(err).toBe('');
    expect(code).toBe(2);
    // 20:38:00 is the last scrape before the cancellation at 20:38:03.
    expect(JSON.parse(out)).toMatchObject({
      at: '2026-09-14T20:48:45.000Z',
      pipelines: [
        {
          id: 'deepseek-v4-flash',
          verdict: {
            kind: 'transfer-stalled',
            stage: 'decode.transfer',
            engine: 'decode-0:30002',
            since: '2026-09-14T20:38:00.000Z',
            complete: 1,
            trigger: { kind: 'abort-burst', at: '2026-09-14T20:38:00.000Z', size: 16 },
          },
          hypotheses: expect.arrayContaining([
            expect.objectContaining({ kind: 'zombie-requests', status: 'refuted' }),
            expect.objectContaining({ kind: 'stale-gauge', status: 'supported' }),
          ]),
          events: expect.arrayContaining([expect.objectContaining({ kind: 'abort-burst', size: 16 })]),
          metrics: { missing: [] },
        },
      ],
    });
  });

  it('had not begun at 20:37:00', async () => {
    const { code, out } = await diagnose('--prometheus', fake.url, '--at', '2026-09-14T20:37:00Z');
    expect(code).toBe(0);
    expect(out).toContain('OK              Flowing');
  });
});

describe('the command line', () => {
  it('says what to do where Prometheus holds no series', async () => {
    const fake = await startFake(() => matrix([], ['store 2\u001b[2J is away']));
    const [text, json] = await Promise.all([
      diagnose('--prometheus', fake.url),
      diagnose('--prometheus', fake.url, '--json'),
    ]);
    await fake.close();
    expect(text).toMatchObject({ code: 3, err: 'diagnose: Prometheus warns: store 2 [2J is away\n' });
    expect(text.out).toMatch(/UNKNOWN +No SGLang series[^]*Next step +[^]*--enable-metrics/);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.out)).toMatchObject({ pipelines: [] });
    expect(json.err).toContain('--enable-metrics');
  });

  it('counts samples that are no numbers', async () => {
    const labels = { __name__: 'sglang:num_running_reqs', instance: 'x', engine_type: 'decode' };
    const fake = await startFake(() => matrix([{ metric: labels, values: [[1, 'NaN']] }]));
    const { code, err } = await diagnose('--prometheus', fake.url);
    await fake.close();
    expect(code).toBe(3);
    expect(err).toBe(`diagnose: ${queryPlan({}).length} samples without a finite value were left out.\n`);
  });

  it('fails in one line', async () => {
    const fake = await startFake(() => ({ status: 401, body: 'no' }));
    const [refused, misused] = await Promise.all([
      diagnose('--prometheus', fake.url),
      diagnose('--prometheus', fake.url, '--step', 'often'),
    ]);
    await fake.close();
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^diagnose: .*HTTP 401.*\n$/) });
    expect(misused).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^diagnose: --step must.*\n$/) });
  });

  it('helps', async () => {
    const { code, out } = await diagnose('--help');
    expect(code).toBe(0);
    expect(out).toContain('npm run diagnose -- --prometheus URL');
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(115);
  });
});
