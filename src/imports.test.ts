import { existsSync, readdirSync, readFileSync } from 'fs';
import { join, resolve } from 'path';
import ts from 'typescript';

/** Who may import whom. Paths are folders of the repository, the rest are packages; a folder may import itself. */
const ALLOWED: Readonly<Record<string, readonly RegExp[]>> = {
  'src/pipeline': [],
  'src/frames': [/^src\/pipeline\//, /^@grafana\/data$/],
  'src/datasource': [/^src\/(pipeline|frames)\//, /^@grafana\//, /^react$/, /^rxjs$/],
  'src/panel': [/^src\/(pipeline|frames|panel)\//, /^@grafana\//, /^react$/, /^react-dom$/, /^@emotion\/css$/],
  // Words and test ids are plain data that the whole panel shares.
  'src/panel/diagram': [
    /^src\/pipeline\//,
    /^src\/panel\/(testIds|messages)\/$/,
    /^react$/,
    /^@emotion\/css$/,
    /^@grafana\/ui$/,
  ],
  src: [/^@grafana\/(data|ui)$/, /^react$/],
  host: [/^(?!src\/)/],
  simulator: [/^(?!(src|cli|corpus|conformance|host)\/|@grafana\/|react)/],
  cli: [/^src\/pipeline\//, /^(?!(src|simulator|corpus|conformance|host)\/|@grafana\/|react)/],
  corpus: [/^(src\/pipeline|simulator)\//, /^node:/],
  conformance: [/^(src\/pipeline|simulator)\//, /^node:/],
  bench: [/^src\/(pipeline|testing)\//],
  tests: [/^scripts\//, /^@playwright\/test$/, /^@axe-core\/playwright$/],
};
/** Tests may also use the test runner, node, builders, recorded data, and whatever their room may use. */
const IN_TESTS = /^(src\/testing\/|src\/pipeline\/|testdata\/|@testing-library\/|fs$|path$|typescript$)/;
const FORBIDDEN = /\b(innerHTML|outerHTML|dangerouslySetInnerHTML|insertAdjacentHTML)\b|\bconsole\s*\./;

const ROOT = resolve(__dirname, '..');
const ROOMS = Object.keys(ALLOWED).sort((a, b) => b.length - a.length);
const SKIPPED = ['node_modules', 'dist', 'testing', '.cache'];

function filesOf(folder: string): string[] {
  const path = join(ROOT, folder);
  const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
  return entries.flatMap((entry) => {
    const inner = join(folder, entry.name);
    if (entry.isDirectory()) {
      return SKIPPED.includes(entry.name) ? [] : filesOf(inner);
    }
    return /\.m?tsx?$|\.mjs$/.test(entry.name) ? [inner] : [];
  });
}

function roomOf(path: string): string {
  return ROOMS.find((room) => path.startsWith(`${room}/`)) ?? '';
}

/** Path from the root for our own files, the specifier itself for packages. */
function targetOf(file: string, specifier: string): string {
  return specifier.startsWith('.') ? join(file, '..', specifier) : specifier;
}

function isAllowed(file: string, target: string): boolean {
  const room = roomOf(file);
  const rules = [...(ALLOWED[room] ?? []), ...(/\.test\.tsx?$/.test(file) ? [IN_TESTS] : [])];
  return roomOf(`${target}/`) === room || rules.some((rule) => rule.test(target) || rule.test(`${target}/`));
}

function violations(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const targets = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => targetOf(file, fileName));
  const rule = `${roomOf(file)} may import itself and ${String(ALLOWED[roomOf(file)])}`;
  return [
    ...targets.filter((target) => !isAllowed(file, target)).map((target) => `${file} imports ${target}, but ${rule}`),
    ...(/^src\/(?!.*\.test\.)/.test(file) && FORBIDDEN.test(text) ? [`${file} writes raw HTML or to the console`] : []),
  ];
}

describe('who may import whom', () => {
  it.each(['src', 'host', 'simulator', 'cli', 'corpus', 'conformance', 'bench', 'tests'])(
    '%s keeps to the table',
    (folder) => {
      const files = filesOf(folder);
      expect(files).not.toEqual([]);
      expect(files.flatMap(violations)).toEqual([]);
    }
  );

  it.each([
    ['the core reaches for a package', 'src/pipeline/rules.ts', 'lodash', false],
    ['the core reaches for frames', 'src/pipeline/rules.ts', 'src/frames/columns', false],
    ['frames use the core through its door', 'src/frames/columns.ts', 'src/pipeline', true],
    ['the panel reaches for the data source', 'src/panel/options.ts', 'src/datasource/query', false],
    ['the panel uses its diagram', 'src/panel/PipelinePanel.tsx', 'src/panel/diagram/Stage', true],
    ['the diagram reaches back for the panel', 'src/panel/diagram/Stage.tsx', 'src/panel/options', false],
    ['the diagram reaches for frames', 'src/panel/diagram/Stage.tsx', 'src/frames/columns', false],
    ['operators come from rxjs itself', 'src/datasource/response.ts', 'rxjs/operators', false],
    ['the host looks inside the plugins', 'host/src/main.tsx', 'src/panel/options', false],
    ['the simulator looks at what it is to witness', 'simulator/main.ts', 'src/pipeline/model', false],
    ['the terminal uses the core', 'cli/diagnose.ts', 'src/pipeline', true],
  ])('%s', (_sentence, file, target, allowed) => {
    expect(isAllowed(file, target)).toBe(allowed);
  });
});
