import React, { type JSX } from 'react';
import { SceneRefreshPicker } from '@grafana/scenes';

/** Keeps refreshing while the bars are hidden. */
export class HiddenRefreshPicker extends SceneRefreshPicker {
  static override Component = (): JSX.Element => <></>;
}
