import { expect, test } from './fixtures';

test('the data source settings are tested against the real Prometheus', async ({ page }) => {
  await page.goto('/?page=config');
  await page.getByRole('button', { name: 'Save & test' }).click();
  await expect(page.getByTestId('host-test-result')).toContainText(/engine|series|SGLang/i);
});

test('the query editor runs another type of query', async ({ page }) => {
  await page.goto('/?page=query');
  await page.getByRole('combobox', { name: 'Show' }).click();
  await page.getByRole('option', { name: /Hypotheses/ }).click();
  await expect(page.getByRole('main')).toContainText(/refuted/);
});

test('a panel option changes the panel beside it', async ({ page }) => {
  await page.goto('/?page=options');
  await expect(page.getByTestId('pdflow-strip')).toBeVisible();
  await page.getByRole('switch', { name: 'Strip of states over time' }).click({ force: true });
  await expect(page.getByTestId('pdflow-strip')).toHaveCount(0);
});

test('the time range of the address and of the picker reach the panel', async ({ page }) => {
  await page.goto('/?from=now-5m&to=now');
  const picker = page.getByTestId('data-testid TimePicker Open Button');
  await expect(picker).toContainText('Last 5 minutes');
  await picker.click();
  await page.getByText('Last 15 minutes', { exact: true }).first().click();
  await expect(page).toHaveURL(/from=now-15m/);
});

test('kiosk hides the bars, the theme link changes the theme', async ({ page }) => {
  await page.goto('/?kiosk');
  await expect(page.getByTestId('pdflow-panel')).toBeVisible();
  await expect(page.getByTestId('host-bar')).toHaveCount(0);
  await expect(page.getByTestId('data-testid TimePicker Open Button')).toHaveCount(0);
  await page.goto('/?theme=dark');
  await page.getByRole('link', { name: 'Light theme' }).click();
  await expect(page).toHaveURL(/theme=light/);
  await expect(page.getByTestId('pdflow-panel')).toBeVisible();
});

test('an unknown dashboard and an unknown panel are named', async ({ page }) => {
  await page.goto('/?dashboard=nope');
  await expect(page.getByText('There is no dashboard "nope"')).toBeVisible();
  await page.goto('/?panel=99');
  await expect(page.getByText('has no panel 99')).toBeVisible();
});

test.describe('the server', () => {
  test('answers bad requests with a reason and goes on', async ({ request }) => {
    const bad = await request.post('/api/ds/query', { data: 'not json', headers: { 'content-type': 'text/plain' } });
    expect([bad.status(), await bad.json()]).toEqual([400, { message: 'The request body is not JSON.' }]);
    for (const path of ['/host/assets/..%2f..%2fpackage.json', '/public/plugins/..%2f..%2fpackage.json', '/nothing']) {
      expect((await request.get(path)).status(), path).toBe(404);
    }
    expect((await request.post('/host/faults/format-disk')).status()).toBe(404);
    expect((await request.get('/')).status()).toBe(200);
  });

  test('answers no page of another site', async ({ request }) => {
    const headers = { origin: 'https://evil.example' };
    for (const path of ['/api/ds/query', '/api/datasources/proxy/uid/prometheus/api/v1/query', '/host/faults/x']) {
      expect((await request.post(path, { data: {}, headers })).status(), path).toBe(403);
    }
    expect((await request.get('/', { headers: { host: 'evil.example' } })).status()).toBe(403);
  });

  test('answers each query for itself: one error does not hide the others', async ({ request }) => {
    const queries = [
      { refId: 'A', expr: 'vector(1) / 0', instant: true },
      { refId: 'B', expr: 'sum(', range: true },
      { refId: 'C', expr: 'up', range: true, intervalMs: 5000, maxDataPoints: 100 },
    ];
    const nowMs = Date.now();
    const answer = await request.post('/api/ds/query', {
      data: { queries, from: String(nowMs - 300_000), to: String(nowMs) },
    });
    expect(answer.status()).toBe(400); // as Grafana answers as soon as one query failed
    const { results } = await answer.json();
    expect(results.A.frames[0].data).toMatchObject({
      values: [[expect.any(Number)], [null]],
      entities: [null, { Inf: [0] }],
    });
    expect(results.B.error).toMatch(/parse error/);
    expect(results.C.frames.length).toBeGreaterThan(0);
  });
});
