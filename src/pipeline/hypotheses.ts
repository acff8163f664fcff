import { sumSince, type Conclusion } from './conclusions/speech';
import { decodeGpus, ofMachine, restingGpus, type DecodeGpus } from './conclusions/machines';
import { lastRiseMs, riseSince, serversOf, type EngineMoment, type Moment } from './moment';
import type { Evidence, Hypothesis, HypothesisKind, HypothesisStatus, Words } from './model';
import { metricName, type AnySignalId } from './profiles/sglang';
import { staleGauges } from './rules/calm';
import { NIXL } from './profiles/witnesses';
import { unseenEngines } from './rules/lost';
import { loopMovedSince, wedgedDecode } from './rules/decode';
import { failingCanary, kvBytesSince, loopSign } from './rules/witnesses';
import { byteCount, count, duration, STAGE_NAMES } from './sentences';
import { KV_FULL, KV_TIGHT } from './room';
import { sum, sumKnown } from './series';
import { flowOf } from './stages';
import { leftSince, trackOf } from './stalls';

/** What a hypothesis is tested against: the moment, the verdict, and the time since which evidence counts. */
interface Case {
  readonly moment: Moment;
  readonly words: Words;
  readonly verdict: Conclusion;
  readonly sinceMs: number;
}

type Answer = readonly [HypothesisStatus, string, ...Evidence[]];
type Test = (c: Case) => Answer;

/** Evidence for a calm pipeline is what the last minute shows. */
const CALM_MS = 60_000;

/** Every suspicion an on-call engineer has, tested: what was ruled out, and why. */
const TESTS: Readonly<Record<HypothesisKind, { readonly name: string; readonly test: Test }>> = {
  'transfer-stalled': { name: 'KV transfer stalled', test: transferStalled },
  'decode-wedged': { name: 'Decode loop dead', test: decodeWedged },
  'zombie-requests': { name: 'Zombie requests', test: zombies },
  'stale-gauge': { name: 'Stale gauge', test: staleGauge },
  'router-fault': { name: 'Router fault', test: routerFault },
  'prefill-fault': { name: 'Prefill fault', test: prefillFault },
  'engine-down': { name: 'Engine down', test: engineDown },
  'kv-exhausted': { name: 'KV exhausted', test: kvExhausted },
  'slow-transfer': { name: 'Slow transfer', test: slowTransfer },
  'leaked-counters': { name: 'Leaked bookkeeping', test: leakedCounters },
};

export function hypothesesOf(moment: Moment, words: Words, verdict: Conclusion): Hypothesis[] {
  const isFault = verdict.severity === 'critical' || verdict.severity === 'warning';
  const sinceMs = isFault && verdict.sinceMs !== undefined ? verdict.sinceMs : moment.atMs - CALM_MS;
  const c: Case = { moment, words, verdict, sinceMs };
  return entries(TESTS).map(([kind, { name, test }]) => {
    const [status, text, ...evidence] = test(c);
    return { kind, name, status, text, evidence };
  });
}

function entries<K extends string, V>(record: Readonly<Record<K, V>>): Array<[K, V]> {
  const list: Array<[K, V]> = [];
  for (const key in record) {
    list.push([key, record[key]]);
  }
  return list;
}

/** Increase since the case began, over all engines that count `id`; `undefined` when none does. */
const total = (c: Case, id: AnySignalId): number | undefined => sumSince(c.moment, id, c.sinceMs);

const seen = (c: Case, id: AnySignalId, text: string): Evidence => ({
  text,
  signal: metricName(id),
  fromMs: c.sinceMs,
  toMs: c.moment.atMs,
});

const last = (c: Case, id: AnySignalId): number | undefined => {
  const times = c.moment.engines.map((e) => lastRiseMs(e.engine, id, e.index)).filter((t) => t !== undefined);
  return times.length > 0 ? Math.max(...times) : undefined;
};

const span = (c: Case): string => duration(c.moment.atMs - c.sinceMs);

