import { expect, test } from './fixtures';

test.describe('the founding incident', () => {
  test.use({ scenario: 'founding' });

  test('is named in one sentence, with its cause and since when', async ({ page }) => {
    await page.goto('/');
    await expect(page.getByTestId('pdflow-headline')).toContainText(/KV transfer stalled/);
    await expect(page.getByTestId('pdflow-panel')).toContainText(/16 aborts/);
    await expect(page.getByTestId('pdflow-data-age')).toContainText(/data as of \d\d:\d\d:\d\d/);
  });

  test('draws all stages and tells the culprit from its consequences', async ({ page }) => {
    await page.goto('/');
    for (const stage of [
      'prefill.forward',
      'prefill.inflight',
      'decode.prealloc',
      'decode.transfer',
      'decode.running',
    ]) {
      await expect(page.getByTestId(`pdflow-stage-${stage}`)).toBeVisible();
    }
    await expect(page.getByTestId('pdflow-stage-decode.transfer')).toContainText(/stalled/i);
    await expect(page.getByTestId('pdflow-stage-prefill.inflight')).toContainText(/waiting on/i);
  });

  test('lists what was ruled out beside what is supported, in the panel and in the table', async ({ page }) => {
    await page.setViewportSize({ width: 1920, height: 1400 });
    await page.goto('/?dashboard=pd-wall');
    await expect(page.getByTestId('pdflow-hypotheses')).toBeVisible();
    await expect(page.getByTestId('pdflow-hypotheses')).toContainText(/Zombie/);
    await page.goto('/?dashboard=pd-incident');
    const table = page.locator('[data-viz-panel-key="panel-2"]');
    await expect(table.getByText('supported').first()).toBeVisible();
    await expect(table.getByText('refuted').first()).toBeVisible();
  });

  test('stays readable when the panel is small: headline and data age are the last to go', async ({ page }) => {
    await page.setViewportSize({ width: 400, height: 300 });
    await page.goto('/?panel=1&kiosk');
    await expect(page.getByTestId('pdflow-headline')).toContainText(/KV transfer stalled/);
    await expect(page.getByTestId('pdflow-data-age')).toBeVisible();
  });

  test('can be looked at before it began: nothing is stalled then', async ({ page, stack }) => {
    const toMs = Date.now() - 20 * 60_000;
    expect(stack.simulatorUrl).toBeDefined();
    await page.goto(`/?from=${toMs - 8 * 60_000}&to=${toMs}`);
    await expect(page.getByTestId('pdflow-headline')).toBeVisible();
    await expect(page.getByTestId('pdflow-headline')).not.toContainText(/stalled/i);
  });
});

/** The scrape interval of the private Prometheus, which is also the refresh of the dashboards. */
const SCRAPE_MS = 5_000;
/** The simulated decode server is away this long when it is restarted. */
const RESTART_MS = 3_000;
/** The agent works this long before it is cancelled. */
const AGENT_MS = 2_000;
/** What is scraped is seen at the next refresh, and has to be fetched and drawn. */
const SEEN_MS = SCRAPE_MS + 3_000;

test.describe('the way out', () => {
  test.use({ scenario: 'founding', changesDeployment: true });
  test.setTimeout(150_000);

  test('a restart of decode shows the recovery and the length of the outage within three scrapes', async ({ page }) => {
    await page.goto('/');
    const headline = page.getByTestId('pdflow-headline');
    await expect(headline).toContainText(/KV transfer stalled for 1\d m/);
    await page.getByTestId('host-fault-restart-decode').click();
    await expect(page.getByTestId('host-fault-result')).toContainText(/done/);
    await expect(headline).toContainText(/Recovered after 1\d m/, { timeout: RESTART_MS + 3 * SCRAPE_MS + SEEN_MS });
  });
});

test.describe('the way in', () => {
  test.use({ scenario: 'healthy', changesDeployment: true });
  test.setTimeout(150_000);

  test('cancelling the big agent leads to the stall being named within three scrapes', async ({ page }) => {
    await page.goto('/');
    const headline = page.getByTestId('pdflow-headline');
    await expect(headline).toContainText(/Flowing/);
    await page.getByTestId('host-fault-cancel-big-agent').click();
    await expect(headline).toContainText(/KV transfer stalled/, { timeout: AGENT_MS + 3 * SCRAPE_MS + SEEN_MS });
    await expect(page.getByTestId('pdflow-stage-decode.transfer')).toContainText(/stalled/);
  });
});

test.describe('a target that stops answering', () => {
  test.use({ scenario: 'healthy', changesDeployment: true });
  test.setTimeout(150_000);

  test('is named and drawn as unknown, never as calm, and comes back', async ({ page }) => {
    await page.goto('/');
    const headline = page.getByTestId('pdflow-headline');
    await expect(headline).not.toContainText(/not scraped|lost/i);
    await page.getByTestId('host-fault-stop-scrape').click();
    await expect(headline).toContainText(/not scraped|lost/i, { timeout: 60_000 });
    await expect(page.getByTestId('pdflow-stage-decode.running')).toContainText(/unknown|lost/i);
    await page.getByTestId('host-fault-resume-scrape').click();
    await expect(headline).not.toContainText(/not scraped|lost/i, { timeout: 60_000 });
  });
});

for (const scenario of ['healthy', 'idle']) {
  test.describe(`a deployment that is ${scenario}`, () => {
    test.use({ scenario });

    test('raises no alarm', async ({ page }) => {
      await page.goto('/');
      await expect(page.getByTestId('pdflow-headline')).toBeVisible();
      await expect(page.getByTestId('pdflow-headline')).not.toContainText(/stalled|lost|zombie/i);
      await expect(page.getByTestId('pdflow-data-age')).toBeVisible();
    });
  });
}
