import CopyWebpackPlugin from 'copy-webpack-plugin';
import type { Configuration } from 'webpack';
import { merge } from 'webpack-merge';
import grafanaConfig, { type Env } from './.config/webpack/webpack.config.ts';

const config = async (env: Env): Promise<Configuration> =>
  merge(await grafanaConfig(env), {
    // The scaffold copies the root plugin's logos only; nested plugins need theirs beside their own module.js.
    plugins: [new CopyWebpackPlugin({ patterns: [{ from: '*/img/**/*', to: '.', noErrorOnMissing: true }] })],
    // A nested module resolves chunks beside itself, but webpack emits them at the dist root: so no separate chunks.
    output: { asyncChunks: false },
  });

export default config;
