import type { Config } from 'jest';

process.env.TZ = 'UTC';

const base = require('./.config/jest.config') as Config;
const [swc] = Object.values(base.transform ?? {});

const config: Config = {
  ...base,
  // The scaffold's pattern leaves .mjs files (d3-color, reached through @grafana/data) untransformed.
  transform: { '^.+\\.m?[tj]sx?$': swc ?? 'babel-jest' },
  testMatch: ['<rootDir>/{src,simulator,scripts,host,rules,cli,corpus,conformance}/**/*.test.{ts,tsx}'],
  modulePathIgnorePatterns: [
    '<rootDir>/dist',
    '<rootDir>/host/node_modules',
    '<rootDir>/host/dist',
    '<rootDir>/.cache',
  ],
};

export default config;
