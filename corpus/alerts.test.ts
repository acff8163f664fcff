import { readFileSync } from 'fs';
import { join } from 'path';
import { SCENARIOS } from '../simulator/scenarioList';
import type { RawSeries } from '../src/pipeline';
import { disagreements, type Judgement } from './alertsAgreement';
import { readFiring, type Firing } from './alertsFiring';
import { namesRead, promtoolTest } from './alertsInput';
import { LISTED } from './alertsListed';
import { playName, PLAYS, type Play } from './alertsPlays';
import { problemsOf } from './alertsReport';

const read = (path: string): string => readFileSync(join(__dirname, '..', path), 'utf8');
const SECOND = 1_000;
const BASE_MS = Date.parse('2026-09-14T20:00:00Z');

describe('a recording as promtool replays it', () => {
  const series = (labels: Record<string, string>, samples: Readonly<Record<number, number>>): RawSeries => ({
    labels: { job: 'sglang', instance: 'd:1', ...labels },
    timesMs: Object.keys(samples).map((s) => BASE_MS + Number(s) * SECOND),
    values: Object.values(samples),
  });
  const valuesOf = (all: readonly RawSeries[]): Record<string, string> => {
    const text = promtoolTest([], {
      plays: [{ name: 'a', series: all }],
      baseMs: BASE_MS,
      endMs: BASE_MS + 40 * SECOND,
    });
    const file: { tests: Array<{ input_series: Array<{ series: string; values: string }> }> } = JSON.parse(text);
    return Object.fromEntries(file.tests[0]?.input_series.map((s) => [s.series.split('{')[0] ?? '', s.values]) ?? []);
  };
  const up = series({ __name__: 'up' }, { 0: 1, 10: 1, 20: 1, 30: 1, 40: 1 });

  it.each([
    ['a slow scraper leaves the grid of five seconds empty', { 0: 7, 10: 7, 20: 7, 30: 7, 40: 8 }, '7 _ 7 _ 7 _ 7 _ 8'],
    ['equal values are folded', { 0: 7, 5: 7, 10: 7, 20: 7, 30: 7, 40: 7 }, '7x2 _ 7 _ 7 _ 7'],
    ['a series that a scrape no longer shows is marked', { 0: 7, 10: 7 }, '7 _ 7 _ stale _x4'],
    ['and so is one that comes back later', { 0: 7, 40: 7 }, '7 _ stale _x5 7'],
  ])('%s', (_, samples, expected) => {
    expect(valuesOf([up, series({ __name__: 'm' }, samples)])['m']).toBe(expected);
  });

  it('a target that was taken out is marked once others are scraped', () => {
    const gone = [series({ __name__: 'up' }, { 0: 1 }), series({ __name__: 'm' }, { 0: 7 })];
    const other = { ...up, labels: { ...up.labels, __name__: 'up', instance: 'other' } };
    expect(valuesOf([...gone, other])['m']).toBe('7 _ stale _x6');
  });

  it('while Prometheus is away nothing is marked', () => {
    const away = [series({ __name__: 'up' }, { 0: 1, 40: 1 }), series({ __name__: 'm' }, { 0: 7, 40: 7 })];
    expect(valuesOf(away)['m']).toBe('7 _x7 7');
  });

  it('only what the rules select is needed', () => {
    const isRead = namesRead('sum({__name__=~"sglang[:_](a|b)_total", stage=~"x.+"}) + c');
    expect(['sglang:a_total', 'sglang_b_total', 'up', 'sglang:a_total_x', 'x'].map(isRead)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('what promtool prints', () => {
  const asked = (labels: string): string => `    expr: "x", time: 5m,\n        exp: nil\n        got: ${labels}\n`;

  it('names what fires, by play', () => {
    const alert = (play: string, at: number): string =>
      `{__name__="ALERTS", alertname="PDFlowX", asked_at="${at}", cluster="${play}", kind="k", severity="warning"} 1E+00`;
    const output =
      asked('{asked_at="always"} 1E+00') + asked(`${alert('a', 15)}, ${alert('b', 15)}`) + asked(alert('a', 30));
    const fires = { alert: 'PDFlowX', kind: 'k', severity: 'warning' };
    expect([...readFiring(output)]).toEqual([
      [
        'a',
        [
          { ...fires, atMs: 15 },
          { ...fires, atMs: 30 },
        ],
      ],
      ['b', [{ ...fires, atMs: 15 }]],
    ]);
  });

  it('is an error where it has not answered at all', () => {
    expect(() => readFiring('  FAILED: parse error')).toThrow(/parse error/);
  });
});

/** What is said in each quarter of a minute from the base on; `.` is nothing. */
const said = (text: string): Array<string | undefined> =>
  [...text].map((c) => ({ t: 'transfer-stalled', h: 'handshake-stalled' })[c]);
const judged = (text: string): Judgement[] =>
  said(text).map((alarm, i) => ({ atMs: BASE_MS + i * 15 * SECOND, alarm }));
const firings = (text: string, severity = 'critical'): Firing[] =>
  said(text).flatMap((kind, i) => (kind ? [{ atMs: BASE_MS + i * 15 * SECOND, alert: 'A', kind, severity }] : []));

describe('agreement', () => {
  it.each([
    ['an alert may be a minute late', '..tttttttt', '......tttt', []],
    ['but not later', '..tttttttt', '.......ttt', ['evaluator transfer-stalled 90-90']],
    ['an alarm of less than a minute needs no alert', '..tttt....', '..........', []],
    ['an alert may be half a minute early', '....tttttt', '..tttttttt', []],
    ['but not earlier', '.....ttttt', '..tttttttt', ['alerts transfer-stalled 30-30']],
    ['it may fire on for four minutes', `tttttt${'.'.repeat(16)}`, 't'.repeat(22), []],
    ['but not longer', `tttttt${'.'.repeat(17)}`, 't'.repeat(23), ['alerts transfer-stalled 330-330']],
    [
      'another kind is no agreement',
      'tttttttttt',
      '..hhhhhhhh',
      ['alerts handshake-stalled 30-135', 'evaluator transfer-stalled 60-135'],
    ],
  ])('%s', (_, verdicts, alerts, expected) => {
    const found = disagreements(judged(verdicts), firings(alerts)).map(
      (d) => `${d.saidBy} ${d.kind} ${(d.fromMs - BASE_MS) / SECOND}-${(d.toMs - BASE_MS) / SECOND}`
    );
    expect(found).toEqual(expected);
  });

  it('does not ask for information', () => {
    expect(disagreements(judged('..........'), firings('tttttttttt', 'info'))).toEqual([]);
  });
});

describe('the list of disagreements', () => {
  const play = (name: string): Play => {
    const found = PLAYS.find((p) => p.scenario.name === name);
    if (!found) {
      throw new Error(`no play of ${name}`);
    }
    return found;
  };
  const row = { scenario: 'founding', onlyEvaluator: ['transfer-stalled'], why: '' };
  const missing = { play: play('founding'), judged: judged('tttttttttt'), firings: [] };

  it('an unlisted one is a problem, a listed one is none', () => {
    expect(problemsOf(missing, [])).toHaveLength(1);
    expect(problemsOf(missing, [row])).toEqual([]);
  });

  it('a listed one that has come to agree is a problem', () => {
    expect(problemsOf({ ...missing, firings: firings('tttttttttt') }, [row])).toHaveLength(1);
  });

  it('nothing is allowed to fire where all is well, but for the event of an abort burst', () => {
    const healthy = { play: play('healthy'), judged: [], firings: firings('tt', 'info') };
    expect(problemsOf(healthy, [{ ...row, scenario: 'healthy', onlyAlerts: ['transfer-stalled'] }])).toHaveLength(2);
    expect(
      problemsOf({ ...healthy, firings: [{ atMs: 0, alert: 'B', kind: 'abort-burst', severity: 'info' }] })
    ).toEqual([]);
  });

  it.each(LISTED.map((listed) => [listed.scenario, listed] as const))(
    '%s is played as the row says',
    (name, listed) => {
      const plays = PLAYS.filter((p) => p.scenario.name === name).map(playName);
      expect(plays).not.toEqual([]);
      expect(plays).toEqual(expect.arrayContaining([...(listed.plays ?? [])]));
      expect([...(listed.onlyEvaluator ?? []), ...(listed.onlyAlerts ?? [])]).not.toEqual([]);
    }
  );

  it('every scenario is played', () => {
    expect(new Set(PLAYS.map((p) => p.scenario.name))).toEqual(new Set(SCENARIOS.map((s) => s.name)));
  });
});

/** The cells of the first table under a heading of a page, without its head. */
function tableUnder(page: string, heading: string): string[][] {
  const [, section = ''] = read(page).split(`\n## ${heading}\n`);
  const lines = section.split('\n');
  const first = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  return lines.slice(first + 2, first + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
  );
}

describe('the pages about the rules', () => {
  const code = (words: readonly string[] | undefined): string => (words ?? []).map((w) => `\`${w}\``).join(', ');

  it('shows the disagreements that are listed', () => {
    expect(tableUnder('docs/alerts.md', 'Agreement with the evaluator')).toEqual(
      LISTED.map((row) => [
        `\`${row.scenario}\``,
        row.plays?.join('; ') ?? 'all',
        code(row.onlyEvaluator),
        code(row.onlyAlerts),
        row.why,
      ])
    );
  });

  const words = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  const tests = new Map(
    read('rules/pdflow_test.yml')
      .split(/\n(?=  - name: )/)
      .slice(1)
      .map((text) => [/name: (\S+)/.exec(text)?.[1] ?? '', text])
  );
  const rows = tableUnder('docs/stall-rules.md', 'Rule, alert, test').map(
    ([kind = '', alert = '', severity = '', , , fires = '', quiet = '']) => ({
      kind: words(kind)[0],
      alert: words(alert)[0] ?? '',
      severities: severity.split(', '),
      fires: words(fires),
      quiet: words(quiet),
    })
  );
  const alerts = read('rules/pdflow-alerts.yml')
    .split(/\n(?=      - alert: )/)
    .slice(1);
  const fieldOf = (alert: string, name: string): string => new RegExp(`\\b${name}: (.+)`).exec(alert)?.[1] ?? '';

  it('has a row for each alert, with its kind and severity', () => {
    const ofRules = alerts.map((a) => `${fieldOf(a, 'alert')} ${fieldOf(a, 'kind')} ${fieldOf(a, 'severity')}`);
    const ofDocs = rows.flatMap((r) => r.severities.map((severity) => `${r.alert} ${r.kind} ${severity}`));
    expect(ofDocs.sort()).toEqual(ofRules.sort());
  });

  it.each(rows.map((r) => [r.alert, r] as const))(
    '%s fires in the tests of its row and in no look-alike',
    (alert, row) => {
      expect(row.fires).not.toEqual([]);
      expect([...row.fires, ...row.quiet].filter((name) => !tests.has(name))).toEqual([]);
      expect(row.fires.filter((name) => !tests.get(name)?.includes(`alertname="${alert}"`))).toEqual([]);
      expect(row.quiet.filter((name) => tests.get(name)?.includes(`alertname="${alert}"`))).toEqual([]);
    }
  );

  it.each(alerts.map((a) => [fieldOf(a, 'alert'), a]))(
    '%s says what, since when, what to do and where to look',
    (_, alert) => {
      const dashboard = fieldOf(alert, 'dashboard');
      expect(['critical', 'warning', 'info']).toContain(fieldOf(alert, 'severity'));
      expect(fieldOf(alert, 'summary')).not.toBe('');
      expect(fieldOf(alert, 'description')).toBe('>-');
      expect(fieldOf(alert, 'since')).toBe("'{{ $value | humanizeTimestamp }}'");
      const uid = /^'\/d\/([\w-]+)\?time=\{\{ printf "%\.0f" \$value \}\}000&time\.window=\d+'$/.exec(dashboard)?.[1];
      expect(JSON.parse(read(`provisioning/dashboards/${uid}.json`))).toMatchObject({ uid });
    }
  );
});
