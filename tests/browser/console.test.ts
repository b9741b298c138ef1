import type { Browser } from 'playwright-core';
import { type Service, startFastService } from '../support/service.ts';
import { launchBrowser, openPage } from './support/browser.ts';

/** What the first view may weigh, as sent. */
const FIRST_VIEW_BYTES = 120 * 1024;

let service: Service;
let close: () => Promise<void>;
let browser: Browser;
beforeAll(async () => {
  [{ service, close }, browser] = await Promise.all([startFastService('console', undefined), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await close();
});

const address = (path: string) => `${service.ready.base_url}/console${path}`;

test('signs in with a key that stays in the tab, and shows the page that was asked for', async () => {
  const { page, context, faults } = await openPage(browser, service.ready.base_url);
  await page.goto(address('/shipments'));
  await page.getByLabel('API key', { exact: true }).fill(`tk_${'0'.repeat(48)}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('The API key is invalid').waitFor();
  await page.getByLabel('API key', { exact: true }).fill(service.ready.api_key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Shipments' }).waitFor();
  expect(page.url()).toBe(address('/shipments'));
  expect(await context.cookies()).toEqual([]);
  expect(await page.evaluate(() => Object.values(localStorage).join())).not.toContain('tk_');
  expect(await faults()).toEqual([]);
  await context.close();
});

test('the first view is light', async () => {
  const { page, context } = await openPage(browser, service.ready.base_url, { apiKey: service.ready.api_key });
  await page.goto(address('/'));
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const bytes = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.includes('/console/assets/'))
      .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
  );
  expect(bytes.length).toBeGreaterThan(2);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(FIRST_VIEW_BYTES);
  await context.close();
});

test('registers numbers, and one arrives before the eyes of the reader', async () => {
  const { page, context, faults } = await openPage(browser, service.ready.base_url, { apiKey: service.ready.api_key });
  await page.goto(address('/shipments/add'));
  await page.getByLabel('Tracking numbers').fill('SBXEXPRESS71\nSBXNOTFOUND72\nnot a number!!');
  await page.getByText('Costs 2 units of quota.').waitFor();
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByText('2 parcels are registered.').waitFor();
  await page.getByRole('link', { name: 'Shipments', exact: true }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'SBXEXPRESS71' });
  await row.getByText('Delivered', { exact: true }).waitFor();
  await row.getByRole('link', { name: 'SBXEXPRESS71' }).click();
  await page.getByRole('dialog').getByText('Out for delivery').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  expect(await faults()).toEqual([]);
  await context.close();
});
