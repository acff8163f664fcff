import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Engine } from './engine';
import { EVIDENCES, PROFILES, type Evidence } from './versionProfile';
import { createWorld, edge, read, type World } from './testing/world';

/** What released packages were seen to declare. 0.5.6 lies between two of them: what it writes must be in both. */
const RECORDED: Readonly<Record<Evidence, readonly string[]>> = {
  full: ['0.5.12'],
  early: ['0.5.4', '0.5.7'],
  gauges: ['0.5.2'],
  heartbeat: ['0.5.20'],
};

interface Declared {
  readonly type: string;
  readonly labels: readonly string[];
}

/** The families of one recorded release, by the names of their samples. */
function declaredIn(version: string): ReadonlyMap<string, Declared> {
  const path = join(__dirname, '..', 'testdata', 'sglang', `${version}.json`);
  const facts: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const families = new Map<string, Declared>();
  const collect = (value: unknown): void => {
    for (const child of isRecord(value) ? Object.values(value) : []) {
      if (isRecord(child) && Array.isArray(child.samples) && Array.isArray(child.labels)) {
        const declared = { type: String(child.type), labels: child.labels.map(String) };
        child.samples.forEach((sample) => families.set(String(sample), declared));
      } else {
        collect(child);
      }
    }
  };
  collect(facts);
  return families;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Requests of every kind: served, long, cancelled in transfer, and health probes. */
function playedWorld(evidence: Evidence): World {
  const world = createWorld({ profile: PROFILES[evidence], healthIntervalMs: 5_000, tpSize: 2 });
  world.send({ promptTokens: 300, outputTokens: 60 });
  const left = world.send({ promptTokens: 20_000, outputTokens: 20 });
  world.runTo(1);
  world.deployment.clients.cancel(left);
  world.runTo(40);
  return world;
}

const namesOf = (engine: Engine): ReadonlySet<string> => new Set(engine.scrape()?.map(({ name }) => name));

describe.each(EVIDENCES.map((evidence) => [evidence] as const))('evidence %s', (evidence) => {
  const world = playedWorld(evidence);
  const engines = [world.prefill, world.decode];

  it('writes only what the release declares, with its types and labels', () => {
    for (const declared of RECORDED[evidence].map(declaredIn)) {
      for (const { name, family, labels } of engines.flatMap((engine) => engine.scrape() ?? [])) {
        expect({ name, type: declared.get(name)?.type }).toEqual({ name, type: family.type });
        const written = [...labels.matchAll(/(\w+)="/g)].flatMap(([, label]) => (label === undefined ? [] : [label]));
        const known = [...(declared.get(name)?.labels ?? []), 'le'];
        expect({ name, unknown: written.filter((label) => !known.includes(label)) }).toEqual({ name, unknown: [] });
      }
    }
  });
});

describe('the version table', () => {
  it('early: entry edges and queue times, but neither token, HTTP nor transfer counters, and no role', () => {
    const { prefill, decode } = playedWorld('early');
    expect(edge(prefill, 'prefill_prepare') - edge(prefill, 'prefill_bootstrap')).toBe(0);
    expect(edge(prefill, 'prefill_waiting')).toBe(read(prefill, 'queue_time_seconds_count'));
    expect(edge(decode, 'decode_transferred')).toBeGreaterThan(0);
    const all = [...namesOf(prefill), ...namesOf(decode)].join();
    expect(all).not.toMatch(/realtime|passes|http_|kv_transfer_\w+_(count|sum|bucket)|bootstrap_queue|kv_used/);
    expect(read(prefill, 'kv_transfer_latency_ms')).toBeGreaterThan(4);
    expect(prefill.scrape()?.[0]?.labels).toContain('engine_type="unified"');
  });

  it('early: a prefill report says inflight before its own batch, so a single request leaves no 1 behind', () => {
    const one = createWorld({ profile: PROFILES.early });
    one.send({ promptTokens: 300, outputTokens: 2 });
    one.runTo(5);
    expect(read(one.prefill, 'num_prefill_inflight_queue_reqs')).toBe(0);
  });

  it('gauges: decode shows its queues one push late, and no stage at all', () => {
    const world = createWorld({ profile: PROFILES.gauges });
    world.send({ promptTokens: 300, outputTokens: 4_000 });
    world.runTo(2);
    world.decode.troubles.losesHandshakes = true;
    world.send({ promptTokens: 300, outputTokens: 2 });
    world.runTo(3.4);
    expect(world.decode.stages()).toEqual({ running: 1, prealloc: 1 });
    expect(read(world.decode, 'num_decode_prealloc_queue_reqs')).toBe(0);
    world.runTo(5);
    expect(read(world.decode, 'num_decode_prealloc_queue_reqs')).toBe(1);
    expect([...namesOf(world.decode)].join()).not.toMatch(/per_stage|queue_time/);
  });

  it('heartbeat: the categories of a living loop add up to its wall time, those of a blocked one stand still', () => {
    const world = playedWorld('heartbeat');
    const total = (): number =>
      (world.decode.scrape() ?? [])
        .filter(({ name, labels }) => name === 'sglang:scheduler_stage_seconds_total' && labels.includes('tp_rank="0"'))
        .reduce((sum, { value }) => sum + value, 0);
    expect(total()).toBeCloseTo(40, 0);
    const before = total();
    world.decode.scheduler.isBlocked = true;
    world.runTo(60);
    expect(total()).toBe(before);
    // The one that was answered, and the one that was aborted.
    expect(read(world.decode, 'num_requests_total')).toBe(2);
  });
});
