import { DecodeScheduler } from './decodeScheduler';
import { createWorld, edge, read, type World } from './testing/world';

/** 300 tokens in; 1 token from prefill and 40 decode steps out, so that exactly one decode report happens. */
const ONE_REPORT = { promptTokens: 300, outputTokens: 41 };

const killReceiver = ({ decode }: World): void => {
  if (decode.scheduler instanceof DecodeScheduler) {
    decode.scheduler.isReceiverDead = true;
  }
};

describe('decode gauges', () => {
  it('do not exist before the first push, except constants', () => {
    const { decode, runTo } = createWorld();
    runTo(5);
    expect(read(decode, 'num_running_reqs')).toBeUndefined();
    expect(read(decode, 'max_total_num_tokens')).toBe(786_432);
  });

  it('are not touched by 39 steps', () => {
    const { decode, send, runTo } = createWorld();
    send({ promptTokens: 300, outputTokens: 40 });
    runTo(5);
    expect(read(decode, 'realtime_tokens_total', 'mode="decode"')).toBe(39);
    expect(read(decode, 'num_running_reqs')).toBeUndefined();
  });

  it('are pushed at the 40th step with the size before the finished are taken out', () => {
    const { decode, send, runTo } = createWorld();
    send(ONE_REPORT);
    runTo(5);
    expect(decode.stages()).toEqual({});
    expect(read(decode, 'num_running_reqs')).toBe(1);
    expect(read(decode, 'num_decode_transfer_queue_reqs')).toBe(0);
  });

  it('become zero with the idle refresh, 30 s after that push', () => {
    const { decode, send, runTo } = createWorld();
    send(ONE_REPORT);
    runTo(31);
    expect(read(decode, 'num_running_reqs')).toBe(1);
    runTo(32);
    expect(read(decode, 'num_running_reqs')).toBe(0);
    expect(read(decode, 'gen_throughput')).toBe(0);
  });

  it('stay as they are while a request is parked, and are refreshed at once when it goes', () => {
    const world = createWorld();
    const { decode, simulation, send, runTo } = world;
    send(ONE_REPORT);
    runTo(3);
    killReceiver(world);
    simulation.at(4_000, () => send({ promptTokens: 256, outputTokens: 9 }));
    runTo(38.9);
    expect(decode.stages()).toEqual({ transfer: 1 });
    expect(read(decode, 'num_running_reqs')).toBe(1);
    expect(read(decode, 'num_decode_transfer_queue_reqs')).toBe(0);
    runTo(39.1);
    expect(decode.stages()).toEqual({});
    expect(read(decode, 'num_running_reqs')).toBe(0);
  });

  it('stay for ever when the loop is blocked', () => {
    const { decode, send, runTo } = createWorld();
    send(ONE_REPORT);
    runTo(3);
    decode.scheduler.isBlocked = true;
    runTo(600);
    expect(read(decode, 'num_running_reqs')).toBe(1);
  });

  it('include pages reserved for transfers in the used tokens', () => {
    const world = createWorld();
    world.send({ promptTokens: 300, outputTokens: 200 });
    world.runTo(2);
    expect(read(world.decode, 'num_used_tokens')).toBe(2 * 256);
    killReceiver(world);
    world.send({ promptTokens: 257, outputTokens: 9 });
    world.runTo(4);
    expect(world.decode.stages()).toEqual({ running: 1, transfer: 1 });
    expect(read(world.decode, 'num_used_tokens')).toBe(4 * 256);
  });
});

describe('prefill gauges', () => {
  it('say 1 inflight after a batch, long after its KV was delivered, until the idle refresh', () => {
    const { prefill, send, runTo } = createWorld();
    send({ promptTokens: 300, outputTokens: 2 });
    runTo(29);
    expect(prefill.stages()).toEqual({});
    expect(read(prefill, 'num_prefill_inflight_queue_reqs')).toBe(1);
    expect(read(prefill, 'num_running_reqs')).toBe(0);
    runTo(31);
    expect(read(prefill, 'num_prefill_inflight_queue_reqs')).toBe(0);
  });

  it('keep the cache hit rate over an idle refresh, which decode reports as 0', () => {
    const { prefill, decode, send, runTo } = createWorld();
    send({ ...ONE_REPORT, cachedTokens: 75 });
    runTo(40);
    expect(read(prefill, 'cache_hit_rate')).toBe(0.25);
    expect(read(decode, 'cache_hit_rate')).toBe(0);
  });

  it('report after every chunk of a long prompt', () => {
    const { prefill, send, runTo } = createWorld();
    send({ promptTokens: 20_000, outputTokens: 2 });
    runTo(1.5);
    expect(edge(prefill, 'chunked_prefill')).toBe(1);
    expect(read(prefill, 'num_prefill_inflight_queue_reqs')).toBe(0);
    expect(read(prefill, 'realtime_tokens_total', 'mode="prefill_compute"')).toBe(8192);
    runTo(10);
    expect(edge(prefill, 'chunked_prefill')).toBe(2);
    expect(edge(prefill, 'prefill_forward')).toBe(1);
    expect(read(prefill, 'realtime_tokens_total', 'mode="prefill_compute"')).toBe(20_000);
  });
});

