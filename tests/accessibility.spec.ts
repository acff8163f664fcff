import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './fixtures';

for (const theme of ['dark', 'light']) {
  test(`the panel keeps WCAG 2 AA in ${theme}`, async ({ page }) => {
    await page.goto(`/?theme=${theme}`);
    await expect(page.getByTestId('pdflow-headline')).toBeVisible();
    const { violations } = await new AxeBuilder({ page })
      .include('[data-testid="pdflow-panel"]')
      .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
      .analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
    ).toEqual([]);
  });
}

/** More than the host's bars and a panel have places to stop at. */
const MAX_STOPS = 100;

test('the verdict is announced and the stages are reachable by keyboard', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByTestId('pdflow-headline')).toBeVisible();
  await expect(page.getByTestId('pdflow-panel').locator('[aria-live]').first()).toBeAttached();
  const culprit = page.locator('[data-testid^="pdflow-stage-"][data-part="culprit"]');
  await expect(culprit).toHaveCount(1);
  const isReached = (): Promise<boolean> => culprit.evaluate((stage) => stage.contains(document.activeElement));
  for (let stop = 0; stop < MAX_STOPS && !(await isReached()); stop += 1) {
    await page.keyboard.press('Tab');
  }
  expect(await isReached()).toBe(true);
});
