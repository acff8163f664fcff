import type { HypothesisKind, StageId } from '../pipeline/model';

/** The contract with browser tests. */
export const testIds = {
  panel: 'pdflow-panel',
  headline: 'pdflow-headline',
  dataAge: 'pdflow-data-age',
  strip: 'pdflow-strip',
  hypotheses: 'pdflow-hypotheses',
  veil: 'pdflow-veil',
  message: 'pdflow-message',
  problems: 'pdflow-problems',
  tabs: 'pdflow-tabs',
  table: 'pdflow-table',
  live: 'pdflow-live',
  stage: (stage: StageId): string => `pdflow-stage-${stage}`,
  hypothesis: (kind: HypothesisKind): string => `pdflow-hypothesis-${kind}`,
};
