import { defineConfig } from '@playwright/test';

/** Browser tests of the built plugins in the embedded host; tests/fixtures.ts starts the browser and the stack. */
export default defineConfig({
  testDir: './tests',
  outputDir: './test-results',
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1500, height: 1000 },
    screenshot: 'only-on-failure',
    timezoneId: 'UTC',
    locale: 'en-US',
  },
});
