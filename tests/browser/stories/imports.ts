import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { merchantOf } from '../../support/merchant.ts';
import { type Console, refusal, rowsOf } from '../support/console.ts';
import { ordersFile } from '../support/orders-file.ts';

/** Files whose rows become parcels. */
export function importStories(at: () => Console): void {
  test('show their columns, cost and faults first; then run, can be left, and give back what was wrong', async () => {
    const { service, open } = at();
    const { page } = await open('/imports');
    const content = ordersFile(500);
    const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('A-1000').waitFor();
    await page.getByText('6 numbers cannot be registered.').waitFor();
    expect(await page.getByLabel('Read as: Product').inputValue()).toBe('title');
    await page.getByText('3 rows').first().waitFor();
    await page.getByLabel('Read as: Product').selectOption({ label: 'Ignore' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Import 502 rows' }).click();
    await page.waitForURL(/\/imports\/[0-9a-f]{24}$/);
    await page.getByRole('main').getByRole('link', { name: 'Imports' }).click();
    await rowsOf(page).filter({ hasText: 'orders.csv' }).getByRole('link').click();
    await page.getByText('Done', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download invalid rows' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('orders-rejected.csv');
    expect((await readFile(await download.path(), 'utf8')).trim().split('\r\n')).toHaveLength(7);
    const { shipments } = await merchantOf(service).client.shipments.list({ q: 'SBXORDINARY40499' });
    expect(shipments).toMatchObject([{ order_id: 'A-1499' }]);
    expect(shipments[0]?.title).toBeUndefined();
  });

  test('are of the file as it was examined, and can be started again when the start was refused', async () => {
    const { page } = await at().open('/imports');
    const folder = await mkdtemp(join(tmpdir(), 'pts-import-'));
    const path = join(folder, 'orders.csv');
    await writeFile(path, 'Tracking number\nSBXNOTFOUND63\n');
    await page.getByLabel('Choose a file').setInputFiles(path);
    const run = page.getByRole('button', { name: 'Import 1 row', exact: true });
    await run.waitFor();
    await rm(folder, { recursive: true });
    const imports = '**/api/v1/imports?*';
    await page.route(imports, (route) => route.fulfill(refusal(429, { 'Retry-After': '60' })));
    await run.click();
    await page.getByText('Too many requests.').waitFor();
    await page.unroute(imports);
    await page.getByRole('button', { name: 'Check again' }).click();
    await run.click();
    await page.waitForURL(/\/imports\/[0-9a-f]{24}$/);
    await page.getByText('Done', { exact: true }).waitFor();
  });

  test('take a table that was dropped where numbers are added; a file of numbers stays there', async () => {
    const { page } = await at().open('/shipments/add');
    const field = page.getByLabel('Tracking numbers');
    await drop(page, field, { name: 'numbers.csv', text: 'Number\nSBXNOTFOUND84\n"SBXNOTFOUND85"\n' });
    await page.getByText('Uses 2 units of quota.').waitFor();
    await drop(page, field, { name: 'orders.csv', text: ordersFile(2, { first: 60_000 }) });
    await page.getByRole('heading', { name: 'Imports', exact: true }).waitFor();
    await page.getByText('A-1000').waitFor();
  });

  test('of a file whose headers say nothing ask for the column', async () => {
    const { page } = await at().open('/imports');
    const file = { name: 'odd.csv', mimeType: 'text/csv', buffer: Buffer.from('One,Two\nx,SBXNOTFOUND77\n') };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByText('none of the headers is a common name').waitFor();
    await page.getByLabel('Read as: Two').selectOption({ label: 'Tracking number' });
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('button', { name: 'Import 1 row', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Another file' }).click();
    await page.getByLabel('Choose a file').waitFor();
  });
}

/** Drops a text file on an element. */
async function drop(page: Page, onto: Locator, file: { name: string; text: string }): Promise<void> {
  const dataTransfer = await page.evaluateHandle(({ name, text }) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: 'text/csv' }));
    return data;
  }, file);
  await onto.dispatchEvent('drop', { dataTransfer });
}
