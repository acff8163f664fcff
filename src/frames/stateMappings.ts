import { MappingType, type ValueMapping } from '@grafana/data';
import { STAGE_STATES, type StageState } from '../pipeline/model';

/** Colour by exception: normal is neutral, alarms use a palette that is safe for colour-blind readers. */
const COLORS: Readonly<Record<StageState, string>> = {
  lost: '#D55E00',
  stalled: '#D55E00',
  zombie: '#E69F00',
  blocked: '#8E8E8E',
  slow: '#E69F00',
  unknown: '#5A5A5A',
  starved: '#8E8E8E',
  flowing: '#B4B4B4',
  idle: '#D0D0D0',
};

/** Value mappings that give the state words their colours in core panels (table, state timeline). */
export function stateMappings(): ValueMapping[] {
  const entries = STAGE_STATES.map((state, index) => [state, { text: state, color: COLORS[state], index }]);
  return [{ type: MappingType.ValueToText, options: Object.fromEntries(entries) }];
}
