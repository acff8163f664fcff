import { type DeploymentConfig } from './config';
import { type EngineFamilies } from './engineFamilies';
import { type Rank, ranksOf, type Role } from './rankLabels';
import { type Labels, type Registry } from './registry';
import { type Troubles } from './troubles';

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
  /** Requests retracted since the last report. */
  readonly retracted: number;
  /** The refresh of an idle engine, not the report of a batch. */
  readonly isIdleRefresh: boolean;
}

/** Whose metrics these are. */
export interface SchedulerProcess {
  readonly role: Role;
  readonly dpRank: number;
  readonly troubles: Troubles;
}

const MB_PER_GB = 1024;
/** A spinning loop keeps nearly one core busy. */
const CPU_SHARE = 0.96;

/** The scheduler processes' share of an engine's metrics: gauges on leaders, event counters on every rank. */
export class SchedulerMetrics {
  private readonly ranks: readonly Rank[];
  private readonly leaders: readonly Rank[];
  /** Labels of a rank with one more label, by its value: the values of different names never coincide. */
  private readonly extended = new Map<Labels, Map<string, Labels>>();
  /** Set by 0.5.2 after its last push, so that the next push shows it. */
  private unshown = { prealloc: 0, transfer: 0 };

  constructor(
    private readonly registry: Registry,
    private readonly families: EngineFamilies,
    private readonly config: DeploymentConfig,
    private readonly process: SchedulerProcess
  ) {
    this.ranks = ranksOf(config, process.role, process.dpRank);
    this.leaders = this.ranks.filter(({ isLeader }) => isLeader);
    if (config.profile.hasMaxTokens) {
      this.set('maxTotalTokens', config.kvCapacityTokens);
    }
  }

  push(stats: EngineStats): void {
    const { kvCapacityTokens: capacity, profile } = this.config;
    this.set('running', stats.running);
    this.set('queue', stats.queue);
    this.set('usedTokens', stats.usedTokens);
    this.set('tokenUsage', stats.usedTokens / capacity);
    if (profile.hasPoolTokens) {
      this.set('kvUsed', stats.usedTokens);
      this.set('kvAvailable', capacity - stats.usedTokens);
    }
    this.set('genThroughput', stats.genThroughput);
    this.pushQueues(stats);
    if (stats.cacheHitRate !== undefined) {
      this.set('cacheHitRate', stats.cacheHitRate);
    }
    if (this.process.role === 'decode') {
      this.leaders.forEach(({ labels }) =>
        this.registry.set(this.families.retracted, this.withLabel(labels, 'pid', '1'), stats.retracted)
      );
    }
  }

  stage(stage: string, seconds: number): void {
    if (this.config.profile.countedStages.includes(stage)) {
      this.onRanks((labels) =>
        this.registry.observe(this.families.stage, this.withLabel(labels, 'stage', stage), seconds)
      );
    }
  }

  queueTime(seconds: number): void {
    if (this.config.profile.hasQueueTime) {
      this.onRanks((labels) => this.registry.observe(this.families.queueTime, labels, seconds));
    }
  }

  kvTransfer(latencyMs: number, totalMb: number): void {
    const { families, registry } = this;
    const rankMb = totalMb / this.ranks.length;
    this.onRanks((labels) => {
      if (this.config.profile.transferMetrics === 'histograms') {
        registry.observe(families.transferLatency, labels, latencyMs);
        registry.observe(families.transferMb, labels, rankMb);
      } else {
        registry.set(families.lastTransferLatency, labels, latencyMs);
        registry.set(families.lastTransferSpeed, labels, rankMb / MB_PER_GB / (latencyMs / 1000));
      }
    });
  }

  bootstrapFailed(): void {
    this.onRanks((labels) => this.registry.add(this.families.bootstrapFailed, labels));
  }

  transferFailed(): void {
    this.onRanks((labels) => this.registry.add(this.families.transferFailed, labels));
  }

  retracted(): void {
    if (this.config.profile.hasTokenCounters) {
      this.count('retractedRequests');
    }
  }

  tokens(mode: 'decode' | 'prefill_compute' | 'prefill_cache', count: number): void {
    if (this.config.profile.hasTokenCounters) {
      this.count('realtimeTokens', count, 'mode', mode);
    }
  }

  pass(mode: 'decode_cuda_graph' | 'prefill_none'): void {
    const { hasTokenCounters, countsPrefillPasses } = this.config.profile;
    if (hasTokenCounters && (countsPrefillPasses || mode !== 'prefill_none')) {
      this.count('passes', 1, 'mode', mode);
    }
  }

  /** Seconds of the loop since the last beat. The process spins: idle or not, it uses its core. */
  beat(secondsByCategory: Readonly<Record<string, number>>, idleSeconds: number): void {
    const spent = Object.entries(secondsByCategory);
    spent.forEach(([category, seconds]) => this.count('stageSeconds', seconds, 'category', category));
    this.count('idleSeconds', idleSeconds);
    this.count('cpuSeconds', CPU_SHARE * spent.reduce((sum, [, seconds]) => sum + seconds, 0));
  }

  /** 0.5.2 gives decode's two values only after the push, and none at all on an idle refresh. */
  private pushQueues({ bootstrap, inflight, prealloc, transfer, isIdleRefresh }: EngineStats): void {
    const isLate = this.config.profile.queueGauges === 'late';
    if (!isLate || !isIdleRefresh) {
      this.set('bootstrapQueue', bootstrap);
      this.set('inflightQueue', inflight);
    }
    const shown = isLate ? this.unshown : { prealloc, transfer };
    this.set('preallocQueue', shown.prealloc);
    this.set('transferQueue', shown.transfer);
    if (!isIdleRefresh) {
      this.unshown = { prealloc, transfer };
    }
  }

  private set(family: keyof EngineFamilies, value: number): void {
    this.leaders.forEach(({ labels }) => this.registry.set(this.families[family], labels, value));
  }

  private count(family: keyof EngineFamilies, by = 1, name?: string, value = ''): void {
    for (const { labels } of this.leaders) {
      this.registry.add(this.families[family], name === undefined ? labels : this.withLabel(labels, name, value), by);
    }
  }

  /** The same object for the same labels, so that the registry renders it once. */
  private withLabel(labels: Labels, name: string, value: string): Labels {
    const ofRank = this.extended.get(labels) ?? new Map<string, Labels>();
    this.extended.set(labels, ofRank);
    const extended = ofRank.get(value) ?? { ...labels, [name]: value };
    ofRank.set(value, extended);
    return extended;
  }

  private onRanks(write: (labels: Labels) => void): void {
    const { ppReach } = this.process.troubles;
    for (const { labels, ppRank } of this.ranks) {
      if (ppRank < ppReach) {
        write(labels);
      }
    }
  }
}