/** `since 20:38:03` in a fault, `in 1 m` in calm. */
const when = (c: Case): string =>
  c.moment.atMs - c.sinceMs <= CALM_MS ? `in ${span(c)}` : `since ${c.words.time(c.sinceMs)}`;

/** Real departures since the case began, over all engines of a stage; `undefined` when the stage is not counted. */
function departed(c: Case, stage: 'prefill.forward' | 'prefill.inflight' | 'decode.transfer'): number | undefined {
  return sumKnown(
    c.moment.engines.map((e) =>
      trackOf(e.engine, stage)?.balance[e.index] === undefined ? undefined : leftSince(e, stage, c.sinceMs)
    )
  );
}

/** The decode engine that is to blame, or all where none is. */
function suspectsOf(c: Case): EngineMoment[] {
  const decode = serversOf(c.moment, 'decode');
  const blamed = decode.filter((e) => e.engine.id === c.verdict.engine);
  return blamed.length > 0 ? blamed : decode;
}

function transferStalled(c: Case): Answer {
  if (c.verdict.kind === 'transfer-stalled') {
    return ['supported', `none concluded for ${span(c)}`, ...c.verdict.evidence];
  }
  const done = departed(c, 'decode.transfer');
  if (done === undefined) {
    return ['undecided', 'transfers are not counted'];
  }
  const id = 'decode.transferred';
  return done > 0
    ? ['refuted', `${done} concluded in ${span(c)}`, seen(c, id, `${count(done, 'transfer')} concluded.`)]
    : c.verdict.kind === 'decode-wedged'
      ? ['refuted', 'the whole loop stands, not only transfers']
      : ['refuted', 'no request waits for one'];
}

function decodeWedged(c: Case): Answer {
  const wedge = wedgedDecode(c.moment);
  if (wedge ?? c.verdict.kind === 'decode-wedged') {
    const sinceMs = wedge?.sinceMs ?? c.sinceMs;
    return ['supported', `nothing counted for ${duration(c.moment.atMs - sinceMs)}`, ...c.verdict.evidence];
  }
  const suspects = suspectsOf(c);
  const moved = suspects.find((e) => loopMovedSince(e, c.sinceMs, c.moment.intervalMs * 1.5));
  if (moved?.lastMoveMs !== undefined) {
    const at = c.words.time(moved.lastMoveMs);
    return ['refuted', `loop moved at ${at}`, seen(c, 'decode.received', `A scheduler counter moved at ${at}.`)];
  }
  return c.verdict.kind === 'idle' ? ['refuted', 'nothing asks it to move'] : unmovedLoop(c, suspects);
}

/** Counters that nobody moves prove nothing; where somebody asks, what the machine shows may. */
function unmovedLoop(c: Case, suspects: readonly EngineMoment[]): Answer {
  const isAsked = c.verdict.severity === 'critical' || c.verdict.severity === 'warning';
  const signs = (isAsked ? suspects : []).map((e) => ({
    sign: loopSign(c.moment, e, c.sinceMs),
    evidence: ofMachine(c.moment, e, c.sinceMs),
  }));
  const stands = signs.find(({ sign }) => sign === 'stands');
  if (stands) {
    return ['supported', 'no counter moved, and its machine shows that it stands', ...stands.evidence];
  }
  return signs.length > 0 && signs.every(({ sign }) => sign === 'turns')
    ? ['refuted', 'its scheduler turns, although no counter moved', ...signs.flatMap(({ evidence }) => evidence)]
    : ['undecided', 'no counter moved, no request came'];
}

