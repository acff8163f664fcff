import { readCommand } from './commandLine';
import { SCENARIOS } from './scenarioList';

const NOW_MS = Date.parse('2026-09-20T10:00:00.750Z');
const read = (line: string): ReturnType<typeof readCommand> =>
  readCommand(
    line.split(' ').filter((word) => word !== ''),
    { scenarios: SCENARIOS, nowMs: NOW_MS }
  );

describe('readCommand', () => {
  it('lists', () => {
    expect(read('--list')).toEqual({ kind: 'list' });
  });

  it('records with the defaults of the founding record', () => {
    expect(read('--scenario founding --out f.om')).toMatchObject({
      kind: 'record',
      outFile: 'f.om',
      run: {
        seed: 1,
        endMs: Date.parse('2026-09-14T20:48:45Z'),
        minutes: 30,
        intervalSeconds: 5,
        prefillCount: 1,
        decodeCount: 1,
      },
    });
  });

  it('takes every option', () => {
    const line =
      '--scenario idle --seed 7 --out - --end 2026-01-02T03:04:05+01:00 --minutes 5 --interval 15 ' +
      '--prefill 2 --decode 3 --truth t.json --evidence early';
    expect(read(line)).toMatchObject({
      outFile: '-',
      truthFile: 't.json',
      run: {
        seed: 7,
        endMs: Date.parse('2026-01-02T02:04:05Z'),
        minutes: 5,
        intervalSeconds: 15,
        prefillCount: 2,
        decodeCount: 3,
        evidence: 'early',
      },
    });
  });

  it('goes live from the present second', () => {
    expect(read('--live --scenario healthy --port 9401 --backfill b.om --advertise sim')).toMatchObject({
      kind: 'live',
      live: { port: 9401, advertise: 'sim', backfillFile: 'b.om' },
      run: { endMs: Date.parse('2026-09-20T10:00:00Z') },
    });
    expect(read('--scenario healthy --out f --end now')).toMatchObject({
      run: { endMs: Date.parse('2026-09-20T10:00:00Z') },
    });
  });

  it.each([
    ['', '--scenario is needed'],
    ['--scenario nope --out f', 'No scenario "nope"; known: healthy, idle, scrape-gap'],
    ['--scenario idle', '--out FILE is needed'],
    ['--scenario idle --out f --seed x', '--seed must be a whole number'],
    ['--scenario idle --out f --seed 1.5', '--seed must be a whole number'],
    ['--scenario idle --out f --interval 0', '--interval must be a number from 1'],
    ['--scenario idle --out f --end yesterday', '--end must be an RFC 3339 time'],
    ['--scenario idle --out f --end 2026-13-41T00:00:00Z', '--end must be an RFC 3339 time'],
    ['--scenario founding --out f --minutes 5', '--minutes must be at least 13 for scenario founding'],
    ['--scenario idle --out f --evidence none', '--evidence must be one of full, early, gauges, heartbeat, not "none"'],
    ['--scenario idle --live --port 70000', '--port must be a whole number from 0 to 65535'],
    ['--scenario idle --live --end now', '--end cannot be used with --live'],
    ['--scenario idle --out f --colour red', "Unknown option '--colour'"],
    ['--scenario idle --out f extra', "Unexpected argument 'extra'"],
  ])('explains "%s" in one line', (line, message) => {
    const command = read(line);
    expect(command.kind).toBe('invalid');
    const said = command.kind === 'invalid' ? command.message : '';
    expect(said).toContain(message);
    expect(said).not.toContain('\n');
  });
});

describe('SCENARIOS', () => {
  it('have names of their own and a sentence each', () => {
    expect(new Set(SCENARIOS.map(({ name }) => name)).size).toBe(SCENARIOS.length);
    expect(SCENARIOS.every(({ summary }) => summary.endsWith('.'))).toBe(true);
  });
});
