import { clock, START_MS } from '../testing/traces';
import type { StageId, VerdictKind } from './model';
import { staleEvents, type StaleAt } from './staleness';

const TIME = clock(10, 15);
const at = (seconds: number): number => START_MS + seconds * 1000;

/** One scrape each 15 s; in each the gauges that contradict the counters, by the second of their last push. */
function story(
  pushedAt: (seconds: number) => number | undefined,
  { kind = 'transfer-stalled', stages = ['decode.transfer'] }: { kind?: VerdictKind; stages?: StageId[] } = {}
): StaleAt[] {
  return Array.from({ length: TIME.scrapes }, (_, i) => {
    const pushed = pushedAt(i * 15);
    const stale = (pushed === undefined ? [] : stages).map((stage) => ({
      reading: {
        stage,
        engine: 'd:1',
        state: 'stalled' as const,
        reason: '',
        depth: { source: 'balance' as const },
        windowMs: 45_000,
        completeness: 1,
      },
      gauge: 0,
      implied: 5,
      trueAtMs: at(pushed ?? 0),
    }));
    return { atMs: at(i * 15), stale, verdict: { kind } };
  });
}

const rows: ReadonlyArray<[string, StaleAt[], number[]]> = [
  ['gauges agree', story(() => undefined), []],
  ['not pushed since 60 s: told once, dated at that push', story((s) => (s > 60 ? 60 : undefined)), [60]],
  ['pushed again within the idle refresh of 30 s', story((s) => (s > 60 && s <= 90 ? 60 : undefined)), []],
  ['requests are served: nobody is misled', story((s) => (s > 60 ? 60 : undefined), { kind: 'healthy' }), []],
  [
    'pushed now and then, and stale again within two minutes: stale all along',
    story((s) => (s > 60 ? (s > 180 ? 180 : 60) : undefined)),
    [60],
  ],
  [
    'true for minutes in between: stale twice',
    story((s) => (s > 60 && s < 150 ? 60 : s > 400 ? 400 : undefined)),
    [60, 400],
  ],
  [
    'never pushed since: told once, also where nobody was inside for minutes',
    story((s) => ((s > 60 && s < 150) || s > 400 ? 60 : undefined)),
    [60],
  ],
  [
    'all gauges of an engine are pushed together: the first speaks',
    story((s) => (s > 60 ? 60 : undefined), { stages: ['decode.transfer', 'decode.running'] }),
    [60],
  ],
];

it.each(rows)('%s', (_why, judged, expected) => {
  expect(staleEvents(judged).map(({ atMs }) => atMs)).toEqual(expected.map(at));
});

it('says which gauge reads what', () => {
  expect(staleEvents(story((s) => (s > 60 ? 60 : undefined)))).toMatchObject([
    {
      kind: 'gauge-stale',
      engine: 'd:1',
      stage: 'decode.transfer',
      size: 5,
      text: 'gauges of d:1 went stale: KV transfer reads 0, the counters say 5',
    },
  ]);
});
