import { expect as baseExpect, test as base, type LaunchOptions, type Page } from '@playwright/test';
import { findChromium } from '../scripts/chromium.mjs';
import { startStack, type Stack } from '../scripts/stack.mjs';

/** Stacks of several scenarios may live side by side; older ones are stopped to save memory. */
const MAX_STACKS = 2;

class Stacks {
  private readonly running = new Map<string, Stack>();

  async of(scenario: string): Promise<Stack> {
    const known = this.running.get(scenario);
    if (known !== undefined) {
      return known;
    }
    for (const [oldest] of [...this.running].slice(0, this.running.size - MAX_STACKS + 1)) {
      await this.forget(oldest);
    }
    const stack = await startStack({ scenario });
    this.running.set(scenario, stack);
    return stack;
  }

  /** Stops a stack whose deployment a test has changed, so that the next test gets a fresh one. */
  async forget(scenario: string): Promise<void> {
    const stack = this.running.get(scenario);
    this.running.delete(scenario);
    await stack?.stop();
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.running.keys()].map((scenario) => this.forget(scenario)));
  }
}

interface TestFixtures {
  /** The simulated deployment; set it with `test.use({ scenario })`. */
  scenario: string;
  /** True when the test sets faults: its stack is not reused. */
  changesDeployment: boolean;
  /** Problems that a test provokes on purpose. */
  expectedProblems: RegExp[];
  stack: Stack;
  /** Console errors, uncaught errors and failed requests of the page; asserted to be none after each test. */
  problems: string[];
}

interface WorkerFixtures {
  stacks: Stacks;
  launchOptions: LaunchOptions;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  launchOptions: [
    async ({}, use) => {
      const { executablePath, env } = await findChromium(() => undefined);
      const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];
      await use({ executablePath, args, env: { ...environment(), ...env } });
    },
    { scope: 'worker' },
  ],
  stacks: [
    async ({}, use) => {
      const stacks = new Stacks();
      await use(stacks);
      await stacks.stopAll();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  scenario: ['founding', { option: true }],
  changesDeployment: [false, { option: true }],
  expectedProblems: [[], { option: true }],
  stack: [
    async ({ stacks, scenario, changesDeployment }, use) => {
      await use(await stacks.of(scenario));
      if (changesDeployment) {
        await stacks.forget(scenario);
      }
    },
    { timeout: 120_000 },
  ],
  baseURL: async ({ stack }, use) => use(stack.url),
  problems: [
    async ({ page, expectedProblems }, use) => {
      const problems = watchProblems(page);
      await use(problems);
      const unexpected = problems.filter((problem) => !expectedProblems.some((pattern) => pattern.test(problem)));
      baseExpect(unexpected, 'console errors, uncaught errors and failed requests').toEqual([]);
    },
    { auto: true },
  ],
});

export const expect = baseExpect;

function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') {
      problems.push(`console: ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) {
      problems.push(`http ${response.status()}: ${response.url()}`);
    }
  });
  return problems;
}

function environment(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}
