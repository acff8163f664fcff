// What Grafana, its catalogue and our own promises demand of dist/. Each rule returns what breaks it, or nothing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Modules that Grafana gives to plugins (the scaffold's externals); "module" is SystemJS' own. */
const SHARED = new Set([
  ...['module', 'lodash', 'jquery', 'moment', 'prismjs', 'rxjs', 'i18next', 'd3', 'redux', 'react-redux'],
  ...['react', 'react-dom', 'react-router', 'emotion', '@emotion/css', '@emotion/react'],
  ...['slate', 'slate-plain-serializer', '@grafana/slate-react'],
  ...['@grafana/data', '@grafana/runtime', '@grafana/ui'],
]);
const PLUGINS = [
  { folder: '', id: 'pdflow-pipeline-app', type: 'app' },
  { folder: 'datasource', id: 'pdflow-pipeline-datasource', type: 'datasource' },
  { folder: 'panel', id: 'pdflow-pipeline-panel', type: 'panel' },
];
const MAX_GZIP_BYTES = { datasource: 82_000, panel: 93_000 };

/**
 * @typedef {{ name: string; check: (dist: string) => string[] }} Rule
 * @type {Rule[]}
 */
export const BUNDLE_RULES = [
  { name: 'the three plugins are there, with their ids and types', check: checkIds },
  { name: 'each plugin.json has what Grafana and its catalogue require', check: checkPluginJson },
  { name: 'every logo and screenshot that a plugin.json names exists', check: checkImages },
  { name: 'licence, readme and changelog are shipped and not empty', check: checkDocuments },
  { name: 'no placeholder is left unresolved', check: checkPlaceholders },
  { name: 'modules ask only for what Grafana shares', check: checkExternals },
  { name: 'modules stay small', check: checkSizes },
  { name: 'no separate chunks: nested plugins could not load them', check: checkChunks },
  { name: 'no path of the building machine is in the files', check: checkPaths },
];

/** @param {string} dist */
function checkIds(dist) {
  return PLUGINS.flatMap(({ folder, id, type }) => {
    const json = readPluginJson(dist, folder);
    const isModule = existsSync(join(dist, folder, 'module.js'));
    return json?.id === id && json?.type === type && isModule ? [] : [`${folder || '.'}: not ${id}, or no module.js`];
  });
}

/** @param {string} dist */
function checkPluginJson(dist) {
  return PLUGINS.flatMap(({ folder, id, type }) => {
    const json = readPluginJson(dist, folder) ?? {};
    const problems = {
      'id does not end with its type': !new RegExp(`^[0-9a-z]+-([0-9a-z]+-)?${type}$`).test(id),
      'no name': !json.name,
      'no grafanaDependency': !/^>=\d+\.\d+/.test(json.dependencies?.grafanaDependency ?? ''),
      'no version': !/^\d+\.\d+\.\d+/.test(json.info?.version ?? ''),
      'no date': !/^\d{4}-\d\d-\d\d$/.test(json.info?.updated ?? ''),
      'no author': !json.info?.author?.name,
      'no description': !json.info?.description,
      'no logos': !json.info?.logos?.small || !json.info?.logos?.large,
    };
    return Object.entries(problems).flatMap(([text, isSo]) => (isSo ? [`${id}: ${text}`] : []));
  });
}

/** @param {string} dist */
function checkImages(dist) {
  return PLUGINS.flatMap(({ folder }) => {
    const info = readPluginJson(dist, folder)?.info ?? {};
    const paths = [
      ...Object.values(info.logos ?? {}),
      ...(info.screenshots ?? []).map((/** @type {{ path: string }} */ { path }) => path),
    ];
    return paths.filter((path) => !existsSync(join(dist, folder, path))).map((path) => join(folder, path));
  });
}

/** @param {string} dist */
function checkDocuments(dist) {
  const isThere = (/** @type {string} */ name) =>
    existsSync(join(dist, name)) && readFileSync(join(dist, name), 'utf8').trim().length > 20;
  return ['LICENSE', 'README.md', 'CHANGELOG.md'].filter((name) => !isThere(name));
}

/** @param {string} dist */
function checkPlaceholders(dist) {
  return textFiles(dist, /plugin\.json$|\.md$/).flatMap(({ name, text }) =>
    (text.match(/%[A-Z_]{3,}%/g) ?? []).map((found) => `${name}: ${found}`)
  );
}

/** @param {string} dist */
function checkExternals(dist) {
  return textFiles(dist, /module\.js$/).flatMap(({ name, text }) => {
    const list = /\bdefine\((?:"[^"]*",)?\s*\[([^\]]*)\]/.exec(text)?.[1];
    if (list === undefined) {
      return [`${name} is not an AMD module`];
    }
    const asked = list.split(',').flatMap((entry) => entry.trim().replace(/^["']|["']$/g, '') || []);
    return asked.filter((module) => !SHARED.has(module)).map((module) => `${name} asks for ${module}`);
  });
}

/** @param {string} dist */
function checkSizes(dist) {
  return Object.entries(MAX_GZIP_BYTES).flatMap(([folder, limit]) => {
    const file = join(dist, folder, 'module.js');
    const bytes = existsSync(file) ? gzipSync(readFileSync(file)).length : Infinity;
    return bytes < limit ? [] : [`${folder}: ${bytes} bytes gzipped, the limit is ${limit}`];
  });
}

/** @param {string} dist */
function checkChunks(dist) {
  const modules = PLUGINS.map(({ folder }) => join(folder, 'module.js'));
  return textFiles(dist, /\.js$/).flatMap(({ name }) => (modules.includes(name) ? [] : [name]));
}

/** @param {string} dist */
function checkPaths(dist) {
  const folders = [join(dist, '..'), homedir()].filter((folder) => folder.length > 2);
  return textFiles(dist, /./).flatMap(({ name, text }) =>
    folders.some((folder) => text.includes(`${folder}/`)) ? [name] : []
  );
}

/**
 * @param {string} dist
 * @param {string} folder
 */
function readPluginJson(dist, folder) {
  const file = join(dist, folder, 'plugin.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/**
 * @param {string} dist
 * @param {RegExp} pattern
 */
function textFiles(dist, pattern) {
  if (!existsSync(dist)) {
    return [];
  }
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
  return files.map((entry) => {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    return { name: relative(dist, file), text: readFileSync(file, 'utf8') };
  });
}
