import {
  bothSides,
  clock,
  decodeFlow,
  endOf,
  prefillFlow,
  sampled,
  timeOf,
  until,
  upSeries,
  type EngineTrace,
} from '../testing/traces';
import type { Conclusion } from './conclusions/speech';
import { knownDefectsOf, wordDefect } from './defects';
import { prepare } from './fleet';
import type { RawSeries } from './model';
import { momentOf } from './moment';
import { DEFECTS } from './profiles/defects';
import { readRelease } from './profiles/versions';

const TIME = clock(10);
const P = 'p:1';
const D = 'd:1';
const SINCE_MS = timeOf(TIME, 20);
const stops = until(20, 9);

interface Situation {
  readonly prefill?: Partial<EngineTrace>;
  readonly decode?: Partial<EngineTrace>;
  readonly more?: readonly RawSeries[];
}

const seriesOf = ({ prefill, decode, more = [] }: Situation): RawSeries[] => [
  ...bothSides(
    TIME,
    { id: P, counters: prefillFlow(stops), ...prefill },
    { id: D, counters: decodeFlow(stops), ...decode }
  ),
  ...more,
];

/** A verdict as far as defects are looked for by it. */
const said = (kind: Conclusion['kind'], more: Partial<Conclusion> = {}): Conclusion => ({
  kind,
  severity: 'critical',
  engine: D,
  sinceMs: SINCE_MS,
  headline: '',
  detail: '',
  completeness: 1,
  evidence: [],
  alternatives: [],
  ...more,
});
const AFTER_ABORTS = { trigger: { kind: 'abort-burst', atMs: SINCE_MS, size: 16 } } as const;

function issues(verdict: Conclusion, situation: Situation, sglangVersion: string | undefined): string[] {
  const fleet = prepare(seriesOf(situation), { sglangVersion });
  const [pipeline] = fleet.pipelines;
  const found = pipeline ? knownDefectsOf(momentOf(fleet, pipeline, endOf(TIME)), verdict) : [];
  return found.map(({ issue }) => issue.replace('sgl-project/sglang#', ''));
}

const usage = (value: number): Situation => ({ decode: { gauges: { usage: value } } });
/** Twelve requests were admitted and never transferred. */
const HELD_WITH_ROOM: Situation = {
  decode: {
    counters: { ...decodeFlow(stops), admitted: (i) => (i === 20 ? 21 : i < 20 ? 9 : 0) },
    gauges: { usage: 0.04 },
  },
};
const router = (name: string, value: number): RawSeries =>
  sampled(TIME, { __name__: name, instance: 'r:1', worker: 'w' }, () => value);
const ROUTER_ASKED = sampled(
  TIME,
  { __name__: 'smg_http_requests_total', instance: 'r:1', path: '/generate' },
  (i) => i * 9
);
/** Decode gets its requests, prefill none after scrape 20. */
const ONE_LEG: Situation = { decode: { counters: { ...decodeFlow(stops), httpRequests: 9 } }, more: [ROUTER_ASKED] };
const PREFILL_LOST: Situation = {
  prefill: { isScraped: (i) => i <= 19 },
  more: [upSeries(TIME, P, (i) => (i <= 19 ? 1 : 0)), upSeries(TIME, D, 1)],
};

