import { expect, test } from './fixtures';

const IDS = ['pdflow-pipeline-app', 'pdflow-pipeline-datasource', 'pdflow-pipeline-panel'];

test('the host loads the built app with its nested plugins', async ({ page }) => {
  await page.goto('/');
  await expect(page.getByTestId('pdflow-panel')).toBeVisible();
  const ids = await page.evaluate(() => {
    const { apps, panels, datasources } = window.grafanaBootData.settings;
    return [...Object.keys(apps), ...Object.keys(panels), ...Object.values(datasources).map(({ type }) => type)];
  });
  expect(ids).toEqual(expect.arrayContaining(IDS));
});

test('the incident dashboard shows every panel without an error', async ({ page }) => {
  const planned: string[] = [];
  page.on('request', (request) => {
    if (request.postData()?.includes('.spread"')) {
      const { from, to } = request.postDataJSON();
      planned.push(`${from} ${to}`);
    }
  });
  await page.setViewportSize({ width: 1500, height: 2300 });
  await page.goto('/?dashboard=pd-incident');
  await expect(page.getByTestId('pdflow-headline')).toBeVisible();
  for (const title of ['Hypotheses', 'Events', 'Tokens per second', 'HTTP requests in flight']) {
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
  }
  await expect(page.getByTestId('data-testid Panel status error')).toHaveCount(0);
  await expect(page.getByText('An unexpected error happened')).toHaveCount(0);
  await expect(page.locator('.uplot')).toHaveCount(6);
  // Panel, tables and annotations need the same series: they are asked for once per refresh.
  expect(planned).not.toEqual([]);
  expect(new Set(planned).size).toBe(planned.length);
});

for (const theme of ['dark', 'light']) {
  for (const [width, height] of [
    [400, 300],
    [800, 500],
    [1920, 1080],
    [3840, 2160],
  ] as const) {
    test(`the panel alone fits ${width} x ${height} in ${theme}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await page.goto(`/?dashboard=pd-wall&panel=1&kiosk&theme=${theme}`);
      await expect(page.getByTestId('pdflow-headline')).toBeVisible();
      const overflow = await page.evaluate(() => {
        const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
        return { x: scrollWidth - clientWidth, y: scrollHeight - clientHeight };
      });
      expect(overflow).toEqual({ x: 0, y: 0 });
    });
  }
}

declare global {
  interface Window {
    grafanaBootData: {
      settings: {
        apps: Record<string, unknown>;
        panels: Record<string, unknown>;
        datasources: Record<string, { type: string }>;
      };
    };
  }
}
