import { type DeploymentConfig } from './config';
import { type EngineFamilies } from './engineFamilies';
import { type Labels, type Registry } from './registry';

export type Role = 'prefill' | 'decode';

/** What `log_stats` pushes in one go; nothing else ever writes these gauges. */
export interface EngineStats {
  readonly running: number;
  readonly queue: number;
  readonly usedTokens: number;
  readonly genThroughput: number;
  /** Left as it stands when absent: the idle refresh does not touch it. */
  readonly cacheHitRate?: number;
  readonly bootstrap: number;
  readonly inflight: number;
  readonly prealloc: number;
  readonly transfer: number;
}

/** The scheduler processes' share of an engine's metrics: gauges on rank 0, event counters on every rank. */
export class SchedulerMetrics {
  private readonly leader: Labels;
  private readonly ranks: readonly Labels[];

  constructor(
    private readonly registry: Registry,
    private readonly families: EngineFamilies,
    private readonly config: DeploymentConfig,
    role: Role
  ) {
    const rank = (tpRank: number): Labels => ({
      model_name: config.modelName,
      engine_type: role,
      tp_rank: String(tpRank),
      pp_rank: '0',
    });
    this.leader = rank(0);
    this.ranks = Array.from({ length: config.tpSize }, (_, tpRank) => rank(tpRank));
    registry.set(families.maxTotalTokens, this.leader, config.kvCapacityTokens);
  }

  push(stats: EngineStats): void {
    const { registry, families, leader } = this;
    const capacity = this.config.kvCapacityTokens;
    registry.set(families.running, leader, stats.running);
    registry.set(families.queue, leader, stats.queue);
    registry.set(families.usedTokens, leader, stats.usedTokens);
    registry.set(families.tokenUsage, leader, stats.usedTokens / capacity);
    registry.set(families.kvUsed, leader, stats.usedTokens);
    registry.set(families.kvAvailable, leader, capacity - stats.usedTokens);
    registry.set(families.genThroughput, leader, stats.genThroughput);
    registry.set(families.bootstrapQueue, leader, stats.bootstrap);
    registry.set(families.inflightQueue, leader, stats.inflight);
    registry.set(families.preallocQueue, leader, stats.prealloc);
    registry.set(families.transferQueue, leader, stats.transfer);
    if (stats.cacheHitRate !== undefined) {
      registry.set(families.cacheHitRate, leader, stats.cacheHitRate);
    }
  }

  stage(stage: string, seconds: number): void {
    for (const rank of this.ranks) {
      this.registry.observe(this.families.stage, { ...rank, stage }, seconds);
    }
  }

  queueTime(seconds: number): void {
    for (const rank of this.ranks) {
      this.registry.observe(this.families.queueTime, rank, seconds);
    }
  }

  kvTransfer(latencyMs: number, totalMb: number): void {
    for (const rank of this.ranks) {
      this.registry.observe(this.families.transferLatency, rank, latencyMs);
      this.registry.observe(this.families.transferMb, rank, totalMb / this.ranks.length);
    }
  }

  bootstrapFailed(): void {
    this.ranks.forEach((rank) => this.registry.add(this.families.bootstrapFailed, rank));
  }

  transferFailed(): void {
    this.ranks.forEach((rank) => this.registry.add(this.families.transferFailed, rank));
  }

  tokens(mode: 'decode' | 'prefill_compute' | 'prefill_cache', count: number): void {
    this.registry.add(this.families.realtimeTokens, { ...this.leader, mode }, count);
  }

  pass(mode: 'decode_cuda_graph' | 'prefill_none'): void {
    this.registry.add(this.families.passes, { ...this.leader, mode });
  }
}
