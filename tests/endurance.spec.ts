import { expect, test } from './fixtures';

const WARM_UP = 10;
const REFRESHES = 30;

test('refreshing leaves nothing behind: nodes, listeners and heap stay where they are', async ({ page }) => {
  test.setTimeout(120_000);
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  const measure = async (): Promise<Record<string, number>> => {
    await client.send('HeapProfiler.collectGarbage');
    const { metrics } = await client.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const refresh = async (times: number): Promise<Record<string, number>> => {
    for (let count = 0; count < times; count++) {
      const answer = page.waitForResponse((response) => response.url().includes('/api/ds/query'));
      await page.getByTestId('data-testid RefreshPicker run button').click();
      await answer;
      await page.waitForTimeout(100);
    }
    return measure();
  };

  await page.goto('/?dashboard=pd-wall&refresh=');
  await expect(page.getByTestId('pdflow-headline')).toBeVisible();
  const before = await refresh(WARM_UP);
  const after = await refresh(REFRESHES);
  expect(after.JSEventListeners).toBeLessThanOrEqual((before.JSEventListeners ?? 0) + 10);
  expect(after.Nodes).toBeLessThanOrEqual((before.Nodes ?? 0) + 100);
  expect(after.JSHeapUsedSize).toBeLessThanOrEqual((before.JSHeapUsedSize ?? 0) + 2e6);
});
