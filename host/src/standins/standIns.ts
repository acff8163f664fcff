import { FieldColorModeId, FieldConfigProperty, PanelPlugin } from '@grafana/data';
import { passSettings } from './customConfig';
import { StatStandIn } from './StatStandIn';
import { StateTimelineStandIn } from './StateTimelineStandIn';
import { TableStandIn } from './TableStandIn';
import { TextStandIn } from './TextStandIn';
import { TimeSeriesStandIn } from './TimeSeriesStandIn';

const TABLE_SETTINGS = ['width', 'minWidth', 'align', 'cellOptions'];
const GRAPH_SETTINGS = ['drawStyle', 'lineWidth', 'lineInterpolation', 'fillOpacity', 'showPoints', 'spanNulls'];

/** Core panels that npm does not carry, by the plugin id that dashboards name. */
export const standIns: Readonly<Record<string, PanelPlugin>> = {
  stat: new PanelPlugin(StatStandIn).useFieldConfig(),
  'state-timeline': new PanelPlugin(StateTimelineStandIn).useFieldConfig(),
  table: new PanelPlugin(TableStandIn).useFieldConfig({ useCustomConfig: passSettings(TABLE_SETTINGS) }),
  text: new PanelPlugin(TextStandIn),
  timeseries: new PanelPlugin(TimeSeriesStandIn).useFieldConfig({
    useCustomConfig: passSettings(GRAPH_SETTINGS),
    standardOptions: {
      [FieldConfigProperty.Color]: { defaultValue: { mode: FieldColorModeId.PaletteClassic } },
    },
  }),
};
