import { eventually } from '@pts/testing/eventually';
import type { Browser } from 'playwright-core';
import { newDirectory, removeDirectory, type Service, startService } from '../support/service.ts';
import { launchBrowser, openPage } from './support/browser.ts';
import { rowsOf } from './support/console.ts';

const dir = newDirectory();
let service: Service;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService({}, dir), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  removeDirectory(dir);
});

/** The console's address and the key, as `npm start` has printed them. */
async function printed(): Promise<{ address: string; key: string }> {
  const banner = /Console +(\S+).*\n +API key +(tk_\w+)/;
  await eventually(() => expect(service.output()).toMatch(banner));
  const [, address = '', key = ''] = banner.exec(service.output()) ?? [];
  return { address, key };
}

test('a newcomer pastes what npm start has printed, presses one button, and sees a parcel arrive', async () => {
  const { address, key } = await printed();
  const { page, context, faults } = await openPage(browser, service.ready.base_url);
  await page.goto(address);
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Shipments' }).click();
  await page.getByRole('button', { name: 'Add 5 sample parcels' }).click();
  await rowsOf(page).filter({ hasText: 'SBXEXPRESS' }).getByText('Delivered', { exact: true }).waitFor();
  expect(await faults()).toEqual([]);
  await context.close();
});

test('when the API is killed, what is shown stays, and news comes again by itself', async () => {
  const { address, key } = await printed();
  const { page, context } = await openPage(browser, service.ready.base_url, { apiKey: key });
  await page.goto(`${address}/shipments`);
  await rowsOf(page).first().waitFor();
  await page.getByText('live', { exact: true }).waitFor();
  // It may be back before the page notices anything: it stays away until somebody has looked.
  service.signal('SIGSTOP');
  try {
    process.kill(service.pidOf('api'), 'SIGKILL');
    await page.getByText('The service does not answer.').waitFor();
    expect(await rowsOf(page).count()).toBeGreaterThan(0);
  } finally {
    service.signal('SIGCONT');
  }
  await page.getByText('The service does not answer.').waitFor({ state: 'hidden' });
  await page.getByText('live', { exact: true }).waitFor();
  await context.close();
});
