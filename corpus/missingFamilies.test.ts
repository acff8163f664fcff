import { evaluate, prepare, type PipelineEvaluation } from '../src/pipeline';
import { isAlarm, recordRow, said, secondsOf } from './play';
import { END_MS, instants, scrapedEvery, T0_MS, type Recording } from './recording';

const EVERY_MS = 5_000;
const MINUTE_MS = 60_000;

/** What a relabelling rule, a lean scrape or a remote write may leave out, by name. */
const LEFT_OUT: Readonly<Record<string, RegExp>> = {
  'the HTTP server': /^sglang:http_/,
  'open HTTP requests': /^sglang:http_requests_active$/,
  'the router': /^smg_/,
  'sample times': /^pdflow_sample_time_seconds$/,
  'queue time': /^sglang:queue_time_seconds/,
  'KV transfers': /^sglang:kv_transfer/,
  'finished requests': /^sglang:num_requests_total$/,
  tokens: /^sglang:realtime_tokens_total$/,
  passes: /^sglang:cuda_graph_passes_total$/,
  'inter-token latency': /^sglang:inter_token_latency/,
  'first tokens': /^sglang:time_to_first_token/,
  gauges: /^sglang:(num_\w+_reqs|token_usage|gen_throughput|num_used_tokens)$/,
  'all but stages and gauges':
    /^(?!sglang:per_stage_req|sglang:num_\w+_reqs$|sglang:token_usage|sglang:num_used_tokens|pdflow_sample)/,
  'all but stages': /^(?!sglang:per_stage_req|pdflow_sample)/,
};

const EACH = Object.keys(LEFT_OUT);

/** Every verdict of a time, from a recording that lacks some families. */
function judged(
  { series }: Recording,
  without: string,
  [fromMs, toMs]: readonly [number, number]
): PipelineEvaluation[] {
  const left = LEFT_OUT[without];
  const kept = scrapedEvery(series, EVERY_MS).filter((s) => left?.test(s.labels['__name__'] ?? '') === false);
  const fleet = prepare(kept);
  return instants(EVERY_MS, fromMs, toMs).flatMap((atMs) => evaluate(fleet, atMs));
}

describe.each(['healthy', 'bursts-and-pauses', 'half-cancelled', 'long-prefill', 'kv-nearly-full'])(
  '%s',
  (scenario) => {
    const recording = recordRow(scenario, '1P1D', 'full');

    test.each(EACH)('gives no alarm without %s', (without) => {
      const all = judged(recording, without, [recording.startMs, T0_MS + 4 * MINUTE_MS]);
      expect(all.length).toBeGreaterThan(100);
      expect(all.filter(({ verdict }) => isAlarm(verdict)).map(said)).toEqual([]);
    });
  }
);

describe('requests that decode for nobody', () => {
  const recording = recordRow('zombies-alone', '1P1D', 'full');

  test.each(['tokens', 'passes', 'inter-token latency', 'the router'])('are named without %s', (without) => {
    const atMs = T0_MS + 2 * MINUTE_MS;
    const [verdict] = judged(recording, without, [atMs, atMs + EVERY_MS - 1]).map((e) => e.verdict);
    // The agent is cancelled at T0, and its three zombies are all that runs from then on.
    expect(verdict).toMatchObject({
      kind: 'zombie-requests',
      stage: 'decode.running',
      headline: expect.stringMatching(/^3 zombie requests on/),
    });
    expect(Math.abs(secondsOf(verdict?.sinceMs ?? NaN))).toBeLessThanOrEqual(EVERY_MS / 1000);
  });
});

/** Without these health probes cannot be told from requests, and what fails is not seen to. */
const BLINDING = ['all but stages', 'all but stages and gauges'];

describe('a dead receiver', () => {
  const recording = recordRow('founding', '1P1D', 'full');

  test.each(EACH.filter((name) => !BLINDING.includes(name)))('is named without %s', (without) => {
    const minutes = [1, 5, 10].map((n) => T0_MS + n * MINUTE_MS);
    const all = minutes.flatMap((atMs) => judged(recording, without, [atMs, Math.min(atMs + EVERY_MS - 1, END_MS)]));
    expect(all.map(({ verdict: { kind, stage, sinceMs = NaN } }) => [kind, stage, secondsOf(sinceMs)])).toEqual(
      // The three requests of bystanders were in transfer at T0; the last transfer concluded within the scrape before.
      minutes.map(() => ['transfer-stalled', 'decode.transfer', -3])
    );
  });
});
