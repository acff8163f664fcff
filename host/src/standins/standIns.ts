import { FieldColorModeId, FieldConfigProperty, PanelPlugin } from '@grafana/data';
import { StatStandIn } from './StatStandIn';
import { StateTimelineStandIn } from './StateTimelineStandIn';
import { TableStandIn } from './TableStandIn';
import { TextStandIn } from './TextStandIn';
import { TimeSeriesStandIn } from './TimeSeriesStandIn';

/** Core panels that npm does not carry, by the plugin id that dashboards name. */
export const standIns: Readonly<Record<string, PanelPlugin>> = {
  stat: new PanelPlugin(StatStandIn).useFieldConfig(),
  'state-timeline': new PanelPlugin(StateTimelineStandIn).useFieldConfig(),
  table: new PanelPlugin(TableStandIn).useFieldConfig(),
  text: new PanelPlugin(TextStandIn),
  timeseries: new PanelPlugin(TimeSeriesStandIn).useFieldConfig({
    standardOptions: {
      [FieldConfigProperty.Color]: { defaultValue: { mode: FieldColorModeId.PaletteClassic } },
    },
  }),
};
