import { D0, P0, type Row } from './row';

const MEMBER = 'one engine of a pool that goes on serving: a quick restart is over by then';
const QUICK_RESTART_S = 30;

/** Engines that are slow, overloaded or gone. */
export const ENGINES: readonly Row[] = [
  {
    scenario: 'decode-slow',
    why: 'each step takes twenty times as long',
    kind: 'decode-slow',
    stage: 'decode.running',
    engine: D0,
    onsetS: 0,
    onset: 'steps are slow from T0 on, eight times as slow is named at once',
    sinceS: [0, 0],
    askedS: 120,
    but: [
      {
        evidence: ['early', 'gauges'],
        named: 'never',
        also: ['healthy', 'decode-admission-blocked'],
        why: 'steps are not counted; all slots are taken, and requests finish',
      },
    ],
  },
  {
    scenario: 'decode-crash',
    why: 'a decode process is gone',
    kind: 'engine-down',
    engine: D0,
    onsetS: 0,
    onset: 'its scrapes fail from T0 on',
    sinceS: [0, 0],
    askedS: 120,
    but: [
      { evidence: 'gauges', named: 'exactly', extraS: -60, why: 'a failing scrape needs no counter' },
      { size: '4P8D', extraS: QUICK_RESTART_S, why: MEMBER },
      { size: '4P8D', evidence: 'gauges', extraS: QUICK_RESTART_S, why: MEMBER },
    ],
  },
  {
    scenario: 'prefill-crash',
    why: 'a prefill process is gone',
    kind: 'engine-down',
    engine: P0,
    onsetS: 0,
    onset: 'its scrapes fail from T0 on',
    sinceS: [0, 0],
    askedS: 120,
    but: [
      { evidence: 'gauges', named: 'exactly', extraS: -60, why: 'a failing scrape needs no counter' },
      { size: '4P8D', extraS: QUICK_RESTART_S, why: MEMBER },
      { size: '4P8D', evidence: 'gauges', extraS: QUICK_RESTART_S, why: MEMBER },
    ],
  },
  {
    scenario: 'prefill-saturated',
    why: 'more comes than prefill can compute',
    kind: 'prefill-saturated',
    stage: 'prefill.waiting',
    onsetS: 0,
    onset: 'the queue grows from T0 on; three minutes of growth are asked for',
    sinceS: [0, 60],
    extraS: 180,
    askedS: 400,
    but: [{ evidence: 'gauges', also: ['healthy'], why: 'requests finish, and what waits is seen by gauges only' }],
  },
];