describe('event counters', () => {
  it('count one request once on every edge', () => {
    const { prefill, decode, send, runTo } = createWorld();
    send(ONE_REPORT);
    runTo(5);
    const decodeEdges = ['decode_prepare', 'decode_bootstrap', 'decode_transferred', 'decode_waiting', 'fake_output'];
    const prefillEdges = ['prefill_bootstrap', 'prefill_forward', 'prefill_transfer_kv_cache'];
    expect(decodeEdges.map((stage) => edge(decode, stage))).toEqual([1, 1, 1, 1, 1]);
    expect(prefillEdges.map((stage) => edge(prefill, stage))).toEqual([1, 1, 1]);
    expect(read(prefill, 'queue_time_seconds_count')).toBe(1);
    expect(read(prefill, 'kv_transfer_latency_ms_count')).toBe(1);
    expect(read(prefill, 'kv_transfer_total_mb_sum')).toBeCloseTo((300 * 0.07) / 2);
  });

  it('count tokens and requests where they happen', () => {
    const { prefill, decode, send, runTo } = createWorld();
    send(ONE_REPORT);
    runTo(5);
    expect(read(decode, 'realtime_tokens_total', 'mode="decode"')).toBe(40);
    expect(read(decode, 'cuda_graph_passes_total', 'mode="decode_cuda_graph"')).toBe(40);
    expect(read(decode, 'inter_token_latency_seconds_count')).toBe(40);
    expect(read(decode, 'generation_tokens_total')).toBe(41);
    expect(read(decode, 'time_to_first_token_seconds_count')).toBe(1);
    expect(read(prefill, 'time_to_first_token_seconds_count')).toBeUndefined();
    expect(read(prefill, 'generation_tokens_total')).toBe(1);
    expect([read(prefill, 'num_requests_total'), read(decode, 'num_requests_total')]).toEqual([1, 1]);
    expect([read(prefill, 'prompt_tokens_total'), read(decode, 'prompt_tokens_total')]).toEqual([300, 300]);
  });

  it('are published by follower ranks too, gauges and tokens are not', () => {
    const { decode, send, runTo } = createWorld({ tpSize: 2 });
    send(ONE_REPORT);
    runTo(5);
    expect(read(decode, 'per_stage_req_latency_seconds_count', 'stage="decode_transferred"', 1)).toBe(1);
    expect(read(decode, 'num_running_reqs', '', 1)).toBeUndefined();
    expect(read(decode, 'realtime_tokens_total', 'mode="decode"', 1)).toBeUndefined();
  });

  it('are born with their first event', () => {
    const { decode, runTo } = createWorld();
    runTo(60);
    const names = new Set(decode.scrape()?.map(({ name }) => name));
    expect([...names].filter((name) => /failed|aborted|per_stage|requests_total/.test(name))).toEqual([]);
  });
});

describe('health probes', () => {
  it('pass every edge without a decode step, a KV transfer or a counted request', () => {
    const { prefill, decode, runTo } = createWorld({ healthIntervalMs: 60_000, healthPhaseMs: 10_000 });
    runTo(12);
    const edges = ['decode_prepare', 'decode_transferred', 'decode_waiting', 'fake_output', 'quick_finish'];
    expect(edges.map((s) => edge(decode, s))).toEqual([1, 1, 1, 1, 0]);
    expect(edge(prefill, 'prefill_transfer_kv_cache')).toBe(1);
    expect(read(prefill, 'realtime_tokens_total', 'mode="prefill_compute"')).toBe(1);
    expect(read(prefill, 'num_prefill_inflight_queue_reqs')).toBe(1);
    for (const name of ['kv_transfer_latency_ms_count', 'num_requests_total', 'realtime_tokens_total{mode="decode"}']) {
      expect(read(prefill, name) ?? read(decode, name)).toBeUndefined();
    }
    expect(read(decode, 'http_responses_total', 'endpoint="/health",status_code="200"')).toBe(1);
  });

  it('are answered without being run while the engine has work', () => {
    const { decode, send, runTo } = createWorld({ healthIntervalMs: 60_000, healthPhaseMs: 2_000 });
    send({ promptTokens: 300, outputTokens: 300 });
    runTo(5);
    expect(edge(decode, 'decode_prepare')).toBe(1);
    expect(read(decode, 'http_responses_total', 'endpoint="/health",status_code="200"')).toBe(1);
  });

  it('succeed with a dead receiver: alive is not working', () => {
    const world = createWorld({ healthIntervalMs: 60_000, healthPhaseMs: 10_000 });
    killReceiver(world);
    world.runTo(200);
    expect(read(world.deployment.router, 'smg_worker_health', 'decode-0')).toBe(1);
    expect(edge(world.decode, 'decode_transferred')).toBe(4);
  });

  it('fail with a blocked loop, and after three the router sends nothing more', () => {
    const { decode, deployment, send, runTo } = createWorld({ healthIntervalMs: 60_000, healthPhaseMs: 10_000 });
    decode.scheduler.isBlocked = true;
    runTo(129);
    expect(read(deployment.router, 'smg_worker_health', 'decode-0')).toBe(1);
    runTo(136);
    expect(read(deployment.router, 'smg_worker_health', 'decode-0')).toBe(0);
    expect(read(decode, 'http_responses_total', 'endpoint="/health",status_code="503"')).toBe(2);
    expect(send(ONE_REPORT).outcome).toBe('failed');
    expect(read(decode, 'http_requests_total', 'chat')).toBeUndefined();
  });
});
