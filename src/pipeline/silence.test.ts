import {
  bothSides,
  clock,
  endOf,
  timeOf,
  until,
  type Counters,
  type GaugeWord,
  type PerScrape,
} from '../testing/traces';
import { evaluate, prepare, type PipelineEvaluation, type Verdict } from '.';

/**
 * SGLang before 0.5.3 counts no stages. 30 requests per scrape of 15 s are served up to scrape 20, then none; from scrape
 * 23 on five clients give up per scrape. What becomes of their requests tells the faults apart.
 */
const P = 'p:30000';
const D = 'd:30002';
const TIME = clock(9);
const served = until(20, 30);
const gaveUp: PerScrape = (i) => (i >= 23 ? 5 : 0);
/** Written by each batch until scrape 20, and never again. */
const frozen: PerScrape = (i) => 300 + Math.min(i, 20);
/** The idle refresh comes 30 s after the last batch. */
const refreshed: PerScrape = (i) => (i <= 22 ? 300 + Math.min(i, 20) : 0);
/** Probes and idle refreshes in turn. */
const probed: PerScrape = (i) => (i % 2) / 1000;

/** Releases of that time do not say which side an engine is on. */
const labels = { engine_type: '' };
const roleMapping = { label: 'instance', prefill: 'p:.*', decode: 'd:.*' };

interface Side {
  readonly counters?: Counters;
  readonly gauges?: Partial<Record<GaugeWord, PerScrape>>;
}

const verdictOf = (decode: Side, prefill: Side): Verdict | undefined => judge(decode, prefill)?.verdict;

function judge(decode: Side, prefill: Side): PipelineEvaluation | undefined {
  const series = bothSides(
    TIME,
    { id: P, labels, counters: { finished: served, ...prefill.counters }, gauges: prefill.gauges },
    {
      id: D,
      labels,
      counters: { finished: served, firstTokens: served, streamed: until(20, 6000), ...decode.counters },
      gauges: { running: (i) => (i <= 20 ? 12 : 1), throughput: frozen, ...decode.gauges },
    }
  );
  return evaluate(prepare(series, { roleMapping }), endOf(TIME))[0];
}

const taken = (where: 'bootstrapFailed' | 'transferFailed'): Side['counters'] => ({ aborted: gaveUp, [where]: gaveUp });
const unheeded: Side['counters'] = { aborted: gaveUp, bootstrapFailed: 0, transferFailed: 0 };
const atDoor: Side = { counters: taken('bootstrapFailed') };
const inTransfer: Side = { counters: taken('transferFailed') };

