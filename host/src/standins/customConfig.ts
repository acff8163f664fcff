import { identityOverrideProcessor, type FieldConfigEditorBuilder } from '@grafana/data';
import { JsonEditor } from '../editors/valueEditors';

/** Lets field settings of a core panel, such as a column's width, reach its stand-in; unnamed ones are dropped. */
export function passSettings<T>(paths: readonly string[]): (builder: FieldConfigEditorBuilder<T>) => void {
  return (builder) => {
    for (const path of paths) {
      builder.addCustomEditor({
        id: path,
        path,
        name: path,
        editor: JsonEditor,
        override: JsonEditor,
        process: identityOverrideProcessor,
        shouldApply: () => true,
      });
    }
  };
}