function zombies(whole: Case): Answer {
  if (whole.verdict.kind === 'zombie-requests') {
    return ['supported', 'tokens reach no client', ...whole.verdict.evidence];
  }
  // A zombie decodes now; what was decoded before the stall proves nothing.
  const afterMs = whole.verdict.severity === 'critical' ? whole.sinceMs + 1.5 * whole.moment.intervalMs : whole.sinceMs;
  const c: Case = { ...whole, sinceMs: Math.max(afterMs, whole.moment.atMs - CALM_MS) };
  const tokens = total(c, 'tokens.decode') ?? total(c, 'passes.decode');
  const gpus = decodeGpus(c.moment, c.sinceMs);
  if (tokens === 0) {
    const at = last(c, 'tokens.decode');
    const when = at === undefined ? 'no decode token in this range' : `no decode token since ${c.words.time(at)}`;
    const resting = gpus?.load === 'idle' ? [gpus.evidence] : [];
    return ['refuted', when, seen(c, 'tokens.decode', `${when}: a zombie would keep decoding.`), ...resting];
  }
  return tokens !== undefined || gpus?.load === 'busy' ? runningZombies(c, tokens, gpus) : uncountedZombies(gpus);
}

/** A zombie keeps the GPUs busy. */
const uncountedZombies = (gpus: DecodeGpus | undefined): Answer =>
  gpus ? ['refuted', 'GPUs of decode do not work', gpus.evidence] : ['undecided', 'decode tokens are not counted'];

/** Tokens are decoded: for whom? */
function runningZombies(c: Case, tokens: number | undefined, gpus: DecodeGpus | undefined): Answer {
  const finished = c.moment.engines.reduce(
    (n, { engine, index }) =>
      engine.role === 'decode' ? n + (riseSince(engine, 'requests.finished', c.sinceMs, index) ?? 0) : n,
    0
  );
  if (finished > 0) {
    const evidence = seen(c, 'requests.finished', `${count(finished, 'request')} finished.`);
    return ['refuted', `${finished} finished in ${span(c)}`, evidence];
  }
  const decoded = tokens === undefined ? [] : [seen(c, 'tokens.decode', `${count(tokens, 'token')} decoded.`)];
  return gpus?.load === 'busy' && total(c, 'tokens.streamed') === 0
    ? ['supported', 'GPUs work, nothing reaches a client', ...decoded, gpus.evidence]
    : ['undecided', tokens === undefined ? 'GPUs work' : 'tokens rise, nothing finished yet', ...decoded];
}

function staleGauge(c: Case): Answer {
  const [first, ...more] = staleGauges(c.moment);
  if (!first) {
    return ['refuted', 'gauges agree with the counters'];
  }
  const rest = more.length > 0 ? `, ${more.length} more` : '';
  const text = `${STAGE_NAMES[first.reading.stage]} reads ${first.gauge}, counters say ${first.implied}${rest}`;
  const signal = metricName(flowOf(first.reading.stage).gauge ?? 'gauge.running');
  const { engine } = first.reading;
  const gauge = { text: `${text}.`, signal, engine, fromMs: first.trueAtMs };
  return ['supported', text, gauge, ...restingGpus(c.moment, engine, c.sinceMs)];
}

function routerFault(c: Case): Answer {
  if (c.verdict.kind === 'router-fault') {
    return ['supported', 'takes requests, hands none on'];
  }
  const failing = failingCanary(c.moment);
  const isLostBefore = c.verdict.kind === 'unknown' && c.verdict.alternatives.includes('router-fault');
  if (failing && isLostBefore) {
    const text = `No request has reached an engine since ${c.words.time(failing.sinceMs)}, and the canary asks.`;
    return ['supported', 'the canary asks, no engine is asked', seen(c, 'http.requests', text)];
  }
  const prefill = total(c, 'prefill.bootstrapped');
  const decode = total(c, 'decode.received');
  if (prefill && decode) {
    return [
      'refuted',
      'both sides get requests',
      seen(c, 'decode.received', 'Prefill and decode have both taken requests.'),
    ];
  }
  const arrived = total(c, 'http.requests');
  if (arrived === undefined && c.verdict.severity !== 'none') {
    return ['undecided', 'arrivals are not counted'];
  }
  return arrived
    ? ['refuted', `${arrived} reached the engines`, seen(c, 'http.requests', `${count(arrived, 'request')} arrived.`)]
    : c.verdict.severity === 'none'
      ? ['refuted', 'no request is lost']
      : ['undecided', 'no request reached an engine'];
}