describe('nothing is delivered, and no stage is counted', () => {
  const rows: ReadonlyArray<[string, Side, Side, Partial<Verdict>]> = [
    [
      'both sides take them out before the metadata',
      atDoor,
      atDoor,
      { kind: 'handshake-stalled', alternatives: ['decode-admission-blocked'] },
    ],
    [
      'the same, and KV is full',
      { ...atDoor, gauges: { usage: 0.97 } },
      atDoor,
      { kind: 'decode-admission-blocked', alternatives: ['handshake-stalled'] },
    ],
    [
      'both sides take them out of the transfer',
      inTransfer,
      inTransfer,
      { kind: 'transfer-stalled', alternatives: [] },
    ],
    [
      'decode takes none out, and its gauges have not moved',
      { counters: unheeded },
      atDoor,
      {
        kind: 'decode-wedged',
        alternatives: ['decode-admission-blocked', 'aborts-not-absorbed', 'rank-divergence'],
      },
    ],
    [
      'decode takes none out, and has called itself idle in between',
      { counters: { ...unheeded, aborted: (i) => (i >= 22 ? 5 : 0) }, gauges: { throughput: refreshed, running: 0 } },
      atDoor,
      {
        kind: 'frontend-stuck',
        alternatives: ['decode-wedged', 'decode-admission-blocked', 'aborts-not-absorbed', 'rank-divergence'],
      },
    ],
    [
      'prefill takes none out, decode does',
      atDoor,
      { counters: unheeded },
      {
        kind: 'prefill-stalled',
        engine: P,
        sinceMs: timeOf(TIME, 20),
        alternatives: ['frontend-stuck', 'rank-divergence'],
      },
    ],
    [
      'prefill has had none of them, and answers its probes',
      atDoor,
      { gauges: { usage: probed } },
      { kind: 'router-fault', stage: 'router', alternatives: ['handshake-stalled', 'decode-admission-blocked'] },
    ],
    [
      'decode has heard of none of them, and is not idle',
      { counters: { aborted: 0 } },
      atDoor,
      { kind: 'aborts-not-absorbed', alternatives: ['handshake-stalled', 'decode-admission-blocked'] },
    ],
    [
      'decode has heard of none of them, and is idle',
      { counters: { aborted: 0 }, gauges: { throughput: refreshed, running: 0 } },
      atDoor,
      {
        kind: 'router-fault',
        alternatives: ['handshake-stalled', 'decode-admission-blocked', 'aborts-not-absorbed'],
      },
    ],
    [
      'decode had lost most aborts before it stopped',
      { counters: { aborted: (i) => (i === 18 ? 200 : 0) } },
      {},
      { kind: 'aborts-not-absorbed' },
    ],
    [
      'everybody waits, and the queue of prefill grows',
      {},
      { gauges: { bootstrapping: (i) => Math.max(0, i - 20), inflight: 0 } },
      {
        kind: 'handshake-stalled',
        alternatives: ['decode-wedged', 'decode-admission-blocked', 'rank-divergence'],
      },
    ],
    [
      'everybody waits, and nothing is pushed: what could be wrong anywhere',
      { gauges: { transferring: 3 } },
      {},
      {
        kind: 'transfer-stalled',
        alternatives: [
          'decode-wedged',
          'handshake-stalled',
          'decode-admission-blocked',
          'prefill-stalled',
          'router-fault',
          'rank-divergence',
        ],
      },
    ],
    // SGLang before 0.5.2 counts no failures: that none rises proves nothing.
    [
      'failures are not counted',
      { counters: { aborted: gaveUp }, gauges: { prealloc: 4 } },
      { counters: { aborted: gaveUp }, gauges: { usage: probed } },
      {
        kind: 'handshake-stalled',
        alternatives: [
          'decode-wedged',
          'transfer-stalled',
          'decode-admission-blocked',
          'aborts-not-absorbed',
          'rank-divergence',
        ],
      },
    ],
  ];
  it.each(rows)('%s', (_why, decode, prefill, expected) => {
    expect(verdictOf(decode, prefill)).toMatchObject({ completeness: 0.4, severity: 'critical', ...expected });
  });
});

describe('of a decode loop that is suspected', () => {
  const rows: ReadonlyArray<[string, Side, Side, string]> = [
    ['it has taken out those who gave up', atDoor, { counters: unheeded }, 'refuted'],
    ['it has taken out none', { counters: unheeded }, atDoor, 'supported'],
    ['nobody gave up', { gauges: { transferring: 3 } }, {}, 'undecided'],
  ];
  it.each(rows)('%s', (_why, decode, prefill, status) => {
    expect(judge(decode, prefill)?.hypotheses).toContainEqual(
      expect.objectContaining({ kind: 'decode-wedged', status })
    );
  });
});

describe('nothing is delivered, and nothing is wrong', () => {
  const idle: Side = { gauges: { throughput: refreshed, running: 0 } };
  const rows: ReadonlyArray<[string, Side, Side]> = [
    ['an idle night', idle, {}],
    // SGLang 0.5.2 does not set the queues at its idle refresh.
    ['a queue gauge that the idle refresh leaves as it was', { gauges: { ...idle.gauges, transferring: 1 } }, {}],
    ['the last two clients left', { ...idle, counters: { aborted: (i) => (i === 23 || i === 25 ? 1 : 0) } }, {}],
  ];
  it.each(rows)('%s', (_why, decode, prefill) => {
    expect(verdictOf(decode, prefill)).toMatchObject({ kind: 'unknown', severity: 'info', alternatives: [] });
  });
});

describe('decode works, and nobody hears it', () => {
  const working: Side['gauges'] = { running: 3, throughput: (i) => 400 + (i % 2) };

  it('where answers were streamed before: zombies, or a front end that passes nothing on', () => {
    expect(verdictOf({ gauges: working }, {})).toMatchObject({
      kind: 'zombie-requests',
      severity: 'critical',
      engine: D,
      sinceMs: timeOf(TIME, 20),
      alternatives: ['frontend-stuck'],
    });
  });

  it('where answers came at their end before: it may be one of these', () => {
    expect(verdictOf({ counters: { streamed: until(20, 600) }, gauges: working }, {})).toMatchObject({
      kind: 'unknown',
      severity: 'info',
      alternatives: ['zombie-requests', 'frontend-stuck'],
    });
  });

  it('a gauge that stands is no work', () => {
    expect(verdictOf({ gauges: { running: 3, throughput: frozen } }, {})?.alternatives).not.toContain(
      'zombie-requests'
    );
  });
});
