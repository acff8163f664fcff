import { D0, P0, type Row } from './row';

const ONE_PAIR = 'with one pair no metric tells which end of a handshake loses it';

/** Handshake and admission: what keeps requests at decode's door. */
export const HANDSHAKE: readonly Row[] = [
  {
    scenario: 'bootstrap-probes-only',
    why: 'no handshake of prefill-0 completes, only probes pass',
    kind: 'handshake-stalled',
    stage: ['decode.prealloc', 'prefill.bootstrap'],
    engine: P0,
    onsetS: 1,
    onset: 'the first 18 requests come at T0 + 1 s; nobody had asked for half a minute',
    sinceS: [1, 1],
    askedS: 120,
    but: [
      { size: '1P1D', engine: [P0, D0], why: ONE_PAIR },
      {
        evidence: 'gauges',
        named: 'exactly',
        why: 'whoever gives up is taken out before the metadata, most of them on prefill-0',
      },
    ],
  },
  {
    scenario: 'bootstrap-timer',
    why: 'handshakes of prefill-0 are lost until the timer expires after 300 s',
    kind: 'handshake-stalled',
    stage: ['decode.prealloc', 'prefill.bootstrap'],
    engine: P0,
    onsetS: 0,
    onset: '40 users ask every few seconds; the first whose handshake is lost comes at once',
    sinceS: [0, 0],
    askedS: 290,
    overS: 300,
    but: [
      { size: '1P1D', engine: [P0, D0], why: ONE_PAIR },
      { evidence: 'gauges', named: 'among others', why: 'nothing is pushed any more and nothing finishes' },
    ],
  },
  {
    scenario: 'prealloc-pinned',
    why: 'aborted requests pin the head of the queue for 300 s',
    kind: 'decode-admission-blocked',
    stage: 'decode.prealloc',
    engine: D0,
    onsetS: 0,
    onset: 'the agent takes all slots before T0; after its cancellation nobody is admitted',
    sinceS: [-6, 0],
    trigger: 60,
    askedS: 120,
    overS: 300,
    but: [{ evidence: 'gauges', named: 'among others', why: 'decode runs dry, nothing finishes' }],
  },
  {
    scenario: 'decode-kv-exhausted',
    why: 'long answers have filled the KV room',
    kind: 'decode-admission-blocked',
    also: ['prefill-saturated'],
    stage: 'decode.prealloc',
    engine: D0,
    onsetS: 157,
    onset:
      'prompts of 24,000 tokens saturate prefill first; then 24 long answers hold all KV, and nobody is admitted until the first ends',
    sinceS: [100, 172],
    askedS: 240,
    but: [
      { size: '4P8D', onsetS: 127, sinceS: [115, 132], why: 'seven eighths of the other requests go elsewhere' },
      { evidence: 'gauges', also: ['healthy', 'prefill-saturated'], why: 'long answers go on, and end' },
    ],
  },
];
