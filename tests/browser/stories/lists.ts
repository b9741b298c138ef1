import { readFile } from 'node:fs/promises';
import { eventually } from '@pts/testing/eventually';
import { merchantOf } from '../../support/merchant.ts';
import { realNumbers } from '../../support/numbers.ts';
import { isTooWide } from '../support/axe.ts';
import { type Console, chooseSubStatus, go, hold, IN_TROUBLE, PHONE, refusal, rowsOf } from '../support/console.ts';

/** Lists of many parcels: pages, searches, filters, keys. */
export function listStories(at: () => Console): void {
  test('have no end; Back returns to the same place, and the address keeps the filter', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const numbers = realNumbers(160).map(({ number }) => ({ tracking_number: number, phone: '5678' }));
    for (let first = 0; first < numbers.length; first += 40)
      await client.trackings.batch(numbers.slice(first, first + 40));
    const { back, release } = hold();
    const { page } = await open('/shipments', {
      ...PHONE,
      before: (context) => back(context, '**/api/v1/events/stream*'),
    });
    await rowsOf(page).first().waitFor();
    const height = () => page.evaluate(() => document.documentElement.scrollHeight);
    const first = await height();
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    await eventually(async () => expect(await height()).toBeGreaterThan(first));
    expect(await rowsOf(page).count()).toBeLessThan(80);
    // The row in the middle, and where it is: what is above the list may grow.
    const place = () =>
      page.evaluate(() => {
        const row = document.elementFromPoint(180, 400)?.closest<HTMLElement>('[data-id]');
        return { id: row?.dataset.id, top: Math.round(row?.getBoundingClientRect().top ?? 0) };
      });
    const before = await place();
    // The first news comes now, and moves no row.
    release();
    await client.trackings.create('SBXEXPRESS83');
    await page.getByRole('button', { name: /^Show [\d,]+ updates?$/ }).waitFor();
    expect(await place()).toEqual(before);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.goBack();
    await eventually(async () => expect(await place()).toEqual(before));
    const further = page.getByRole('link', { name: 'Link to row 101' });
    const other = await open('/shipments', PHONE);
    await other.page.goto(new URL((await further.getAttribute('href')) ?? '', page.url()).href);
    await other.page.getByRole('link', { name: 'Back to top' }).waitFor();
    await rowsOf(other.page).first().waitFor();
    expect(await other.page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(await height());
    await chooseSubStatus(other.page, 'Expired');
    await other.page.getByText('No parcels match Expired.').waitFor();
    expect(new URL(other.page.url()).searchParams.get('from')).toBeNull();
    await chooseSubStatus(page, 'Expired');
    await page.getByText('No parcels match Expired.').waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('expired');
    await page.reload();
    await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
    await rowsOf(page).first().waitFor();
  });

  test('are searched, narrowed, counted and saved as a file', async () => {
    const { service, open } = at();
    await merchantOf(service).register('SBXNOTFOUND76', { title: 'Red umbrella', order_id: 'U-2' });
    const { page } = await open('/shipments');
    await page.getByRole('searchbox').fill('red umb');
    await page.getByText('2 matches', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const exception = rowsOf(page).filter({ hasText: IN_TROUBLE });
    await exception.getByText('Exception', { exact: true }).waitFor();
    await page.getByLabel('Needs attention', { exact: true }).selectOption({ label: 'Any reason' });
    await page.getByText('1 match', { exact: true }).waitFor();
    const reason = exception.getByText(/^(Address problem|Held by customs|Other problem)$/);
    await reason.waitFor();
    await page.getByRole('combobox', { name: 'Registered' }).selectOption({ label: 'Last 7 days' });
    await page.getByRole('combobox', { name: 'Carrier' }).selectOption('sandbox');
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      ...{ q: 'red umb', needs_attention: 'true', created: '7d', carrier: 'sandbox' },
    });
    await page.getByText('1 match', { exact: true }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['\uFEFFtracking_number', IN_TROUBLE]);
    await page.getByRole('checkbox', { name: 'Last event' }).uncheck();
    await page.getByRole('checkbox', { name: 'Registered' }).check();
    await reason.waitFor({ state: 'hidden' });
    expect(new URL(page.url()).searchParams.get('cols')).toBe('carrier,order,name,expected,created,when');
    await page.getByRole('button', { name: /Needs attention/ }).click();
    await page.getByText('2 matches', { exact: true }).waitFor();
  });

  test('are read on when a page has no rows, but is not the last one', async () => {
    const { page } = await at().open('/webhooks');
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    let pages = 0;
    await page.route('**/api/v1/shipments?*', async (route) => {
      pages += 1;
      if (pages > 2)
        return route.continue({
          url: route
            .request()
            .url()
            .replace(/&cursor=[^&]*/, ''),
        });
      const data = { shipments: [], next_cursor: `page${pages}`, total: 1, total_is_lower_bound: true };
      return route.fulfill({ ...refusal(200), body: JSON.stringify({ code: 200, meta: 200, message: '', data }) });
    });
    await page.getByRole('link', { name: 'Shipments' }).click();
    await rowsOf(page).first().waitFor();
    expect(pages).toBeGreaterThan(2);
  });

  test('are found, opened, selected and left by keyboard alone', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    await client.trackings.batch(['SBXNOTFOUND81', 'SBXNOTFOUND82']);
    const { page } = await open('/', { signedOut: true });
    await page.getByLabel('API key', { exact: true }).waitFor();
    await page.keyboard.type(service.ready.api_key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('/');
    const column = Array.from({ length: 41 }, (_, n) => `SBXNOTFOUND${81 + n}\r\n`).join('');
    await page.evaluate((text) => navigator.clipboard.writeText(text), column);
    await page.keyboard.press('ControlOrMeta+v');
    await page.getByRole('dialog').getByRole('link', { name: 'SBXNOTFOUND82' }).waitFor();
    await page.getByText('Showing the first 40 numbers only.').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('notfound 81');
    // Before the results are there.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'SBXNOTFOUND81' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('Shift+Tab');
      if (await page.evaluate(() => document.activeElement?.textContent === 'Shipments')) break;
    }
    await page.keyboard.press('Enter');
    await rowsOf(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 parcel selected').waitFor();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('heading').first().waitFor();
    const shown = () => new URL(page.url()).searchParams.get('open');
    const second = shown();
    await page.keyboard.press('k');
    await eventually(async () => expect(shown()).not.toBe(second));
    const first = shown();
    await drawer.getByRole('button', { name: 'Check now' }).waitFor();
    await page.keyboard.press('x');
    await page.keyboard.press('r');
    await page.getByText('Checking with the carrier.').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await page.getByText('2 parcels selected').waitFor();
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-id]')?.dataset.id ?? '');
    expect(await focused()).toBe(first);
  });

  test('are found by a key that is pressed at the moment when the console appears', async () => {
    const { page } = await at().open('/', {
      before: (context) =>
        context.addInitScript(() => {
          new MutationObserver((_changes, observer) => {
            if (document.querySelector('nav') === null) return;
            observer.disconnect();
            document.dispatchEvent(new KeyboardEvent('keydown', { key: '/' }));
          }).observe(document, { childList: true, subtree: true });
        }),
    });
    await page.getByRole('dialog').getByRole('textbox').waitFor();
  });

  test('of a month of the quota begin with the day on which it begins for the reader', async () => {
    const { page } = await at().open('/', { timeZone: 'America/Los_Angeles' });
    const href = await page.getByRole('link', { name: /^quota / }).getAttribute('href');
    const [year, month, day] = (/created=([\d-]+)\.\.$/.exec(href ?? '')?.[1] ?? '').split('-').map(Number);
    const next = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, (day ?? 0) + 1));
    expect([href, next.getUTCDate()]).toEqual([href, 1]);
  });

  test('are saved as a file that is named after the day of the reader', async () => {
    const { page } = await at().open('/shipments', {
      timeZone: 'Asia/Tokyo',
      before: (context) => context.clock.setFixedTime('2031-03-04T23:30:00Z'),
    });
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('shipments-2031-03-05.csv');
  });

  test('are no longer saved as a file once the reader has signed out', async () => {
    const { page } = await at().open('/shipments');
    await page.route('**/api/v1/shipments.csv*', () => {});
    const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('shipments.csv'));
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByRole('button', { name: /^Cancel export \(0\skB\)$/ }).waitFor();
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await ended;
  });

  test('are narrowed to days whose years are typed digit by digit, in one step of the history', async () => {
    const { page } = await at().open('/shipments?created=2026-11-01..');
    const created = () => new URL(page.url()).searchParams.get('created');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const field = page.getByLabel('Registered: from', { exact: true });
    const steps = await page.evaluate(() => history.length);
    await field.focus();
    // Past the month and the day.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    for (const digit of '202') await page.keyboard.press(digit);
    expect(created()).toBe('2026-11-01..');
    await page.keyboard.press('5');
    await eventually(async () => expect(created()).toBe('2025-11-01..'));
    expect(await page.evaluate(() => history.length)).toBe(steps);
  });

  test('show long titles and those that are written from right to left, on every width', async () => {
    const { service, open } = at();
    const { client } = merchantOf(service);
    const long = 'Unbreakable'.repeat(18);
    const hebrew = 'מעיל כחול!';
    await client.trackings.batch([
      { tracking_number: 'SBXEXCEPTION62', title: long, order_id: '77' },
      { tracking_number: 'SBXEXCEPTION63', title: hebrew, order_id: '78' },
    ]);
    const { page } = await open('/');
    await page.getByText(long).waitFor();
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await isTooWide(page)).toBe(false);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await go(page, at().address('/shipments?q=SBXEXCEPTION63'));
    const [title, order] = [hebrew, '78'].map((text) => rowsOf(page).getByText(text, { exact: true }));
    await order?.waitFor();
    expect(await title?.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  });
}
