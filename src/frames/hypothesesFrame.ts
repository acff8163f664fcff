import type { DataFrame } from '@grafana/data';
import type { Evidence, PipelineEvaluation } from '../pipeline/model';
import { textColumn } from './column';

/** One row per hypothesis of one pipeline: what was supported, refuted or left open, and on which evidence. */
export function hypothesesFrame(evaluation: PipelineEvaluation): DataFrame {
  const { hypotheses, id } = evaluation;
  return {
    name: id,
    length: hypotheses.length,
    meta: { preferredVisualisationType: 'table' },
    fields: [
      textColumn(
        'hypothesis',
        hypotheses.map(({ name }) => name)
      ),
      textColumn(
        'status',
        hypotheses.map(({ status }) => status)
      ),
      textColumn(
        'because',
        hypotheses.map(({ text }) => text)
      ),
      textColumn(
        'evidence',
        hypotheses.map(({ evidence }) => evidence.map(encodeEvidence).join(' · '))
      ),
      textColumn(
        'pipeline',
        hypotheses.map(() => id)
      ),
    ],
  };
}

function encodeEvidence({ text, signal, engine }: Evidence): string {
  return engine ? `${text} (${signal}, ${engine})` : `${text} (${signal})`;
}
