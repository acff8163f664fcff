import { duration, wordDefect } from '../../pipeline';
import { css } from '@emotion/css';
import { useStyles2 } from '@grafana/ui';
import React from 'react';
import type { PipelineEvaluation } from '../../pipeline/model';
import { testIds } from '../testIds';
import type { Formats } from './formats';
import { STAGE_NAMES, STATE_WORDS } from './names';
import { depthText } from './stageView';

interface Props {
  readonly evaluation: PipelineEvaluation;
  readonly formats: Formats;
}

/** The same state as a table for screen readers; not visible. */
export function StateTable({ evaluation, formats }: Props): React.ReactElement {
  const styles = useStyles2(getStyles);
  const { atMs, stages, verdict, hypotheses } = evaluation;
  const rate = (value: number | undefined): string => (value === undefined ? 'unknown' : formats.rate(value));
  return (
    <div className={styles.hidden} data-testid={testIds.table}>
      <table>
        <caption>{`${verdict.headline} ${verdict.detail}`.slice(0, 2000)}</caption>
        <thead>
          <tr>
            {['Stage', 'State', 'Requests', 'In', 'Out', 'Parked for', 'Last progress', 'Reason'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map((stage) => (
            <tr key={stage.stage}>
              <th scope="row">{STAGE_NAMES[stage.stage].full}</th>
              <td>{STATE_WORDS[stage.state] + (stage.part === 'culprit' ? ', the culprit' : '')}</td>
              <td>{depthText(stage.depth, formats).replace('?', 'unknown')}</td>
              <td>{rate(stage.arrivalsPerSec)}</td>
              <td>{rate(stage.departuresPerSec)}</td>
              <td>{stage.parkedSinceMs === undefined ? '' : duration(atMs - stage.parkedSinceMs)}</td>
              <td>{stage.lastProgressMs === undefined ? '' : formats.time(stage.lastProgressMs)}</td>
              <td>{stage.reason.slice(0, 500)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul>
        {hypotheses.map(({ kind, name, status, text }) => (
          <li key={kind}>{`${name}: ${status}. ${text}`.slice(0, 500)}</li>
        ))}
        {verdict.knownDefects.map((defect) => (
          <li key={defect.issue}>{`Matches known defect ${wordDefect(defect)}.`}</li>
        ))}
      </ul>
    </div>
  );
}

const getStyles = (): { hidden: string } => ({
  hidden: css({
    position: 'absolute',
    width: 1,
    height: 1,
    overflow: 'hidden',
    clipPath: 'inset(50%)',
    whiteSpace: 'nowrap',
  }),
});