function prefillFault(c: Case): Answer {
  if (c.verdict.kind === 'prefill-stalled') {
    return ['supported', 'holds requests, computes none'];
  }
  const forwarded = departed(c, 'prefill.forward');
  if (forwarded === undefined) {
    return ['undecided', 'prefill stages are not counted'];
  }
  return forwarded > 0
    ? [
        'refuted',
        `computed ${forwarded} ${when(c)}`,
        seen(c, 'prefill.forwarded', `${count(forwarded, 'request')} computed.`),
      ]
    : c.verdict.severity === 'none'
      ? ['refuted', 'nothing to compute']
      : ['undecided', 'nothing reached it'];
}

function engineDown(c: Case): Answer {
  const missing = unseenEngines(c.moment);
  const lost = missing.find((e) => e.state === 'lost');
  if (lost) {
    return ['supported', `${lost.engine.id} silent since ${c.words.time(lost.lastSampleMs)}`];
  }
  return missing.length > 0 ? ['undecided', 'no scrape tells'] : ['refuted', 'every engine answers its scrapes'];
}

function kvExhausted(c: Case): Answer {
  const suspects = suspectsOf(c);
  const admitted = sum(suspects.map((e) => leftSince(e, 'decode.prealloc', c.sinceMs)));
  if (admitted > 0) {
    return ['refuted', `${admitted} admitted ${when(c)}`, seen(c, 'decode.bootstrapped', 'Admission passes.')];
  }
  const worst = Math.max(...suspects.map((e) => e.engine.columns.get('gauge.usage')?.[e.index] ?? -1));
  if (worst < 0) {
    return ['undecided', 'token usage is not exported'];
  }
  const text = `usage ${Math.round(worst * 100)} % at its last push`;
  const status = worst >= KV_FULL ? 'supported' : worst >= KV_TIGHT ? 'undecided' : 'refuted';
  return [status, text, seen(c, 'gauge.usage', `Token ${text}.`)];
}

function slowTransfer(c: Case): Answer {
  if (c.verdict.kind === 'transfer-slow') {
    return ['supported', 'transfers conclude, too few of them', ...c.verdict.evidence];
  }
  const done = departed(c, 'decode.transfer');
  if (done === undefined) {
    return ['undecided', 'transfers are not counted'];
  }
  if (done > 0) {
    return [
      'refuted',
      `${done} concluded in ${span(c)}`,
      seen(c, 'decode.transferred', `${count(done, 'transfer')} concluded.`),
    ];
  }
  return c.verdict.severity === 'none' ? ['refuted', 'no request waits for one'] : unconcluded(c);
}

/** Without any that concluded transfers stand, unless NIXL still moves their bytes. */
function unconcluded(c: Case): Answer {
  const kv = kvBytesSince(c.moment, c.sinceMs + 1.5 * c.moment.intervalMs);
  const none = seen(c, 'decode.transferred', 'No transfer concluded.');
  const moved = kv && { text: `NIXL has moved ${byteCount(kv.bytes)}.`, signal: NIXL.sent, toMs: c.moment.atMs };
  return kv && kv.bytes > 0
    ? ['undecided', 'none concluded, yet KV bytes move', none, ...(moved ? [moved] : [])]
    : ['refuted', `0 concluded in ${span(c)}: not slow`, none, ...(moved ? [moved] : [])];
}

function leakedCounters(c: Case): Answer {
  const leaks = c.moment.engines.flatMap((e) =>
    e.engine.stages
      .filter((t) => (t.floor[e.index] ?? 0) > 0)
      .map((t) => `${STAGE_NAMES[t.flow.stage]} of ${e.engine.id}`)
  );
  return leaks.length > 0 ? ['supported', `${leaks[0]} never empties`] : ['refuted', 'queues return to zero'];
}