describe('what matches a verdict', () => {
  const rows: ReadonlyArray<
    readonly [why: string, verdict: Conclusion, situation: Situation, release: string | undefined, issues: string[]]
  > = [
    ['decode stands and its prefill has vanished', said('decode-wedged'), PREFILL_LOST, '0.5.16', ['31144']],
    ['the same before 0.5.10 has two reports', said('decode-wedged'), PREFILL_LOST, '0.5.9', ['31144', '19900']],
    ['fixed by then', said('decode-wedged'), PREFILL_LOST, '0.5.17', []],
    ['not told: the series are those of 0.5.11 or later', said('decode-wedged'), PREFILL_LOST, undefined, ['31144']],
    [
      'a prefill that was restarted has vanished too',
      said('decode-wedged'),
      { prefill: { restarts: [18] } },
      '0.5.16',
      ['31144'],
    ],
    ['prefill is there', said('decode-wedged'), {}, '0.5.16', []],
    [
      'decode stands and the router calls it healthy',
      said('decode-wedged'),
      { more: [router('smg_worker_health', 1)] },
      '0.5.20',
      ['6624'],
    ],
    [
      'aborts pin the head of prealloc',
      said('decode-admission-blocked', { stage: 'decode.prealloc', ...AFTER_ABORTS }),
      usage(0.6),
      '0.5.12',
      ['25561', '28651'],
    ],
    [
      'before 0.5.12 they did not even reach the manager',
      said('aborts-not-absorbed', { stage: 'decode.prealloc', ...AFTER_ABORTS }),
      usage(0.6),
      '0.5.10',
      ['25561', '24522', '28651'],
    ],
    [
      'what asks for more is named first',
      said('decode-admission-blocked', { stage: 'decode.prealloc', ...AFTER_ABORTS }),
      usage(0.95),
      '0.4.9',
      ['8177', '9817', '25561'],
    ],
    [
      'no room without aborts',
      said('decode-admission-blocked', { stage: 'decode.prealloc' }),
      usage(0.95),
      '0.5.19',
      ['37483'],
    ],
    [
      'no room in an early release',
      said('handshake-stalled', { stage: 'decode.prealloc' }),
      usage(0.95),
      '0.4.6.post5',
      ['6857'],
    ],
    [
      'slots are held and there is room',
      said('decode-admission-blocked', { stage: 'decode.prealloc' }),
      HELD_WITH_ROOM,
      '0.5.23',
      ['31800'],
    ],
    [
      'there is room and no request is in transfer',
      said('decode-admission-blocked', { stage: 'decode.prealloc' }),
      usage(0.04),
      '0.5.23',
      [],
    ],
    [
      'transfers stand, and prefill failed some',
      said('transfer-stalled', { stage: 'decode.transfer' }),
      { prefill: { counters: { ...prefillFlow(stops), transferFailed: (i) => (i === 21 ? 2 : 0) } }, ...usage(0.6) },
      '0.5.19',
      ['36033'],
    ],
    [
      'the same after an abort burst in 0.5.20',
      said('transfer-stalled', { stage: 'decode.transfer', ...AFTER_ABORTS }),
      usage(0.6),
      '0.5.20',
      ['28651'],
    ],
    [
      'handshakes stop after aborts',
      said('handshake-stalled', { stage: 'prefill.bootstrap', engine: P, ...AFTER_ABORTS }),
      {},
      '0.5.15',
      ['30352', '22877'],
    ],
    [
      'aborts without a burst are none',
      said('handshake-stalled', { stage: 'prefill.bootstrap', engine: P }),
      {},
      '0.5.15',
      ['22877'],
    ],
    [
      'prefill takes none in after aborts',
      said('prefill-stalled', { stage: 'prefill.bootstrap', engine: P, ...AFTER_ABORTS }),
      {},
      '0.5.8',
      ['17483'],
    ],
    [
      'a slot that leaks where aborts were counted',
      said('leaked-bookkeeping', { stage: 'decode.transfer' }),
      { decode: { counters: { ...decodeFlow(9), aborted: 1 }, gauges: { usage: 0.6 } } },
      '0.5.13',
      ['28022'],
    ],
    [
      'a slot that leaks without any',
      said('leaked-bookkeeping', { stage: 'decode.transfer' }),
      usage(0.6),
      '0.5.13',
      [],
    ],
    ['a slow link', said('transfer-slow', { stage: 'prefill.inflight', engine: P }), {}, '0.5.20', ['5450']],
    ['a running gauge that stays', said('stale-gauge', { stage: 'decode.running' }), {}, '0.5.15', ['26495']],
    ['another gauge that stays', said('stale-gauge', { stage: 'decode.transfer' }), {}, '0.5.15', []],
    ['zombies', said('zombie-requests', { stage: 'decode.running' }), {}, '0.5.19', ['36333', '36876']],
    ['zombies where the abort is sent', said('zombie-requests', { stage: 'decode.running' }), {}, '0.5.20', ['36876']],
    [
      'zombies before the abort was dropped',
      said('zombie-requests', { stage: 'decode.running' }),
      {},
      '0.5.17',
      ['36876'],
    ],
    [
      'one leg is lost behind an open breaker',
      said('router-fault', { stage: 'router', engine: 'r:1' }),
      { ...ONE_LEG, more: [ROUTER_ASKED, router('smg_worker_cb_state', 1)] },
      '0.5.20',
      ['31206', '29482'],
    ],
    [
      'one leg is lost and the breaker is closed',
      said('router-fault', { stage: 'router', engine: 'r:1' }),
      ONE_LEG,
      '0.5.20',
      ['29482'],
    ],
    ['both are lost', said('router-fault', { stage: 'router', engine: 'r:1' }), { more: [ROUTER_ASKED] }, '0.5.20', []],
    [
      'ranks of prefill part after aborts',
      said('rank-divergence', { stage: 'prefill.forward', engine: P, ...AFTER_ABORTS }),
      {},
      '0.5.12',
      ['34572', '26912'],
    ],
    [
      'and still do',
      said('rank-divergence', { stage: 'prefill.forward', engine: P, ...AFTER_ABORTS }),
      {},
      '0.5.23',
      ['34572'],
    ],
    ['a pipeline that is well has none', said('healthy', { severity: 'none' }), PREFILL_LOST, '0.5.9', []],
  ];
  it.each(rows)('%s', (_why, verdict, situation, release, expected) => {
    expect(issues(verdict, situation, release)).toEqual(expected);
  });

  it('every row of the table is named by some row above', () => {
    const named = new Set(rows.flatMap(([, , , , found]) => found));
    expect(DEFECTS.map(({ issue }) => issue.replace(/.*#/, '')).filter((issue) => !named.has(issue))).toEqual([]);
  });

  it('the release of the engine at fault decides, not that of the other side', () => {
    const labels = { __name__: 'sglang:num_requests_total', is_streaming: 'true' };
    const streams = (instance: string): RawSeries =>
      sampled(
        TIME,
        { ...labels, instance },
        () => 1,
        (i) => i <= 19 || instance === D
      );
    const with0517 = (instance: string): Situation => ({
      ...PREFILL_LOST,
      more: [...(PREFILL_LOST.more ?? []), streams(instance)],
    });
    expect(issues(said('decode-wedged'), with0517(P), undefined)).toEqual(['31144']);
    expect(issues(said('decode-wedged'), with0517(D), undefined)).toEqual([]);
  });
});

describe('the table', () => {
  it.each(DEFECTS.map((defect) => [defect.issue, defect] as const))(
    '%s is a number with readable releases',
    (issue, defect) => {
      expect(issue).toMatch(/^[\w.-]+\/[\w.-]+#\d+$/);
      for (const release of [defect.since, defect.fixedIn].filter((v) => v !== undefined)) {
        expect(readRelease(release)).toBe(release);
      }
    }
  );
});

it.each([
  [{ issue: 'o/r#1', text: 'it stands', fixedIn: '0.5.17' }, 'o/r#1 (it stands, fixed in 0.5.17)'],
  [{ issue: 'o/r#1', text: 'it stands' }, 'o/r#1 (it stands)'],
])('%j in words', (defect, words) => {
  expect(wordDefect(defect)).toBe(words);
});
