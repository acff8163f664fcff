import {
  clock,
  decodeFlow,
  endOf,
  engine,
  prefillFlow,
  sampled,
  timeOf,
  until,
  type Clock,
  type Counters,
  type PerScrape,
} from '../../testing/traces';
import { evaluate, prepare, type RawSeries, type Verdict } from '..';

/** Ten minutes at 15 s. Four ranks get two requests per scrape each; something happens to rank 2 after scrape 25. */
const TIME = clock(10);
const RANKS = ['0', '1', '2', '3'];
const ODD = '2';
const LAST = 25;
const EACH = 2;
const ALL = RANKS.length * EACH;
const stops = until(LAST, EACH);

/** Counted by the HTTP process, for all ranks of its engine together. */
const OF_FRONT: readonly string[] = ['httpRequests', 'finished', 'aborted', 'firstTokens'];

const only = (counters: Counters, isFront: boolean): Counters =>
  Object.fromEntries(Object.entries(counters).filter(([word]) => OF_FRONT.includes(word) === isFront));

interface Side {
  readonly role: 'prefill' | 'decode';
  readonly front: Counters;
  readonly rank: (id: string) => Counters;
  /** Ranks that book a second of time per second. */
  readonly beats?: (id: string) => PerScrape;
}

const beat = (time: Clock, { role }: Side, id: string, per: PerScrape): RawSeries => {
  const labels = {
    __name__: 'sglang:scheduler_stage_seconds_total',
    category: 'idle',
    job: 'sglang',
    instance: `${role}:1`,
    model_name: 'm',
    engine_type: role,
    tp_rank: id,
    pp_rank: '0',
    dp_rank: id,
  };
  let seconds = 100;
  return sampled(time, labels, (i) => (seconds += typeof per === 'number' ? per : per(i)));
};

const seriesOf = (side: Side): RawSeries[] => [
  ...engine(TIME, { id: `${side.role}:1`, role: side.role, counters: side.front, isStamped: true }),
  ...RANKS.flatMap((id) => [
    ...engine(TIME, {
      id: `${side.role}:1`,
      role: side.role,
      counters: only(side.rank(id), false),
      labels: { dp_rank: id, tp_rank: id },
    }),
    ...(side.beats ? [beat(TIME, side, id, side.beats(id))] : []),
  ]),
];

const of = (odd: Counters, other: Counters) => (id: string) => (id === ODD ? odd : other);
/** What three ranks of four serve from then on, of what comes to four. */
const three: PerScrape = (i) => (i > LAST ? ALL - EACH : ALL);

function verdictAt(sides: readonly Side[], scrape = TIME.scrapes - 1): Verdict | undefined {
  const fleet = prepare(sides.flatMap(seriesOf), { sglangVersion: '0.5.14' });
  return evaluate(fleet, Math.min(endOf(TIME), timeOf(TIME, scrape)))[0]?.verdict;
}

const prefill = (counters: Counters = {}): Side => ({
  role: 'prefill',
  front: { ...only(prefillFlow(ALL), true), ...counters },
  rank: () => prefillFlow(EACH),
});
const decode = (rank: Side['rank'], counters: Counters = {}): Side => ({
  role: 'decode',
  front: { ...only(decodeFlow(three), true), httpRequests: ALL, ...counters },
  rank,
});

