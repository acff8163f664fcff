import { type DeploymentConfig } from './config';
import { DecodeScheduler } from './decodeScheduler';
import { type Engine } from './engine';
import { createWorld, edge, read, type World } from './testing/world';

const counts = (engine: Engine): number[] =>
  ['num_aborted_requests_total', 'num_bootstrap_failed_reqs_total', 'num_transfer_failed_reqs_total'].map(
    (name) => read(engine, name) ?? 0
  );

interface Case {
  readonly where: string;
  readonly config?: Partial<DeploymentConfig>;
  readonly promptTokens: number;
  readonly breakDecode?: (scheduler: DecodeScheduler) => void;
  readonly atSeconds: number;
  /** aborted, bootstrap failed, transfer failed */
  readonly prefill: readonly number[];
  readonly decode: readonly number[];
  /** What decode's scheduler answers to the abort: SGLang counts that as a finished request. */
  readonly finished: 1 | undefined;
}

const CASES: readonly Case[] = [
  {
    where: 'bootstrap/prealloc: both ends of the handshake fail',
    config: { kvCapacityTokens: 512 },
    promptTokens: 600,
    atSeconds: 2,
    prefill: [1, 1, 0],
    decode: [1, 1, 0],
    finished: 1,
  },
  {
    where: 'forward/transfer: decode fails the transfer, a half-computed prompt is dropped',
    promptTokens: 60_000,
    atSeconds: 2,
    prefill: [1, 0, 0],
    decode: [1, 0, 1],
    finished: 1,
  },
  {
    where: 'inflight/transfer: both ends of the transfer fail',
    promptTokens: 300,
    breakDecode: (scheduler) => (scheduler.isReceiverDead = true),
    atSeconds: 2,
    prefill: [1, 0, 1],
    decode: [1, 0, 1],
    finished: 1,
  },
  {
    where: 'gone/running: only decode has an open leg, and it just ends',
    promptTokens: 300,
    atSeconds: 2,
    prefill: [0, 0, 0],
    decode: [1, 0, 0],
    finished: 1,
  },
  {
    where: 'bootstrap/arriving with a blocked decode loop: its HTTP process counts, its scheduler does not',
    promptTokens: 300,
    breakDecode: (scheduler) => (scheduler.isBlocked = true),
    atSeconds: 2,
    prefill: [1, 1, 0],
    decode: [1, 0, 0],
    finished: undefined,
  },
];

function play({ config, promptTokens, breakDecode, atSeconds }: Case): World {
  const world = createWorld(config);
  if (world.decode.scheduler instanceof DecodeScheduler) {
    breakDecode?.(world.decode.scheduler);
  }
  const request = world.send({ promptTokens, outputTokens: 400 });
  world.runTo(atSeconds);
  world.deployment.clients.cancel(request);
  world.runTo(atSeconds + 4);
  return world;
}

describe('a client that leaves', () => {
  it.each(CASES)('in $where', (row) => {
    const world = play(row);
    expect(world.truth.events.map(({ kind }) => kind)).toEqual(['client-abort']);
    expect(counts(world.prefill)).toEqual(row.prefill);
    expect(counts(world.decode)).toEqual(row.decode);
    expect(read(world.decode, 'http_requests_active', 'chat')).toBe(0);
    expect(read(world.decode, 'num_requests_total')).toBe(row.finished);
    expect(read(world.deployment.router, 'smg_http_connections_active')).toBe(0);
  });

  it('stays on a blocked decode loop for ever, and nowhere else', () => {
    const blocked = CASES[4];
    expect(blocked).toBeDefined();
    expect(CASES.map((row) => play(row).decode.stages())).toEqual([{}, {}, {}, {}, { arriving: 1 }]);
  });

  it('gives up after 35 s without a byte, not while bytes arrive', () => {
    const { decode, send, runTo, truth } = createWorld();
    send({ promptTokens: 300, outputTokens: 2_000 });
    runTo(40);
    expect(decode.stages()).toEqual({ running: 1 });
    decode.scheduler.isBlocked = true;
    send({ promptTokens: 300, outputTokens: 2 });
    runTo(74.9);
    expect(read(decode, 'http_requests_active', 'chat')).toBe(2);
    runTo(75.1);
    expect(read(decode, 'http_requests_active', 'chat')).toBe(1);
    expect(truth.events).toEqual([{ kind: 'client-timeout', atMs: 75_000, requestId: 2, stage: 'bootstrap/arriving' }]);
  });
});

describe('decode admission', () => {
  it('holds whoever finds no KV room, first come first served', () => {
    const { decode, prefill, send, runTo } = createWorld({ kvCapacityTokens: 2560 });
    send({ promptTokens: 1500, outputTokens: 200 });
    send({ promptTokens: 1500, outputTokens: 2 });
    runTo(1);
    send({ promptTokens: 100, outputTokens: 2 });
    runTo(2);
    expect(decode.stages()).toEqual({ running: 1, prealloc: 2 });
    expect(prefill.stages()).toEqual({ bootstrap: 2 });
    runTo(12);
    expect(decode.stages()).toEqual({});
    expect(edge(decode, 'decode_transferred')).toBe(3);
  });

  it('holds whoever finds no request slot', () => {
    const { decode, send, runTo } = createWorld({ requestSlots: 1 });
    send({ promptTokens: 100, outputTokens: 200 });
    send({ promptTokens: 100, outputTokens: 200 });
    runTo(2);
    expect(decode.stages()).toEqual({ running: 1, prealloc: 1 });
  });
});
