import { type DeploymentConfig } from './config';
import { type Labels } from './registry';

export type Role = 'prefill' | 'decode';

/** One scheduler process of an engine, as its labels tell it. */
export interface Rank {
  readonly labels: Labels;
  readonly ppRank: number;
  /** Publishes gauges and tokens as well; followers publish only their event counters. */
  readonly isLeader: boolean;
}

/**
 * The ranks that share one queue: all TP ranks of all pipeline stages, or one DP rank's share of the TP ranks.
 * `tp_rank` is global: the leader of DP rank r has tp_rank r × (TP size / DP size).
 */
export function ranksOf(config: DeploymentConfig, role: Role, dpRank: number): readonly Rank[] {
  const dpSize = role === 'decode' ? config.decodeDpSize : 1;
  const ppSize = role === 'prefill' ? config.prefillPpSize : 1;
  const width = Math.max(1, Math.floor(config.tpSize / dpSize));
  const engineType = config.profile.schedulerKnowsRole ? role : 'unified';
  return Array.from({ length: ppSize * width }, (_, index) => {
    const ppRank = Math.floor(index / width);
    const tpRank = dpRank * width + (index % width);
    return {
      ppRank,
      isLeader: index % width === 0,
      labels: {
        model_name: config.modelName,
        engine_type: engineType,
        tp_rank: String(tpRank),
        pp_rank: String(ppRank),
        ...(dpSize > 1 ? { dp_rank: String(dpRank) } : {}),
      },
    };
  });
}
