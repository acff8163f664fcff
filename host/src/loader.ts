// Plugins are loaded by the pieces that Grafana's own loader is made of: SystemJS with AMD and named registers.
import 'systemjs/dist/system.js';
import 'systemjs/dist/extras/amd.js';
import 'systemjs/dist/extras/named-register.js';
import { externals } from './externals';
import { isRecord } from './unknown';

/** Copies the shared modules into SystemJS: call it after the setters of `@grafana/runtime`, whose values it copies. */
export function initLoader(): void {
  const imports: Record<string, string> = {};
  for (const [name, module] of Object.entries(externals)) {
    imports[name] = `package:${name}`;
    System.set(`package:${name}`, { ...module });
  }
  System.addImportMap({ imports });
}

/** The `plugin` export of a built module. */
export async function importPlugin(path: string): Promise<unknown> {
  const module: unknown = await System.import(new URL(path, document.baseURI).href);
  const exports = isRecord(module) && !('plugin' in module) && isRecord(module['default']) ? module['default'] : module;
  const plugin = isRecord(exports) ? exports['plugin'] : undefined;
  if (plugin === undefined) {
    throw new Error(`${path} exports no plugin.`);
  }
  return plugin;
}