describe('a data-parallel rank of decode that counts nothing any more', () => {
  const standing = decode(of(decodeFlow(stops), decodeFlow(EACH)));
  // Prefill computes what the other ranks take.
  const besides: Side = { ...prefill(), rank: of(prefillFlow(stops), prefillFlow(EACH)) };

  it('while requests come that no rank takes, as many as it had before: its loop stands', () => {
    expect(verdictAt([besides, standing])).toMatchObject({
      kind: 'decode-wedged',
      engine: 'decode:1',
      sinceMs: timeOf(TIME, LAST),
      alternatives: ['frontend-stuck'],
      headline: expect.stringContaining('dp_rank 2 of decode:1'),
    });
  });

  it('and prefill, whose rank waits for its metadata, is not blamed', () => {
    const told = [LAST + 3, LAST + 5, LAST + 8, LAST + 12].map((i) => verdictAt([besides, standing], i)?.kind);
    expect(told).not.toContain('prefill-stalled');
  });

  it('while its requests go to the others: it is spared', () => {
    const more: PerScrape = (i) => (i > LAST ? ALL / 3 : EACH);
    const shared = decode(of(decodeFlow(stops), decodeFlow(more)), { finished: ALL });
    const sharing: Side = { ...prefill(), rank: of(prefillFlow(stops), prefillFlow(more)) };
    expect(verdictAt([sharing, shared])?.severity).toBe('none');
  });

  it('while nobody comes any more: nothing is known', () => {
    const quiet = decode(() => decodeFlow(stops), only(decodeFlow(until(LAST, ALL)), true));
    const silent: Side = { ...prefill(only(prefillFlow(until(LAST, ALL)), true)), rank: () => prefillFlow(stops) };
    expect(verdictAt([silent, quiet])?.severity).not.toBe('critical');
  });

  it('while as many requests are refused as before: they are none of its own', () => {
    const more: PerScrape = (i) => (i > LAST ? ALL / 3 : EACH);
    const resting = decode(of(decodeFlow(stops), decodeFlow(more)), { httpRequests: ALL + 4, finished: ALL });
    const sharing: Side = { ...prefill({ httpRequests: ALL + 4 }), rank: of(prefillFlow(stops), prefillFlow(more)) };
    expect(verdictAt([sharing, resting])?.severity).toBe('none');
  });

  it('a pause that it has made before is its rhythm', () => {
    const rests: PerScrape = (i) => ((i > 10 && i <= 20) || i > LAST ? 0 : EACH);
    const missing: PerScrape = (i) => (rests(i) === 0 ? ALL - EACH : ALL);
    const pausing = decode(of(decodeFlow(rests), decodeFlow(EACH)), { finished: missing });
    const sharing: Side = { ...prefill(), rank: of(prefillFlow(rests), prefillFlow(EACH)) };
    expect(verdictAt([sharing, pausing], LAST + 8)?.kind).not.toBe('decode-wedged');
  });

  it('its heartbeat stands: it needs no request to be named', () => {
    const none: PerScrape = until(LAST, EACH);
    const still: Side = {
      ...decode(() => decodeFlow(none), only(decodeFlow(until(LAST, ALL)), true)),
      beats: (id) => (id === ODD ? until(LAST, 15) : 15),
    };
    const silent: Side = { ...prefill(only(prefillFlow(until(LAST, ALL)), true)), rank: () => prefillFlow(none) };
    expect(verdictAt([silent, still], LAST + 2)).toMatchObject({
      kind: 'decode-wedged',
      alternatives: [],
      headline: expect.stringContaining('dp_rank 2'),
    });
  });

  it('all heartbeats stand: it is the whole engine', () => {
    const still: Side = {
      ...decode(() => decodeFlow(stops), { ...only(decodeFlow(until(LAST, ALL)), true), httpRequests: ALL }),
      beats: () => until(LAST, 15),
    };
    expect(verdictAt([{ ...prefill(), rank: () => prefillFlow(stops) }, still])?.headline).not.toContain('dp_rank');
  });
});

describe('a data-parallel rank of prefill that counts nothing any more', () => {
  // Decode admits all, and concludes what prefill has computed.
  const waiting = (id: string): Counters =>
    id === ODD ? { ...decodeFlow(stops), received: EACH, admitted: EACH } : decodeFlow(EACH);
  const standing: Side = { ...prefill({ finished: three }), rank: of(prefillFlow(stops), prefillFlow(EACH)) };

  it('while decode admits requests that no rank takes: its loop stands, or metadata does not come to it', () => {
    expect(verdictAt([standing, decode(waiting)])).toMatchObject({
      kind: 'prefill-stalled',
      engine: 'prefill:1',
      sinceMs: timeOf(TIME, LAST),
      alternatives: ['handshake-stalled'],
      headline: expect.stringContaining('dp_rank 2 of prefill:1'),
    });
  });

  it('its heartbeat stands: there is no doubt', () => {
    const still: Side = { ...standing, beats: (id) => (id === ODD ? until(LAST, 15) : 15) };
    expect(verdictAt([still, decode(waiting)])).toMatchObject({ kind: 'prefill-stalled', alternatives: [] });
  });

  it('long after a rank of decode ceased to conclude: it is a consequence', () => {
    const later: PerScrape = until(LAST + 6, EACH);
    const filled: Side = {
      ...prefill({ finished: three }),
      rank: of({ ...prefillFlow(later), handedOver: stops, kvTransfers: stops }, prefillFlow(EACH)),
    };
    expect(verdictAt([filled, decode(waiting)])?.kind).toBe('transfer-stalled');
  });
});
