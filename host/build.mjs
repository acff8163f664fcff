// Bundles the embedded host's page into host/dist. Run it in any folder: node host/build.mjs
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';
import { grafanaPackages } from './bundler.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const OUT = join(HERE, 'dist');

await rm(OUT, { recursive: true, force: true });
const startedMs = Date.now();
const { metafile } = await esbuild.build({
  absWorkingDir: HERE,
  entryPoints: ['src/main.tsx'],
  outdir: OUT,
  bundle: true,
  splitting: true,
  metafile: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'transform',
  resolveExtensions: ['.tsx', '.ts', '.mjs', '.js', '.json'],
  loader: { '.svg': 'dataurl', '.ttf': 'file', '.woff2': 'file' },
  define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
  plugins: [grafanaPackages(join(HERE, 'node_modules'))],
  logLevel: 'error',
});
const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
console.log(`Host bundle: ${(bytes / 1e6).toFixed(1)} MB in ${((Date.now() - startedMs) / 1_000).toFixed(1)} s`);
