// What esbuild must be told about Grafana's npm packages; each rule names the breakage it repairs.
import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** @param {string} modules folder of node_modules */
export function grafanaPackages(modules) {
  /** @type {import('esbuild').Plugin} */
  const plugin = {
    name: 'grafana-packages',
    setup(build) {
      stubAssistant(build);
      openRuntimeInternals(build, modules);
      resolveSchemaFiles(build, modules);
      preferEsmReactUse(build);
      unwrapDefaults(build);
      softenPluginCompat(build);
    },
  };
  return plugin;
}

/** Optional peer of @grafana/prometheus; it is only reached in Grafana Cloud. */
function stubAssistant(/** @type {import('esbuild').PluginBuild} */ build) {
  build.onResolve({ filter: /^@grafana\/assistant$/ }, ({ path }) => ({ path, namespace: 'stub' }));
  build.onLoad({ filter: /.*/, namespace: 'stub' }, () => ({
    contents:
      'export const QueryWithAssistantButton = () => null; export const useAssistant = () => ({ isAvailable: false });',
  }));
}

/** npm's @grafana/runtime strips "/internal", where Grafana's bootstrap finds these setters: `rt:` is their file. */
function openRuntimeInternals(/** @type {import('esbuild').PluginBuild} */ build, /** @type {string} */ modules) {
  build.onResolve({ filter: /^rt:/ }, ({ path }) => ({
    path: join(modules, '@grafana/runtime/dist/esm', `${path.slice(3)}.mjs`),
  }));
}

/** scenes imports deep schema files without their extension. */
function resolveSchemaFiles(/** @type {import('esbuild').PluginBuild} */ build, /** @type {string} */ modules) {
  build.onResolve({ filter: /^@grafana\/schema\/dist\/esm\/raw\// }, ({ path }) => {
    const file = join(modules, path);
    const candidates = [file, `${file}.mjs`, `${file}.js`, join(dirname(file), 'types.gen.mjs')];
    const found = candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile());
    return found === undefined ? undefined : { path: found };
  });
}

/** .mjs files that import CommonJS get Node's interop, which breaks react-use: take its ES modules. */
function preferEsmReactUse(/** @type {import('esbuild').PluginBuild} */ build) {
  build.onResolve({ filter: /^react-use\/lib\// }, ({ path, kind, resolveDir }) =>
    build.resolve(path.replace('/lib/', '/esm/'), { kind, resolveDir })
  );
}

/** The same interop hands out the whole module where such CommonJS packages mean their default: import it for them. */
function unwrapDefaults(/** @type {import('esbuild').PluginBuild} */ build) {
  const namespace = 'unwrapped';
  build.onResolve({ filter: /^(react-custom-scrollbars-2|calculate-size)$/ }, ({ path, importer, resolveDir }) =>
    importer.endsWith('.mjs') ? { path, namespace, pluginData: resolveDir } : undefined
  );
  build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
    contents: `export * from '${path}'; export { default } from '${path}';`,
    resolveDir: pluginData,
  }));
}

/** plugin-compat asks for names that this runtime may lack and tests them; a linker refuses unless it asks by key. */
function softenPluginCompat(/** @type {import('esbuild').PluginBuild} */ build) {
  build.onLoad({ filter: /plugin-compat[\\/]dist[\\/]esm[\\/].*\.mjs$/ }, async ({ path }) => {
    let count = 0;
    const source = await readFile(path, 'utf8');
    const contents = source.replace(/import \{([^}]*)\} from '(@grafana\/runtime[^']*)';/g, (_, names, module) => {
      const space = `runtime${count++}`;
      const constants = names.split(',').map((/** @type {string} */ entry) => {
        const [name, local = name] = entry.trim().split(/\s+as\s+/);
        return name === '' ? '' : `const ${local} = ${space}[${JSON.stringify(name)}];`;
      });
      return `import * as ${space} from '${module}'; ${constants.join(' ')}`;
    });
    return { contents, loader: 'js' };
  });
}
