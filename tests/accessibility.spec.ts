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

test('the verdict is announced and the table is reachable by keyboard', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByTestId('pdflow-headline')).toBeVisible();
  await expect(page.getByTestId('pdflow-panel').locator('[aria-live]').first()).toBeAttached();
  await page.getByTestId('pdflow-panel').locator('button, [tabindex="0"], a[href]').first().focus();
  const isInside = await page.evaluate(() => document.activeElement?.closest('[data-testid="pdflow-panel"]') !== null);
  expect(isInside).toBe(true);
});
